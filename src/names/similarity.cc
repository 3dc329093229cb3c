#include "names/similarity.h"

#include <algorithm>
#include <cstdint>

#include "base/text_distance.h"

namespace lade::names {
namespace {

constexpr double kOrder = 98, kInitials = 92;
constexpr double kMissingWord = 0.35;  // what a word that the other name lacks costs, as a share of its letters
constexpr std::size_t kMostWords = 16;

double share_of_letters(std::string_view one, std::string_view other) {
  const std::size_t longer = std::max(one.size(), other.size());
  if (longer == 0) return 0;
  return 1 - static_cast<double>(levenshtein(one, other)) / static_cast<double>(std::min<std::size_t>(longer, 64));
}

// Letters at about the same place, and how many must be changed: the first alone thinks too well of short names.
double letters_of(std::string_view one, std::string_view other) {
  return 50 * jaro_winkler(one, other) + 50 * std::max(0.0, share_of_letters(one, other));
}

// Each word of the shorter name with the word of the other one that is most like it, every word once.
double words_of_both(const Words& few, const Words& many) {
  std::uint32_t taken = 0;
  double points = 0, letters = 0;
  for (const std::string_view word : few) {
    double best = 0;
    std::size_t place = many.size();
    for (std::size_t i = 0; i < many.size(); ++i) {
      if ((taken >> i & 1U) != 0) continue;
      if (const double alike = share_of_letters(word, many[i]); alike > best) best = alike, place = i;
    }
    if (place < many.size()) taken |= 1U << place;
    const auto weight = static_cast<double>(word.size());
    points += weight * (best < 0.5 ? 0 : best);
    letters += weight;
  }
  for (std::size_t i = 0; i < many.size(); ++i)
    if ((taken >> i & 1U) == 0) letters += kMissingWord * static_cast<double>(many[i].size());
  return letters == 0 ? 0 : 100 * points / letters;
}

// Each word of one name begins the word of the other at its place, or the other way round, and one at least is whole.
bool are_initials(const Words& one, const Words& other) {
  if (one.size() != other.size() || one.size() < 2) return false;
  bool begun = false, whole = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) {
      whole = whole || one[i].size() > 2;
    } else if (one[i].size() == 1 || other[i].size() == 1) {
      if (one[i].front() != other[i].front()) return false;
      begun = true;
    } else {
      return false;
    }
  }
  return begun && whole;
}

}  // namespace

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::same: return "same";
    case Reason::order: return "order";
    case Reason::initials: return "initials";
    case Reason::letters: return "letters";
    case Reason::words: return "words";
    case Reason::remembered: return "remembered";
  }
  return "";
}

Words words_of(std::string_view name) {
  Words words;
  for (std::size_t begin = 0; begin < name.size() && words.size() < kMostWords;) {
    const std::size_t end = std::min(name.find(' ', begin), name.size());
    if (end > begin) words.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Similarity similarity(std::string_view one, std::string_view other) {
  if (one.empty() || other.empty()) return {};
  if (one == other) return {100, Reason::same};
  Words left = words_of(one), right = words_of(other);
  if (are_initials(left, right)) return {kInitials, Reason::initials};
  if (left.size() == right.size()) {
    Words sorted_left = left, sorted_right = right;
    std::ranges::sort(sorted_left);
    std::ranges::sort(sorted_right);
    if (sorted_left == sorted_right) return {kOrder, Reason::order};
  }
  if (left.size() > right.size()) std::swap(left, right);
  double words = words_of_both(left, right);
  if (left.size() == right.size()) words = std::max(words, words_of_both(right, left));  // whoever is asked first
  // Names that only differ in something are not as sure as equal ones.
  words = std::min(words, kOrder - 1);
  const double letters = std::min(letters_of(one, other), kOrder - 1);
  return letters >= words ? Similarity{letters, Reason::letters} : Similarity{words, Reason::words};
}

}  // namespace lade::names
