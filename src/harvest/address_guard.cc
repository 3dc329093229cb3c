#include "harvest/address_guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/public_address.h"

namespace lade::harvest {
namespace {

constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

tl::unexpected<Error> allow_invalid(const std::string& entry) {
  return fail("harvest_allow_invalid",
              fmt::format("'{}' is neither an address, a range of addresses nor a host", entry),
              "write 10.1.0.0/16, fd00::/8, wiki.example.com or *.example.com", ErrorKind::invalid);
}

tl::unexpected<Error> address_refused(std::string_view host, const Address& address) {
  return fail("unreachable_url", fmt::format("{} has the address {}, which is not public", host, address.text()),
              "the operator may allow it by its name or range", ErrorKind::invalid);
}

bool is_host_name(std::string_view name) {
  if (name.starts_with("*.")) name.remove_prefix(2);
  return !name.empty() && std::ranges::all_of(name, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' ||
           letter == '.';
  });
}

}  // namespace

std::optional<Address> Address::of(const sockaddr& address) {
  Address result;
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    std::memcpy(result.bytes_.data(), &in.sin_addr, 4);
    return result;
  }
  if (address.sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in{};
  std::memcpy(&in, &address, sizeof in);
  std::memcpy(result.bytes_.data(), &in.sin6_addr, 16);
  result.is_ipv6_ = !std::equal(std::begin(kMapped), std::end(kMapped), result.bytes_.begin());
  if (!result.is_ipv6_) {
    std::copy_n(result.bytes_.begin() + 12, 4, result.bytes_.begin());
    std::fill(result.bytes_.begin() + 4, result.bytes_.end(), std::uint8_t{0});
  }
  return result;
}

std::optional<Address> Address::parse(const std::string& text) {
  sockaddr_in in{.sin_family = AF_INET};
  if (inet_pton(AF_INET, text.c_str(), &in.sin_addr) == 1) return of(reinterpret_cast<const sockaddr&>(in));
  sockaddr_in6 in6{.sin6_family = AF_INET6};
  if (inet_pton(AF_INET6, text.c_str(), &in6.sin6_addr) == 1) return of(reinterpret_cast<const sockaddr&>(in6));
  return std::nullopt;
}

std::string Address::text() const {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(is_ipv6_ ? AF_INET6 : AF_INET, bytes_.data(), text, sizeof text);
  return text;
}

bool Address::is_public() const {
  sockaddr_storage storage{};
  if (is_ipv6_) {
    sockaddr_in6 in6{.sin6_family = AF_INET6};
    std::memcpy(&in6.sin6_addr, bytes_.data(), 16);
    std::memcpy(&storage, &in6, sizeof in6);
  } else {
    sockaddr_in in{.sin_family = AF_INET};
    std::memcpy(&in.sin_addr, bytes_.data(), 4);
    std::memcpy(&storage, &in, sizeof in);
  }
  return lade::is_public(reinterpret_cast<const sockaddr&>(storage));
}

bool Address::is_within(const Address& network, int bits) const {
  if (is_ipv6_ != network.is_ipv6_) return false;
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(whole), network.bytes_.begin()))
    return false;
  return bits % 8 == 0 || ((bytes_[whole] ^ network.bytes_[whole]) >> (8 - bits % 8)) == 0;
}

Result<AddressGuard> AddressGuard::make(const GuardRules& rules) {
  AddressGuard guard;
  for (const std::string& entry : rules.allow) {
    const std::size_t slash = entry.find('/');
    const auto address = Address::parse(entry.substr(0, slash));
    if (!address) {
      if (!is_host_name(entry)) return allow_invalid(entry);
      guard.names_.push_back(entry);
      continue;
    }
    const int most = address->is_ipv6() ? 128 : 32;
    int bits = most;
    if (slash != std::string::npos) {
      const char* const end = entry.data() + entry.size();
      const auto read = std::from_chars(entry.data() + slash + 1, end, bits);
      if (read.ec != std::errc() || read.ptr != end || bits < 0 || bits > most) return allow_invalid(entry);
    }
    guard.networks_.push_back({*address, bits});
  }
  guard.ports_.insert(guard.ports_.end(), rules.ports.begin(), rules.ports.end());
  return guard;
}

Result<void> AddressGuard::check(const Url& url) const {
  if (std::ranges::find(ports_, url.port) == ports_.end())
    return fail("unreachable_url", fmt::format("port {} is not one that pages are fetched from", url.port),
                fmt::format("allowed are {}", fmt::join(ports_, ", ")), ErrorKind::invalid);
  if (!url.is_address) return {};
  const auto address = Address::parse(url.host);
  if (!address || !allows(url.host, *address))
    return fail("unreachable_url", fmt::format("{} is not an address of the public internet", url.host),
                "the operator may allow it by its range", ErrorKind::invalid);
  return {};
}

bool AddressGuard::allows_name(std::string_view host) const {
  return std::ranges::any_of(names_, [&](const std::string& name) {
    return name.starts_with("*.") ? host.size() > name.size() - 1 && host.ends_with(std::string_view(name).substr(1))
                                  : host == name;
  });
}

bool AddressGuard::allows(std::string_view host, const Address& address) const {
  if (address.is_public() || allows_name(host)) return true;
  return std::ranges::any_of(networks_,
                             [&](const Network& network) { return address.is_within(network.address, network.bits); });
}

Result<std::vector<Address>> AddressGuard::check(std::string_view host, std::vector<Address> addresses) const {
  for (const Address& address : addresses)
    if (!allows(host, address)) return address_refused(host, address);
  return addresses;
}

}  // namespace lade::harvest
