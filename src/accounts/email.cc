#include "accounts/email.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"

namespace lade::accounts {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

Result<std::string> normal_email(std::string_view text) {
  const std::size_t at = text.find('@');
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte != 0x7F;
  });
  if (at == 0 || at == std::string_view::npos || at + 1 == text.size() || text.rfind('@') != at || text.size() > 254 ||
      !plain)
    return fail("email_invalid", fmt::format("'{}' is no e-mail address", text), "write name@example.com",
                ErrorKind::usage);
  return lower_case(text);
}

std::string login_hash(std::string_view email) {
  return sha256_of("login:" + lower_case(email));
}

}  // namespace lade::accounts
