#pragma once

struct sockaddr;

namespace lade {

// Whether the address belongs to a host of the public internet. Private, loopback, link-local, shared (CGNAT),
// multicast, documentation and reserved ones do not, nor do IPv6 addresses that stand for such an IPv4 address; what is
// neither IPv4 nor IPv6 does not either.
bool is_public(const sockaddr& address);

}  // namespace lade
