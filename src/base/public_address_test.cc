#include "base/public_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace lade {
namespace {

bool is_public_text(const char* text) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  if (inet_pton(AF_INET, text, &in.sin_addr) == 1) return is_public(reinterpret_cast<const sockaddr&>(in));
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, text, &in6.sin6_addr), 1) << text;
  return is_public(reinterpret_cast<const sockaddr&>(in6));
}

TEST(Address, OfThePublicInternet) {
  for (const char* text : {"1.1.1.1",         "9.255.255.255",        "11.0.0.0",
                           "100.63.255.255",  "100.128.0.0",          "126.255.255.255",
                           "128.0.0.0",       "169.253.255.255",      "172.15.255.255",
                           "172.32.0.0",      "192.167.255.255",      "192.169.0.0",
                           "198.17.255.255",  "198.20.0.0",           "223.255.255.255",
                           "2606:4700::1111", "2001:4860:4860::8888", "2001:200::1",
                           "3ffe::1",         "::ffff:8.8.8.8",       "64:ff9b::8.8.8.8"})
    EXPECT_TRUE(is_public_text(text)) << text;
}

TEST(Address, OfNoPublicHost) {
  for (const char* text :
       {"0.0.0.0",        "0.255.255.255",   "10.0.0.0",     "10.255.255.255",  "100.64.0.0",      "100.127.255.255",
        "127.0.0.1",      "127.255.255.255", "169.254.0.0",  "169.254.169.254", "169.254.255.255", "172.16.0.0",
        "172.31.255.255", "192.0.0.1",       "192.0.2.1",    "192.88.99.1",     "192.168.0.0",     "192.168.255.255",
        "198.18.0.0",     "198.19.255.255",  "198.51.100.1", "203.0.113.1",     "224.0.0.0",       "239.255.255.255",
        "240.0.0.0",      "255.255.255.255"})
    EXPECT_FALSE(is_public_text(text)) << text;
}

TEST(Address, OfNoPublicHostInIpv6) {
  for (const char* text : {"::",
                           "::1",
                           "::127.0.0.1",
                           "::ffff:127.0.0.1",
                           "::ffff:10.0.0.1",
                           "::ffff:169.254.169.254",
                           "64:ff9b::127.0.0.1",
                           "64:ff9b::192.168.0.1",
                           "64:ff9b:1::1",
                           "100::1",
                           "2001::1",
                           "2001:1ff::1",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "2002:808:808::",
                           "3fff::1",
                           "4000::1",
                           "fc00::1",
                           "fd12:3456::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1"})
    EXPECT_FALSE(is_public_text(text)) << text;
}

TEST(Address, OfSomethingElse) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  EXPECT_FALSE(is_public(reinterpret_cast<const sockaddr&>(local)));
}

}  // namespace
}  // namespace lade
