#include "harvest/fetch_failure.h"

#include <fmt/format.h>

namespace lade::harvest {
namespace {

std::string mebibytes(std::uint64_t bytes) {
  return bytes < 1 << 20 ? fmt::format("{} bytes", bytes) : fmt::format("{} MiB", bytes >> 20);
}

// Statuses by which a server says "not now".
bool passes(long status) {
  if (status == 408 || status == 425 || status == 429) return true;
  return status >= 500 && status != 501 && status != 505;
}

}  // namespace

FetchFailure scrape_failed(std::string message, std::string reason, bool is_final, std::string hint) {
  Error error{"scrape_failed", std::move(message), std::move(hint)};
  return {.error = std::move(error), .reason = std::move(reason), .is_final = is_final};
}

FetchFailure unreachable(std::string reason, Error error) {
  return {.error = std::move(error), .reason = std::move(reason), .is_final = true};
}

FetchFailure cancelled() {
  return {.error = {"cancelled", "asked to stop while a page was being fetched", "", ErrorKind::cancelled},
          .reason = "cancelled",
          .is_final = false};
}

FetchFailure failure_of(Breach breach, const FetchLimits& limits) {
  switch (breach) {
    case Breach::connect_timeout:
      return scrape_failed(fmt::format("no connection within {}", for_people(limits.connect)), "connect_timeout",
                           false);
    case Breach::first_byte_timeout:
      return scrape_failed(fmt::format("no answer began within {}", for_people(limits.first_byte)),
                           "first_byte_timeout", false);
    case Breach::total_timeout:
      return scrape_failed(fmt::format("the page was not complete within {}", for_people(limits.total)), "timeout",
                           false);
    case Breach::too_slow:
      return scrape_failed(
          fmt::format("less than {} bytes a second came for {}", limits.slowest, for_people(limits.slow_for)),
          "too_slow", false);
    case Breach::too_large:
      return scrape_failed(fmt::format("the page is larger than {} on the wire or {} inflated",
                                       mebibytes(limits.wire_bytes), mebibytes(limits.body_bytes)),
                           "too_large", true);
    case Breach::inflates_too_much:
      return scrape_failed(fmt::format("the page inflates to more than {} times its size", limits.inflate_ratio),
                           "inflates_too_much", true);
    case Breach::headers_too_large:
      return scrape_failed(fmt::format("the headers are larger than {}", mebibytes(limits.header_bytes)),
                           "headers_too_large", true);
    case Breach::address_refused: break;
  }
  return unreachable("address_refused",
                     {"unreachable_url", "the connection would have gone to another address than the one checked", "",
                      ErrorKind::invalid});
}

FetchFailure failure_of(CURLcode code, const std::string& detail) {
  switch (code) {
    case CURLE_COULDNT_CONNECT: return scrape_failed("no connection: " + detail, "connect_failed", false);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return scrape_failed("the server's certificate is not trusted: " + detail, "certificate_invalid", true);
    case CURLE_SSL_CONNECT_ERROR: return scrape_failed("no secure connection: " + detail, "tls_failed", false);
    case CURLE_PARTIAL_FILE: return scrape_failed("the page ends before its announced length", "incomplete", false);
    case CURLE_BAD_CONTENT_ENCODING:
      return scrape_failed("the page cannot be inflated: " + detail, "encoding_invalid", true);
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return scrape_failed("the connection broke: " + detail, "connection_broken", false);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY: return scrape_failed("the answer is not HTTP: " + detail, "not_http", true);
    default: return scrape_failed("the page could not be fetched: " + detail, "fetch_failed", false);
  }
}

FetchFailure failure_of_status(long status, std::optional<std::chrono::seconds> retry_after) {
  auto failure =
      scrape_failed(fmt::format("the server answered {}", status), fmt::format("http_{}", status), !passes(status));
  failure.http_status = status;
  if (!failure.is_final) failure.retry_after = retry_after;
  return failure;
}

}  // namespace lade::harvest
