#include "base/public_address.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace lade {
namespace {

using Ipv6 = std::array<std::uint8_t, 16>;

struct Ipv4Range {
  std::uint32_t first;
  int bits;
};
constexpr std::uint32_t ipv4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return a << 24 | b << 16 | c << 8;
}
// The IANA registry of special-purpose addresses, as far as it says "not globally reachable".
constexpr Ipv4Range kNotPublic[] = {
    {ipv4(0, 0, 0), 8},        // this network
    {ipv4(10, 0, 0), 8},       // private
    {ipv4(100, 64, 0), 10},    // shared by carriers
    {ipv4(127, 0, 0), 8},      // loopback
    {ipv4(169, 254, 0), 16},   // link-local, cloud metadata
    {ipv4(172, 16, 0), 12},    // private
    {ipv4(192, 0, 0), 24},     // protocol assignments
    {ipv4(192, 0, 2), 24},     // documentation
    {ipv4(192, 88, 99), 24},   // 6to4 relays
    {ipv4(192, 168, 0), 16},   // private
    {ipv4(198, 18, 0), 15},    // benchmarks
    {ipv4(198, 51, 100), 24},  // documentation
    {ipv4(203, 0, 113), 24},   // documentation
    {ipv4(224, 0, 0), 4},      // multicast
    {ipv4(240, 0, 0), 4},      // reserved, broadcast
};

bool is_public_ipv4(std::uint32_t address) {
  return std::ranges::none_of(
      kNotPublic, [&](const Ipv4Range& range) { return (address ^ range.first) >> (32 - range.bits) == 0; });
}

bool begins_with(const Ipv6& address, std::initializer_list<std::uint8_t> bytes) {
  return std::equal(bytes.begin(), bytes.end(), address.begin());
}

std::uint32_t last_four(const Ipv6& address) {
  return static_cast<std::uint32_t>(address[12]) << 24 | static_cast<std::uint32_t>(address[13]) << 16 |
         static_cast<std::uint32_t>(address[14]) << 8 | address[15];
}

bool is_public_ipv6(const Ipv6& address) {
  const bool is_mapped = begins_with(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff});
  const bool is_nat64 = begins_with(address, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0});
  if (is_mapped || is_nat64) return is_public_ipv4(last_four(address));
  if ((address[0] & 0xe0) != 0x20) return false;                           // only 2000::/3 is given out
  if (begins_with(address, {0x20, 0x01}) && address[2] < 2) return false;  // 2001::/23, protocols such as Teredo
  if (begins_with(address, {0x20, 0x01, 0x0d, 0xb8})) return false;        // documentation
  if (begins_with(address, {0x20, 0x02})) return false;                    // 6to4, which leads to any IPv4 address
  return !(begins_with(address, {0x3f, 0xff}) && address[2] < 0x10);       // documentation
}

}  // namespace

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return is_public_ipv4(ntohl(in.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    Ipv6 bytes;
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return is_public_ipv6(bytes);
  }
  return false;
}

}  // namespace lade
