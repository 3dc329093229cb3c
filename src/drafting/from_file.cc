#include "drafting/from_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "definition/header_name.h"

namespace lade::drafting {
namespace {

using source::ColumnEvidence;
using source::TypeReading;

// A column with so few values that each comes this often may be a list of them.
constexpr std::int64_t kTimesEach = 5;
constexpr std::size_t kMostShown = 40;

std::string shortened(const std::string& text) {
  if (text.size() <= kMostShown) return text;
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string shown(const TypeReading& reading) {
  std::string text = "type: " + yaml_text(reading.type);
  if (!reading.locale.empty()) text += ", locale: " + reading.locale;
  if (!reading.format.empty()) text += ", format: " + yaml_text(reading.format);
  return text;
}

// Blank cells, different values, examples: what people check first.
std::string counts(const ColumnEvidence& column) {
  std::string text;
  if (column.cells == 0) return "no cells";
  text = column.blank == 0 ? "never blank" : fmt::format("{} of {} blank", column.blank, column.cells);
  if (column.unique && column.blank < column.cells) {
    text += ", all different";
  } else if (column.distinct > 0) {
    text += fmt::format(", {} different", column.distinct);
  }
  std::vector<std::string> samples;
  for (const std::string& sample : column.samples)
    if (samples.size() < 3) samples.push_back(shortened(sample));
  if (!samples.empty()) text += fmt::format(", such as {}", fmt::join(samples, " | "));
  return text;
}

void add_reading(DraftColumn& draft, const TypeReading& reading) {
  draft.settings.emplace_back("type", yaml_text(reading.type));
  if (!reading.locale.empty()) draft.settings.emplace_back("locale", reading.locale);
  if (!reading.format.empty()) draft.settings.emplace_back("format", yaml_text(reading.format));
  if (!reading.evidence.empty()) draft.comments.push_back(reading.evidence);
}

DraftColumn draft_of(const ColumnEvidence& column) {
  DraftColumn draft;
  draft.from = column.name;
  draft.comments.push_back(counts(column));
  if (column.ambiguous) {
    std::vector<std::string> readings;
    for (const TypeReading& reading : column.readings) readings.push_back(shown(reading));
    draft.comments.push_back(fmt::format("decide: {}", fmt::join(readings, "; or ")));
  } else if (!column.readings.empty()) {
    add_reading(draft, column.readings.front());
    for (std::size_t i = 1; i < column.readings.size(); ++i)
      draft.comments.push_back("or " + shown(column.readings[i]));
  } else if (!column.values.empty() && column.cells - column.blank >= kTimesEach * column.distinct) {
    draft.comments.push_back("perhaps values: " + yaml_list(column.values));
  }
  if (!column.note.empty()) draft.comments.push_back(column.note);
  if (!column.null_words.empty()) draft.settings.emplace_back("null_values", yaml_list(column.null_words));
  return draft;
}

// A key is never blank and never repeats. Of several the one that calls itself so.
void choose_key(Draft& draft, const std::vector<ColumnEvidence>& columns) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].unique && columns[i].blank == 0 && columns[i].cells > 0 && columns[i].null_words.empty())
      candidates.push_back(i);
  if (candidates.empty()) {
    draft.key_comments.emplace_back(
        "no column is filled and different in every row: name a key, or rows are only added");
    return;
  }
  const auto names_itself = [&](std::size_t i) {
    const auto words = definition::name_words(columns[i].name);
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
      return word == "identifier" || word == "code" || word == "number" || word == "key";
    });
  };
  std::stable_partition(candidates.begin(), candidates.end(), names_itself);
  DraftColumn& chosen = draft.columns[candidates.front()];
  draft.key = {chosen.name};
  chosen.settings.emplace_back("required", "true");
  std::vector<std::string> names;
  for (const std::size_t i : candidates) names.push_back(draft.columns[i].name);
  draft.key_comments.push_back(fmt::format(
      "filled and different in every row: {}; the table needs a unique index on the key", fmt::join(names, ", ")));
}

std::string plain_stem(const std::string& name) {
  std::filesystem::path path(name);
  for (int i = 0; i < 3 && path.has_extension(); ++i) path = path.stem();
  return definition::plain_name(path.filename().string());
}

}  // namespace

Draft draft_from_file(const source::Input& input, const source::Layout& layout,
                      const std::vector<ColumnEvidence>& columns, const std::string& table) {
  Draft draft;
  draft.slug = plain_stem(input.name);
  draft.table = table.empty() ? draft.slug : table;
  draft.comments.push_back(
      fmt::format("Drafted by lade from {}, {} rows: read it, decide what it leaves open, and check "
                  "it with lade definitions validate.",
                  std::filesystem::path(input.name).filename().string(), columns.empty() ? 0 : columns.front().cells));
  if (layout.data_line == 1) draft.source.emplace_back("header_row", "0");
  for (const ColumnEvidence& column : columns) draft.columns.push_back(draft_of(column));
  name_columns(draft);
  choose_key(draft, columns);
  return draft;
}

}  // namespace lade::drafting
