#include "definition/header_name.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/sha256.h"
#include "base/text_distance.h"

namespace lade::definition {
namespace {

constexpr double kSameWords = 0.99;
constexpr double kSameWordsMoved = 0.95;
// What is not the same is never as good as what is.
constexpr double kMostAlike = 0.94;
// Words this near count as the same one, misspelled.
constexpr double kNearWord = 0.85;

constexpr std::size_t kLongestName = 63;
// Bytes of a name that are compared: a header may be a novel.
constexpr std::size_t kMostCompared = 200;

// Short forms of words that headers are made of, and what they stand for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kShortForms = {{
    {"acct", "account"},    {"addr", "address"},     {"amt", "amount"},        {"avg", "average"},
    {"cat", "category"},    {"co", "company"},       {"curr", "currency"},     {"cust", "customer"},
    {"dept", "department"}, {"desc", "description"}, {"descr", "description"}, {"dob", "birthdate"},
    {"id", "identifier"},   {"ident", "identifier"}, {"lang", "language"},     {"no", "number"},
    {"nr", "number"},       {"num", "number"},       {"org", "organisation"},  {"organization", "organisation"},
    {"pct", "percent"},     {"phone", "telephone"},  {"qty", "quantity"},      {"ref", "reference"},
    {"tel", "telephone"},   {"tot", "total"},        {"yr", "year"},           {"zip", "postcode"},
}};

// The letters from U+00C0 to U+017F without their accents, two places each.
constexpr std::string_view kPlainLetters =
    "a a a a a a aec e e e e i i i i d n o o o o o   o u u u u y thss"
    "a a a a a a aec e e e e i i i i d n o o o o o   o u u u u y thy "
    "a a a a a a c c c c c c c c d d d d e e e e e e e e e e g g g g "
    "g g g g h h h h i i i i i i i i i i ijijj j k k k l l l l l l l "
    "l l l n n n n n n n n n o o o o o o oeoer r r r r r s s s s s s "
    "s s t t t t t t u u u u u u u u u u u u w w y y y z z z z z z s ";
static_assert(kPlainLetters.size() == 2 * (0x180 - 0xC0));

enum class Kind { none, lower, upper, digit };

struct Letter {
  Kind kind = Kind::none;
  std::string text;
};

// The next character of a name, which is cut off.
Letter take_letter(std::string_view& rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  size = std::min(size, rest.size());
  const std::string_view bytes = rest.substr(0, size);
  rest.remove_prefix(size);
  const char c = bytes.front();
  if (c >= 'a' && c <= 'z') return {Kind::lower, std::string(bytes)};
  if (c >= 'A' && c <= 'Z') return {Kind::upper, std::string(1, static_cast<char>(c + ('a' - 'A')))};
  if (c >= '0' && c <= '9') return {Kind::digit, std::string(bytes)};
  if (size == 1) return {};
  const unsigned code = size == 2 ? (first & 0x1FU) << 6 | (static_cast<unsigned char>(bytes[1]) & 0x3FU) : 0;
  if (code < 0xC0 || code >= 0x180) return {code == 0 ? Kind::lower : Kind::none, std::string(code == 0 ? bytes : "")};
  const std::string_view plain = kPlainLetters.substr(2 * (code - 0xC0), 2);
  // Capitals of this range come before 0xDF, or have even numbers in most of what follows.
  const bool upper = code < 0xDF || (code >= 0x100 && code < 0x138 && code % 2 == 0);
  std::string text(plain.substr(0, plain[1] == ' ' ? 1 : 2));
  if (text == " ") return {};
  return {upper ? Kind::upper : Kind::lower, std::move(text)};
}

std::string spelled_out(std::string word) {
  const auto known =
      std::find_if(kShortForms.begin(), kShortForms.end(), [&](const auto& f) { return f.first == word; });
  return known == kShortForms.end() ? std::move(word) : std::string(known->second);
}

std::vector<std::string> cut_words(std::string_view name) {
  std::vector<std::string> words(1);
  Kind before = Kind::none;
  while (!name.empty()) {
    Letter letter = take_letter(name);
    const bool next_is_lower = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
    const bool begins = letter.kind == Kind::none || (letter.kind == Kind::digit) != (before == Kind::digit) ||
                        (letter.kind == Kind::upper && (before == Kind::lower || next_is_lower));
    if (begins && !words.back().empty()) words.emplace_back();
    words.back() += letter.text;
    before = letter.kind;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word;
  return text;
}

double letters_alike(std::string_view one, std::string_view other) {
  const auto longest = static_cast<double>(std::clamp<std::size_t>(std::max(one.size(), other.size()), 1, 64));
  const double near = 1 - static_cast<double>(levenshtein(one, other)) / longest;
  return (near + jaro_winkler(one, other)) / 2;
}

// The share of words that both have, misspelled ones included.
double words_alike(const std::vector<std::string>& one, std::vector<std::string> other) {
  const auto total = static_cast<double>(one.size() + other.size());
  double shared = 0;
  for (const std::string& word : one) {
    double best = kNearWord;
    auto taken = other.end();
    for (auto candidate = other.begin(); candidate != other.end(); ++candidate) {
      const double alike = letters_alike(word, *candidate);
      if (alike < best) continue;
      best = alike;
      taken = candidate;
    }
    if (taken == other.end()) continue;
    shared += best;
    other.erase(taken);
  }
  return 2 * shared / total;
}

}  // namespace

std::string folded_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (!out.empty() && out.back() != ' ') out.push_back(' ');
    } else {
      out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words = cut_words(name);
  for (std::string& word : words) word = spelled_out(std::move(word));
  return words;
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const std::string& word : cut_words(name)) {
    if (std::any_of(word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) continue;
    if (!plain.empty()) plain.push_back('_');
    plain += word;
  }
  if (plain.empty()) return "column";
  if (plain.front() >= '0' && plain.front() <= '9') plain.insert(0, "column_");
  plain.resize(std::min(plain.size(), kLongestName));
  return plain;
}

double name_similarity(std::string_view one, std::string_view other) {
  if (folded_name(one) == folded_name(other)) return 1;
  one = one.substr(0, kMostCompared);
  other = other.substr(0, kMostCompared);
  std::vector<std::string> words = name_words(one), others = name_words(other);
  if (words.empty() || others.empty()) return 0;
  const std::string text = joined(words), other_text = joined(others);
  if (text == other_text) return kSameWords;
  const double letters = letters_alike(text, other_text);
  const double shared = words_alike(words, others);
  std::sort(words.begin(), words.end());
  std::sort(others.begin(), others.end());
  if (words == others) return kSameWordsMoved;
  return std::min(kMostAlike, std::max(letters, shared));
}

std::string header_signature(const std::vector<std::string>& header) {
  std::string text;
  for (const std::string& name : header) text += folded_name(name) + '\n';
  return sha256_of(text);
}

}  // namespace lade::definition
