#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "harvest/url.h"

namespace lade::harvest {

// An IPv4 or IPv6 address. One that stands for an IPv4 address (::ffff:1.2.3.4) is that address.
class Address {
 public:
  static std::optional<Address> of(const sockaddr& address);
  static std::optional<Address> parse(const std::string& text);

  bool is_ipv6() const { return is_ipv6_; }
  std::string text() const;
  bool is_public() const;
  // Whether the first bits are those of `network`.
  bool is_within(const Address& network, int bits) const;
  bool operator==(const Address&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_ = {};  // IPv4: the first four
  bool is_ipv6_ = false;
};

struct GuardRules {
  // What may be connected to besides the public internet: "10.1.0.0/16", "fd00::/8", "127.0.0.1", "wiki.example.com" or
  // "*.example.com" (a name is trusted with whatever addresses it has).
  std::vector<std::string> allow = {};
  std::vector<std::uint16_t> ports = {};  // besides 80 and 443
};

// Decides where may be connected to. Immutable; any thread.
class AddressGuard {
 public:
  // Fails with harvest_allow_invalid.
  static Result<AddressGuard> make(const GuardRules& rules);

  // What the URL alone shows: its port, and its host where that is an address. Fails with unreachable_url.
  Result<void> check(const Url& url) const;
  bool allows(std::string_view host, const Address& address) const;
  // The addresses of a host when all of them may be connected to. One that may not refuses them all: a name that mixes
  // public and private addresses is an attempt.
  Result<std::vector<Address>> check(std::string_view host, std::vector<Address> addresses) const;

 private:
  struct Network {
    Address address;
    int bits;
  };
  bool allows_name(std::string_view host) const;

  std::vector<Network> networks_;
  std::vector<std::string> names_;
  std::vector<std::uint16_t> ports_ = {80, 443};
};

}  // namespace lade::harvest
