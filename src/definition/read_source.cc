#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::string_view kKeys[] = {"format",    "sheet",   "merged",     "delimiter",  "quote",
                                      "escape",    "comment", "encoding",   "header_row", "header",
                                      "skip_rows", "ragged",  "null_values"};
constexpr std::int64_t kMaxRows = 1'000'000;
constexpr std::size_t kMaxSheetBytes = 255;

constexpr std::pair<std::string_view, char> kCharacterNames[] = {
    {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}, {"space", ' '}};

// One ASCII character, itself or by name.
std::optional<char> read_character(const Node& node, std::string_view label, Faults& faults) {
  const auto text = read_text(node, label, faults);
  if (!text) return std::nullopt;
  for (const auto& [name, character] : kCharacterNames)
    if (name == *text) return character;
  const bool usable = text->size() == 1 && static_cast<unsigned char>(text->front()) < 0x80 && *text != "\n" &&
                      *text != "\r" && text->front() != '\0';
  if (usable) return text->front();
  faults.error(node.place, "definition_bad_value",
               fmt::format("{}: {} is not accepted; expected one ASCII character other than a line end, or one of "
                           "comma, semicolon, tab, pipe, space",
                           label, in_quotes(*text)));
  return std::nullopt;
}

void read_format(const Node& node, Source& source, Faults& faults) {
  constexpr std::string_view kLaterFormats[] = {"xls", "ods", "json", "ndjson", "parquet", "xml", "fixed"};
  const auto format = read_text(node, "source.format", faults);
  if (!format) return;
  if (*format == "csv" || *format == "xlsx") {
    source.format = *format;
    return;
  }
  if (std::find(std::begin(kLaterFormats), std::end(kLaterFormats), *format) != std::end(kLaterFormats))
    return report_unsupported(node.place, "source.format", {*format, "save the file as csv or xlsx"}, faults);
  faults.error(node.place, "definition_bad_value",
               fmt::format("source.format: {} is not accepted; expected csv or xlsx", in_quotes(*format)));
}

void read_encoding(const Node& node, Source& source, Faults& faults) {
  const auto encoding = read_text(node, "source.encoding", faults);
  if (!encoding) return;
  if (!RE2::FullMatch(*encoding, "[A-Za-z0-9_.:-]{1,40}")) {
    faults.error(node.place, "definition_bad_value",
                 fmt::format("source.encoding: {} is not accepted; expected a name such as utf-8 or windows-1252",
                             in_quotes(*encoding)));
    return;
  }
  source.encoding = RE2::FullMatch(*encoding, "(?i)utf-?8") ? "utf-8" : *encoding;
}

void read_sheet(const Node& node, Source& source, Faults& faults) {
  const auto sheet = read_text(node, "source.sheet", faults);
  if (!sheet) return;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  const bool usable = !sheet->empty() && sheet->size() <= kMaxSheetBytes && *sheet != "0" &&
                      std::none_of(sheet->begin(), sheet->end(), is_control);
  if (usable) {
    source.sheet = *sheet;
    return;
  }
  faults.error(node.place, "definition_bad_value",
               fmt::format("source.sheet: {} is not accepted; expected a sheet's name, or its place from 1 on",
                           in_quotes(*sheet)));
}

void read_characters(const Node& node, Source& source, Faults& faults) {
  if (const Node* delimiter = node.find("delimiter"))
    source.delimiter = read_character(*delimiter, "source.delimiter", faults);
  if (const Node* quote = node.find("quote")) {
    source.no_quote = quote->is_scalar() && quote->text == "none";
    if (!source.no_quote) source.quote = read_character(*quote, "source.quote", faults);
  }
  if (const Node* escape = node.find("escape")) source.escape = read_character(*escape, "source.escape", faults);
  if (const Node* comment = node.find("comment")) source.comment = read_character(*comment, "source.comment", faults);
  const auto clash = [&](std::string_view key, std::string_view other) {
    faults.error(node.find(key)->place, "definition_bad_value",
                 fmt::format("source.{}: is the same character as {}", key, other));
  };
  if (source.quote && source.quote == source.delimiter.value_or(',')) clash("quote", "the delimiter");
  if (source.escape && source.escape == source.delimiter.value_or(',')) clash("escape", "the delimiter");
  if (source.comment && source.comment == source.delimiter.value_or(',')) clash("comment", "the delimiter");
  if (source.comment && !source.no_quote && source.comment == source.quote.value_or('"')) clash("comment", "the quote");
}

void read_header(const Node& node, Source& source, Faults& faults) {
  if (const Node* row = node.find("header_row")) {
    if (const auto value = read_integer(*row, "source.header_row", 0, kMaxRows, faults))
      source.header_row = static_cast<int>(*value);
  }
  if (const Node* rows = node.find("skip_rows")) {
    if (const auto value = read_integer(*rows, "source.skip_rows", 0, kMaxRows, faults))
      source.skip_rows = static_cast<int>(*value);
  }
  if (const Node* header = node.find("header")) {
    source.header = read_texts(*header, "source.header", faults);
    if (source.header_row != 0)
      faults.error(header->place, "definition_bad_value",
                   "source.header: names the columns of a file without a header; say header_row: 0 as well");
  }
}

// What a format that is given makes pointless.
void check_effect(const Node& node, const Source& source, Faults& faults) {
  constexpr std::string_view kOfWorkbooks[] = {"sheet", "merged"};
  constexpr std::string_view kOfText[] = {"delimiter", "quote", "escape", "comment", "encoding"};
  const auto warn = [&](std::string_view key, std::string_view format) {
    if (const Node* found = node.find(key))
      faults.warning(found->place, "definition_no_effect",
                     fmt::format("source.{}: has no effect on format {}; it is for {}", key, source.format, format));
  };
  if (source.format == "csv")
    for (const std::string_view key : kOfWorkbooks) warn(key, "xlsx");
  if (source.format == "xlsx")
    for (const std::string_view key : kOfText) warn(key, "csv");
}

}  // namespace

Source read_source(const Node& node, Faults& faults, Source source) {
  if (!check_map(node, "source", kKeys, {}, faults)) return source;
  if (const Node* format = node.find("format")) read_format(*format, source, faults);
  if (const Node* encoding = node.find("encoding")) read_encoding(*encoding, source, faults);
  if (const Node* sheet = node.find("sheet")) read_sheet(*sheet, source, faults);
  read_choice_of(node, "merged", "source", source.merged, faults);
  read_characters(node, source, faults);
  read_header(node, source, faults);
  read_choice_of(node, "ragged", "source", source.ragged, faults);
  if (const Node* words = node.find("null_values"))
    source.null_values = read_null_values(*words, "source.null_values", faults);
  check_effect(node, source, faults);
  return source;
}

}  // namespace lade::definition
