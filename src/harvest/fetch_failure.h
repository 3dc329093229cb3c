#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

#include "harvest/fetch.h"

// Every way in which a fetch fails, and whether another try is worth it. The url is filled in by the caller.
namespace lade::harvest {

// What lade itself breaks an exchange off for.
enum class Breach {
  connect_timeout,
  first_byte_timeout,
  total_timeout,
  too_slow,
  too_large,
  inflates_too_much,
  headers_too_large,
  address_refused,
};

FetchFailure failure_of(Breach breach, const FetchLimits& limits);
// `detail` is libcurl's own explanation.
FetchFailure failure_of(CURLcode code, const std::string& detail);
// A status that is no success.
FetchFailure failure_of_status(long status, std::optional<std::chrono::seconds> retry_after);

// There is no such place, or none that may be asked: never worth another try.
FetchFailure unreachable(std::string reason, Error error);
// The server's or the network's fault.
FetchFailure scrape_failed(std::string message, std::string reason, bool is_final, std::string hint = {});
FetchFailure cancelled();

}  // namespace lade::harvest
