#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::harvest {

// An http or https URL in its one normal form: what is checked, resolved, asked for and compared is the same text.
struct Url {
  std::string text;         // scheme and host in small letters, host in ASCII, no usual port, no fragment
  std::string scheme;       // http or https
  std::string host;         // without brackets and final dot; an address as numbers in its usual notation
  std::uint16_t port = 0;   // also the usual one
  std::string target = {};  // path and query
  bool is_address = false;  // the host is an IPv4 or IPv6 address

  // Fails with unreachable_url: another scheme, a user or password, no host, a host that is a number but no address,
  // control characters, more than 8 KiB.
  static Result<Url> parse(std::string_view text);
  // The URL that `reference` (of a Location header) means on this page.
  Result<Url> join(std::string_view reference) const;

  // scheme://host:port, which robots.txt is for.
  std::string origin() const;
};

}  // namespace lade::harvest
