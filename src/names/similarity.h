#pragma once

#include <string_view>
#include <vector>

namespace lade::names {

// Why two names are taken for alike.
enum class Reason {
  same,        // the same spelling
  order,       // the same words in another order
  initials,    // some words are only begun: T. N. Rajam, Tanjore Narayana Rajam
  letters,     // most letters are the same
  words,       // most words are alike
  remembered,  // somebody has said so before
};
std::string_view to_string(Reason reason);

struct Similarity {
  double score = 0;  // 0 to 100
  Reason reason = Reason::letters;
};

using Words = std::vector<std::string_view>;
Words words_of(std::string_view name);

// How alike two normalised names are: the best of what their letters and their words say.
Similarity similarity(std::string_view one, std::string_view other);

}  // namespace lade::names
