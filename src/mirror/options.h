#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "mirror/address.h"

namespace lade::mirror {

struct Options {
  Address address;
  std::chrono::milliseconds patience{1000};  // for a connection, and for an answer
  std::chrono::milliseconds pause{200};      // after the first failure; doubled after each further one
  std::chrono::milliseconds longest_pause{30000};
  std::function<void(const std::string&)> say = {};  // hears when it goes away and when it comes back, as the log does
};

}  // namespace lade::mirror
