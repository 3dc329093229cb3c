#include <fmt/format.h>

#include <algorithm>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::string_view kKeys[] = {"format",     "delimiter", "quote",     "escape", "encoding",
                                      "header_row", "header",    "skip_rows", "ragged"};
constexpr Later kLater[] = {{"sheet", "export the sheet as CSV"}};
constexpr std::int64_t kMaxRows = 1'000'000;

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
  constexpr std::string_view kLaterFormats[] = {"xlsx", "xls", "ods", "json", "ndjson", "parquet", "xml", "fixed"};
  const auto format = read_text(node, "source.format", faults);
  if (!format || *format == source.format) return;
  if (std::find(std::begin(kLaterFormats), std::end(kLaterFormats), *format) != std::end(kLaterFormats))
    return report_unsupported(node.place, "source.format", {*format, "export the file as csv"}, faults);
  faults.error(node.place, "definition_bad_value",
               fmt::format("source.format: {} is not accepted; expected csv", in_quotes(*format)));
}

void read_encoding(const Node& node, Source& source, Faults& faults) {
  auto encoding = read_text(node, "source.encoding", faults);
  if (!encoding) return;
  std::string folded = *encoding;
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (folded == "utf-8" || folded == "utf8")
    source.encoding = "utf-8";
  else
    report_unsupported(node.place, "source.encoding", {*encoding, "convert the file to utf-8"}, faults);
}

void read_characters(const Node& node, Source& source, Faults& faults) {
  if (const Node* delimiter = node.find("delimiter"))
    source.delimiter = read_character(*delimiter, "source.delimiter", faults);
  if (const Node* quote = node.find("quote")) {
    source.no_quote = quote->is_scalar() && quote->text == "none";
    if (!source.no_quote) source.quote = read_character(*quote, "source.quote", faults);
  }
  if (const Node* escape = node.find("escape")) source.escape = read_character(*escape, "source.escape", faults);
  const auto clash = [&](std::string_view key, std::string_view other) {
    faults.error(node.find(key)->place, "definition_bad_value",
                 fmt::format("source.{}: is the same character as {}", key, other));
  };
  if (source.quote && source.quote == source.delimiter.value_or(',')) clash("quote", "the delimiter");
  if (source.escape && source.escape == source.delimiter.value_or(',')) clash("escape", "the delimiter");
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

}  // namespace

Source read_source(const Node& node, Faults& faults) {
  Source source;
  if (!check_map(node, "source", kKeys, kLater, faults)) return source;
  if (const Node* format = node.find("format")) read_format(*format, source, faults);
  if (const Node* encoding = node.find("encoding")) read_encoding(*encoding, source, faults);
  read_characters(node, source, faults);
  read_header(node, source, faults);
  read_choice_of(node, "ragged", "source", source.ragged, faults);
  return source;
}

}  // namespace lade::definition
