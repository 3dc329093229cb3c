#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lade::harvest {

// What a robots.txt allows one crawler, by RFC 9309. Immutable once made.
class RobotsRules {
 public:
  // `product` is the crawler's product token, compared without regard to case. The first 500 KiB of the text count.
  // Never fails: what is not understood is left out.
  static RobotsRules parse(std::string_view text, std::string_view product);

  // `target` is the path with the query. The longest rule that matches decides; allow wins between equals; what no
  // rule matches is allowed, and /robots.txt always is. A file made to be expensive allows nothing.
  bool allows(std::string_view target) const;

 private:
  struct Rule {
    std::string pattern;  // percent-encoded in one way
    bool is_allow;
  };
  std::vector<Rule> rules_;
};

}  // namespace lade::harvest
