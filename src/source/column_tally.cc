#include "source/column_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lade::source {
namespace {

constexpr std::array<std::string_view, 14> kNullWords = {"-",   "--",   "?",    "n/a",    "na",  "nan",     "null",
                                                         "nil", "none", "#n/a", "(null)", "\\n", "unknown", "tbd"};
constexpr std::size_t kLongestNullWord = 7;
constexpr std::size_t kSamples = 5;

// yes, no; the first pairs are what a definition without a format takes.
struct Words {
  std::string_view yes, no;
};
constexpr std::array<Words, 6> kPlainBooleans = {
    {{"true", "false"}, {"yes", "no"}, {"y", "n"}, {"t", "f"}, {"on", "off"}, {"1", "0"}}};
constexpr std::array<Words, 8> kOtherBooleans = {{{"ja", "nein"},
                                                  {"j", "n"},
                                                  {"wahr", "falsch"},
                                                  {"oui", "non"},
                                                  {"o", "n"},
                                                  {"vrai", "faux"},
                                                  {"si", "no"},
                                                  {"sim", "nao"}}};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return out;
}

bool is_null_word(std::string_view cell) {
  if (cell.size() > kLongestNullWord || (cell.front() >= '0' && cell.front() <= '9')) return false;
  return std::find(kNullWords.begin(), kNullWords.end(), lower(cell)) != kNullWords.end();
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
    if (dash ? text[at] != '-' : !is_hexadecimal(text[at])) return false;
  }
  return true;
}

bool names_a_date(std::string_view header) {
  const std::string name = lower(header);
  for (const std::string_view word : {"date", "datum", "fecha", "birthday", "geburtstag"})
    if (name.find(word) != std::string::npos) return true;
  return name.ends_with("_on") || name.ends_with("_at");
}

// Excel counts days: 20000 is in 1954, 60000 in 2064.
bool look_like_serials(const std::vector<std::string>& samples) {
  return !samples.empty() && std::all_of(samples.begin(), samples.end(), [](const std::string& sample) {
    return sample.size() == 5 && sample >= "20000" && sample <= "60000" &&
           std::all_of(sample.begin(), sample.end(), [](char c) { return c >= '0' && c <= '9'; });
  });
}

// Both words occur, or one of them that is more than a letter.
bool speak(const std::vector<std::string>& values, const Words& words) {
  const auto is = [&](std::string_view word) { return std::find(values.begin(), values.end(), word) != values.end(); };
  const bool known = std::all_of(values.begin(), values.end(),
                                 [&](const std::string& value) { return value == words.yes || value == words.no; });
  return known && ((is(words.yes) && is(words.no)) || words.yes.size() > 1);
}

}  // namespace

void ColumnTally::take(std::string_view raw, std::int64_t line, bool typed) {
  ++cells_;
  const std::string_view cell = trimmed(raw);
  padded_ = padded_ || cell.size() != raw.size();
  if (cell.empty()) {
    ++blank_;
    return;
  }
  if (cell.size() > max_length_) max_length_ = std::max(max_length_, characters(cell));
  values_.take(cell);
  if (has_type_) take_type(cell, line, typed);
}

void ColumnTally::take_type(std::string_view cell, std::int64_t line, bool typed) {
  if (is_null_word(cell)) return take_null_word(cell);
  ++typed_;
  uuid_ = uuid_ && is_uuid(cell);
  if (numbers_.alive()) typed ? numbers_.take_typed(cell, line) : numbers_.take(cell, line);
  if (dates_.alive()) dates_.take(cell, line);
  has_type_ = uuid_ || numbers_.alive() || dates_.alive();
}

void ColumnTally::take_null_word(std::string_view cell) {
  if (std::find(null_words_.begin(), null_words_.end(), cell) == null_words_.end()) null_words_.emplace_back(cell);
}

void ColumnTally::add_readings(ColumnEvidence& found) const {
  if (typed_ == 0) return;
  if (uuid_) found.readings.push_back({"uuid", "", "", ""});
  const std::vector<TypeReading> dates = dates_.readings(), numbers = numbers_.readings();
  const bool number_first = dates_.is_compact() && !names_a_date(found.name);
  for (const auto* some : {number_first ? &numbers : &dates, number_first ? &dates : &numbers})
    found.readings.insert(found.readings.end(), some->begin(), some->end());
  found.ambiguous = dates.size() > 1 || numbers.size() > 1;
}

// Words for yes and no are few: they are all among the values that are kept.
void ColumnTally::add_booleans(ColumnEvidence& found) const {
  std::vector<std::string> values, null_words;
  for (const std::string& value : found.values) {
    if (is_null_word(value)) {
      null_words.push_back(value);
    } else if (std::string word = lower(value); std::find(values.begin(), values.end(), word) == values.end()) {
      values.push_back(std::move(word));
    }
  }
  if (values.empty()) return;
  for (const Words& words : kPlainBooleans)
    if (speak(values, words)) found.readings.push_back({"boolean", "", "", ""});
  for (const Words& words : kOtherBooleans)
    if (found.readings.empty() && speak(values, words))
      found.readings.push_back({"boolean", "", fmt::format("{}/{}", words.yes, words.no), ""});
  if (!found.readings.empty()) found.null_words = std::move(null_words);
}

std::string ColumnTally::note(const ColumnEvidence& found) const {
  if (cells_ == blank_) return "every cell is blank";
  if (const std::string uncertain = numbers_.note(); !uncertain.empty()) return uncertain;
  if (const std::string uncertain = dates_.note(); !uncertain.empty()) return uncertain;
  if (dates_.is_compact() && numbers_.alive()) return fmt::format("{} is a date and a number", found.samples.front());
  if (names_a_date(found.name) && look_like_serials(found.samples))
    return fmt::format("{} may be a date as Excel counts days: type: date, format: excel", found.samples.front());
  return {};
}

ColumnEvidence ColumnTally::evidence(const std::string& name) const {
  ColumnEvidence found;
  found.name = name;
  found.cells = cells_;
  found.blank = blank_;
  found.distinct = static_cast<std::int64_t>(values_.distinct());
  found.unique = values_.are_unique();
  const std::vector<std::string>& kept = values_.kept();
  found.samples.assign(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(std::min(kSamples, kept.size())));
  if (values_.distinct() > 0 && values_.distinct() <= kept.size()) found.values = kept;
  found.max_length = max_length_;
  found.leading_zeros = !numbers_.leading_zeros().empty();
  found.padded = padded_;
  add_readings(found);
  if (!found.readings.empty()) found.null_words = null_words_;
  add_booleans(found);
  found.note = note(found);
  return found;
}

}  // namespace lade::source
