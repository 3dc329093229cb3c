#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::mirror {

// Where a Redis listens.
struct Address {
  std::string host = {};  // empty: it is a socket in the file system
  int port = 6379;
  std::string path = {};  // of the socket
  std::string user = {};  // empty: the default one
  std::string password = {};
  int database = 0;
};

// redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE] or unix:PATH. Signs of the password may be written as %XX. Fails
// with redis_url_invalid, which never shows the password.
Result<Address> parse_address(std::string_view url);
// The same without user and password.
std::string to_text(const Address& address);

}  // namespace lade::mirror
