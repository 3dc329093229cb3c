#include "names/normaliser.h"

#include <fmt/format.h>
#include <unicode/translit.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "base/assert.h"

namespace lade::names {
namespace {

constexpr std::size_t kMostBytes = 800;      // of a text: 200 characters of four bytes
constexpr std::size_t kMostKnown = 100'000;  // texts that are remembered
constexpr std::size_t kMostRules = 1000;
constexpr char kRules[] = "Any-Latin; NFD; [:Nonspacing Mark:] Remove; NFC; Latin-ASCII; Lower";

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Up to a whole character.
std::string_view shortened(std::string_view text) {
  if (text.size() <= kMostBytes) return text;
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

// Small letters and digits, words parted by one space. Apostrophes part nothing: o'brien is one word.
std::string words_of(std::string_view latin) {
  std::string words;
  bool parted = false;
  for (char c : latin) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '\'' || c == '`') continue;
    if (!is_word(c)) {
      parted = true;
      continue;
    }
    if (parted && !words.empty()) words.push_back(' ');
    parted = false;
    words.push_back(c);
  }
  return words;
}

void replace_all(std::string& text, const Rewrite& rule) {
  for (std::size_t at = text.find(rule.from); at != std::string::npos; at = text.find(rule.from, at + rule.to.size()))
    text.replace(at, rule.from.size(), rule.to);
}

bool is_part_of_words(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_word(c) || c == ' '; });
}

}  // namespace

struct Normaliser::Icu {
  std::unique_ptr<icu::Transliterator> transliterator;
};

Normaliser::Normaliser(std::vector<Rewrite> rules, std::unique_ptr<Icu> icu)
    : rules_(std::move(rules)), icu_(std::move(icu)) {}
Normaliser::Normaliser(Normaliser&&) noexcept = default;
Normaliser::~Normaliser() = default;

Result<Normaliser> Normaliser::create(std::vector<Rewrite> rules) {
  if (rules.size() > kMostRules)
    return fail("rewrite_invalid", fmt::format("{} rules for spellings, at most {}", rules.size(), kMostRules), {},
                ErrorKind::invalid);
  for (const Rewrite& rule : rules)
    if (rule.from.empty() || !is_part_of_words(rule.from) || !is_part_of_words(rule.to))
      return fail("rewrite_invalid", fmt::format("the rule '{}' → '{}' can match nothing", rule.from, rule.to),
                  "write small letters without accents, digits and spaces", ErrorKind::invalid);
  UErrorCode status = U_ZERO_ERROR;
  auto icu = std::make_unique<Icu>();
  icu->transliterator.reset(icu::Transliterator::createInstance(kRules, UTRANS_FORWARD, status));
  LADE_ASSERT(U_SUCCESS(status) && icu->transliterator);  // ICU brings these rules itself
  return Normaliser(std::move(rules), std::move(icu));
}

std::string Normaliser::to_latin(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  if (const auto found = known_.find(std::string(text)); found != known_.end()) return found->second;
  icu::UnicodeString characters = icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
  icu_->transliterator->transliterate(characters);
  std::string latin;
  characters.toUTF8String(latin);
  if (known_.size() >= kMostKnown) known_.clear();
  return known_.emplace(text, std::move(latin)).first->second;
}

std::string Normaliser::plain(std::string_view text) {
  return words_of(to_latin(shortened(text)));
}

std::string Normaliser::operator()(std::string_view text) {
  std::string words = plain(text);
  for (const Rewrite& rule : rules_) replace_all(words, rule);
  return words;
}

}  // namespace lade::names
