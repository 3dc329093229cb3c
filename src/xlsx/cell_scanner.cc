#include "xlsx/cell_scanner.h"

#include <cstring>

#include "xlsx/plain_element.h"

namespace lade::xlsx {
namespace {

constexpr std::ptrdiff_t kMostWholeDigits = 18;  // fit in 64 bits

// A type and the quote behind it: s" str" inlineStr" …; null when it is none.
const char* scan_type(const char* at, CellType& type) {
  if (at[1] != '"') {
    const bool text = std::memcmp(at, "str\"", 4) == 0;
    if (!text && std::memcmp(at, "inlineStr\"", 10) != 0) return nullptr;
    type = text ? CellType::text : CellType::inline_text;
    return at + (text ? 4 : 10);
  }
  switch (at[0]) {
    case 's': type = CellType::shared; break;
    case 'n': type = CellType::number; break;
    case 'b': type = CellType::boolean; break;
    case 'e': type = CellType::error; break;
    case 'd': type = CellType::date; break;
    default: return nullptr;
  }
  return at + 2;
}

const char* scan_style(const char* at, std::uint32_t& style) {
  const char* const begin = at;
  std::uint32_t value = 0;
  for (; *at >= '0' && *at <= '9' && at - begin < 9; ++at) value = value * 10 + static_cast<std::uint32_t>(*at - '0');
  if (at == begin || *at != '"') return nullptr;
  style = value;
  return at + 1;
}

bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

// Behind attributes as programs write them; null when they are not just so.
const char* skip_attributes(const char* at, const char* end) {
  while (at < end && *at == ' ') {
    const char* const name = ++at;
    while (at < end && is_letter(*at)) ++at;
    if (at == name || !matches_at(at, end, "=\"")) return nullptr;
    for (at += 2; at < end && *at != '"'; ++at)
      if (*at == '<' || *at == '&') return nullptr;
    if (at++ >= end) return nullptr;
  }
  return at < end ? at : nullptr;
}

// Behind a formula without references; formulas are not read.
const char* skip_formula(const char* at, const char* end) {
  at = skip_attributes(at + 2, end);
  if (at == nullptr) return nullptr;
  if (*at == '/') return matches_at(at, end, "/>") ? at + 2 : nullptr;
  if (*at != '>') return nullptr;
  for (; at < end && *at != '<'; ++at)
    if (*at == '&') return nullptr;
  return matches_at(at, end, "</f>") ? at + 4 : nullptr;
}

}  // namespace

void CellScanner::begin_row(std::string_view prefix, std::string_view row_digits) {
  row_end_bytes_ = row_digits.size() < sizeof row_end_ ? static_cast<unsigned>(row_digits.size()) + 1 : 0;
  char word[sizeof row_end_] = {};
  char mask[sizeof row_end_] = {};
  if (row_end_bytes_ > 0) {
    row_digits.copy(word, row_digits.size());
    word[row_digits.size()] = '"';
    std::memset(mask, 0xFF, row_end_bytes_);
  }
  std::memcpy(&row_end_, word, sizeof word);
  std::memcpy(&row_end_mask_, mask, sizeof mask);
  if (prefix == prefix_) return;
  prefix_ = prefix;
  const auto open = [&](std::string_view name) { return "<" + prefix_ + std::string(name); };
  const auto close = [&](std::string_view name) { return "</" + prefix_ + std::string(name) + ">"; };
  prefixed_ = {
      open("c"), open("v>"), close("v") + close("c"), open("is>") + open("t"), close("t") + close("is") + close("c"),
      close("c")};
}

const char* CellScanner::scan_reference(const char* at, std::uint32_t& column) const {
  std::uint32_t value = 0;
  const char* const begin = at;
  for (; *at >= 'A' && *at <= 'Z' && at - begin < 3; ++at)
    value = value * 26 + static_cast<std::uint32_t>(*at - 'A' + 1);
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  if (at == begin || (word & row_end_mask_) != row_end_ || row_end_bytes_ == 0) return nullptr;
  column = value - 1;
  return at + row_end_bytes_;
}

// From behind the tag's name to its > or />.
const char* CellScanner::scan_attributes(const char* at, CellHead& head) const {
  unsigned seen = 0;
  while (*at == ' ') {
    const char name = at[1];
    if (at[2] != '=' || at[3] != '"') return nullptr;
    at += 4;
    const unsigned bit = name == 'r' ? 1 : name == 's' ? 2 : name == 't' ? 4 : 0;
    if (bit == 0 || (seen & bit) != 0) return nullptr;
    seen |= bit;
    at = bit == 1 ? scan_reference(at, head.column) : bit == 2 ? scan_style(at, head.style) : scan_type(at, head.type);
    if (at == nullptr) return nullptr;
  }
  return at;
}

template <class Tags>
const char* CellScanner::scan_value(const Tags& tags, const char* at, const char* end, ScannedCell& cell) {
  if (cell.head.type == CellType::inline_text) {
    const PlainElement found = plain_text_element(at, end, tags.inline_text, tags.inline_end);
    cell.value = found.text;
    cell.escaped = found.escaped;
    return found.end;
  }
  if (tags.cell.size() == 2 && at[0] == '<' && at[1] == 'f') {
    at = skip_formula(at, end);
    if (at == nullptr) return nullptr;
  }
  if (!matches_at(at, end, tags.value)) return nullptr;
  const char* const begin = at += tags.value.size();
  cell.escaped = false;
  cell.whole = false;
  if (cell.head.type == CellType::text) {
    for (; at < end && *at != '<'; ++at) {
      if (*at == '&' || *at == '\r') return nullptr;
      cell.escaped |= *at == '_';
    }
  } else {
    std::uint64_t number = 0;
    for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<std::uint64_t>(*at - '0');
    cell.whole = *at == '<' && at - begin <= kMostWholeDigits;
    cell.number = number;
    while (*at > ' ' && *at != '<' && *at != '&' && *at != '_') ++at;
  }
  if (!matches_at(at, end, tags.value_end)) return nullptr;
  cell.value = {begin, static_cast<std::size_t>(at - begin)};
  return at + tags.value_end.size();
}

template <class Tags>
const char* CellScanner::scan_with(const Tags& tags, const char* at, const char* end, std::uint32_t next_column,
                                   ScannedCell& cell) const {
  if (!matches_at(at, end, tags.cell)) return nullptr;
  cell.head = {next_column};
  at = scan_attributes(at + tags.cell.size(), cell.head);
  if (at == nullptr) return nullptr;
  if (*at == '/' && at[1] == '>' && at + 2 <= end) {
    cell.value = {};
    return at + 2;
  }
  if (*at != '>') return nullptr;
  return scan_value(tags, at + 1, end, cell);
}

template const char* CellScanner::scan_with(const PlainTags&, const char*, const char*, std::uint32_t,
                                            ScannedCell&) const;
template const char* CellScanner::scan_with(const PrefixedTags&, const char*, const char*, std::uint32_t,
                                            ScannedCell&) const;

}  // namespace lade::xlsx
