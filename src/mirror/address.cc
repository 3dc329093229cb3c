#include "mirror/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace lade::mirror {
namespace {

constexpr std::string_view kScheme = "redis://", kUnix = "unix:";
constexpr std::size_t kLongestPath = 107;  // what an address of a socket holds
constexpr int kLastPort = 65535, kLastDatabase = 65535;

Error invalid(std::string message) {
  return {"redis_url_invalid", std::move(message), "redis://:PASSWORD@HOST:PORT/DATABASE or unix:/PATH.sock",
          ErrorKind::usage};
}

std::optional<int> number_of(std::string_view text, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) return std::nullopt;
  return number;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain += text[at];
      continue;
    }
    int code = 0;
    const std::string_view digits = text.substr(std::min(text.size(), at + 1), 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    plain += static_cast<char>(code);
    at += 2;
  }
  return plain;
}

Result<void> take_credentials(std::string_view text, Address& address) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return fail(invalid("before the @ stands :PASSWORD, or USER:PASSWORD"));
  const auto user = decoded(text.substr(0, colon)), password = decoded(text.substr(colon + 1));
  if (!user || !password) return fail(invalid("a % of user and password is followed by two hexadecimal digits"));
  address.user = *user;
  address.password = *password;
  return {};
}

// HOST, HOST:PORT, [::1]:PORT
Result<void> take_host(std::string_view text, Address& address) {
  const bool bracketed = text.starts_with('[');
  const std::size_t close = bracketed ? text.find(']') : std::string_view::npos;
  if (bracketed && close == std::string_view::npos) return fail(invalid(fmt::format("'{}' has no ]", text)));
  const std::string_view host = bracketed ? text.substr(1, close - 1) : text.substr(0, text.find(':'));
  const std::string_view rest = text.substr(bracketed ? close + 1 : host.size());
  const bool is_host = !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == ':';
  });
  if (!is_host) return fail(invalid("there is no host, or one that is none"));  // what stands there may be a password
  address.host = host;
  if (rest.empty()) return {};
  const auto port = rest.starts_with(':') ? number_of(rest.substr(1), 1, kLastPort) : std::nullopt;
  if (!port) return fail(invalid(fmt::format("what follows the host is no port from 1 to {}", kLastPort)));
  address.port = *port;
  return {};
}

}  // namespace

Result<Address> parse_address(std::string_view url) {
  Address address;
  if (url.starts_with("rediss://"))
    return fail(invalid("rediss: connections with TLS are not supported; put a tunnel in front, or use a socket"));
  if (url.starts_with(kUnix)) {
    address.path = url.substr(kUnix.size());
    if (!address.path.starts_with('/') || address.path.starts_with("//"))
      return fail(invalid("unix: is followed by the socket's absolute path"));
    if (address.path.size() > kLongestPath)
      return fail(invalid(fmt::format("the socket's path is longer than {} characters", kLongestPath)));
    return address;
  }
  // What may hold a password is not shown.
  if (!url.starts_with(kScheme)) return fail(invalid("the address of a Redis begins with redis:// or unix:"));
  std::string_view rest = url.substr(kScheme.size());
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    LADE_TRY(take_credentials(rest.substr(0, at), address));
    rest.remove_prefix(at + 1);
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view name = rest.substr(slash + 1);
    const auto database = name.empty() ? std::optional(0) : number_of(name, 0, kLastDatabase);
    if (!database) return fail(invalid(fmt::format("'{}' is no number of a database", name)));
    address.database = *database;
    rest = rest.substr(0, slash);
  }
  LADE_TRY(take_host(rest, address));
  return address;
}

std::string to_text(const Address& address) {
  if (!address.path.empty()) return fmt::format("unix:{}", address.path);
  const bool bracketed = address.host.find(':') != std::string::npos;
  return fmt::format("redis://{}{}{}:{}/{}", bracketed ? "[" : "", address.host, bracketed ? "]" : "", address.port,
                     address.database);
}

}  // namespace lade::mirror
