#include "xlsx/cell_scanner.h"

#include <cstring>

#include "xlsx/plain_element.h"

namespace lade::xlsx {
namespace {

// The attributes' values end with a quote: "s", "str" … → type; null when it is none.
const char* scan_type(const char* at, CellType& type) {
  static constexpr std::pair<std::string_view, CellType> kTypes[] = {
      {"s\"", CellType::shared},  {"n\"", CellType::number},
      {"str\"", CellType::text},  {"inlineStr\"", CellType::inline_text},
      {"b\"", CellType::boolean}, {"e\"", CellType::error},
      {"d\"", CellType::date}};
  for (const auto& [written, known] : kTypes) {
    if (std::memcmp(at, written.data(), written.size()) != 0) continue;
    type = known;
    return at + written.size();
  }
  return nullptr;
}

const char* scan_style(const char* at, std::uint32_t& style) {
  const char* const begin = at;
  std::uint32_t value = 0;
  for (; *at >= '0' && *at <= '9' && at - begin < 9; ++at) value = value * 10 + static_cast<std::uint32_t>(*at - '0');
  if (at == begin || *at != '"') return nullptr;
  style = value;
  return at + 1;
}

// Behind a formula without references; formulas are not read.
const char* skip_formula(const char* at, const char* end) {
  bool quoted = false;
  for (at += 2; at < end && (quoted || *at != '>'); ++at) {
    if (*at == '<' || *at == '\'' || *at == '&') return nullptr;
    quoted ^= *at == '"';
  }
  if (at >= end) return nullptr;
  if (at[-1] == '/') return at + 1;
  for (; at < end && *at != '<'; ++at) {
    if (*at == '&') return nullptr;
  }
  return matches_at(at, end, "</f>") ? at + 4 : nullptr;
}

}  // namespace

void CellScanner::begin_row(std::string_view prefix, std::string_view row_digits) {
  row_end_.assign(row_digits).push_back('"');
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
  if (at == begin || std::memcmp(at, row_end_.data(), row_end_.size()) != 0) return nullptr;
  column = value - 1;
  return at + row_end_.size();
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
  if (cell.head.type == CellType::text) {
    for (; at < end && *at != '<'; ++at) {
      if (*at == '&' || *at == '\r') return nullptr;
      cell.escaped |= *at == '_';
    }
  } else {
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
