#include "jobs/template.h"

#include <fmt/format.h>

#include <algorithm>

#include "csv/writer.h"
#include "xlsx/writer.h"

namespace lade::jobs {
namespace {

using definition::DataColumn;
using definition::TypeKind;

// A moment in a pattern of analysis::DateFormat: 2026-01-31 13:45:00.
std::string sample_moment(std::string_view pattern) {
  static constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {"YYYY", "2026"}, {"MMMM", "January"}, {"MMM", "Jan"}, {"YY", "26"}, {"MM", "01"}, {"M", "1"},   {"DD", "31"},
      {"D", "31"},      {"HH", "13"},        {"H", "13"},    {"hh", "01"}, {"h", "1"},   {"mm", "45"}, {"m", "45"},
      {"ss", "00"},     {"s", "0"},          {"S", "0"},     {"a", "pm"},  {"Z", "Z"}};
  std::string text;
  while (!pattern.empty()) {
    if (pattern.front() == '\'') {
      const std::size_t end = std::min(pattern.find('\'', 1), pattern.size() - 1);
      text.append(pattern.substr(1, end - 1));
      pattern.remove_prefix(end + 1);
      continue;
    }
    const auto part = std::ranges::find_if(kParts, [&](const auto& one) { return pattern.starts_with(one.first); });
    text.append(part == std::end(kParts) ? pattern.substr(0, 1) : part->second);
    pattern.remove_prefix(part == std::end(kParts) ? 1 : part->first.size());
  }
  return text;
}

std::string first_of(std::string_view words, std::string_view separators) {
  return std::string(words.substr(0, words.find_first_of(separators)));
}

std::string sample_text(const DataColumn& column) {
  if (!column.pattern.empty()) return {};
  std::string text = "text";
  if (column.min_length)
    text.resize(std::max<std::size_t>(text.size(), static_cast<std::size_t>(*column.min_length)), 'x');
  if (column.max_length) text.resize(std::min<std::size_t>(text.size(), static_cast<std::size_t>(*column.max_length)));
  return text;
}

std::string sample_of(const DataColumn& column) {
  if (!column.values.empty()) return column.values.front().first;
  if (column.default_value) return *column.default_value;
  const std::string format = column.formats.empty() || column.formats.front() == "iso" ? "" : column.formats.front();
  const bool excel = format.starts_with("excel");
  switch (column.type.kind) {
    case TypeKind::text: return sample_text(column);
    case TypeKind::integer:
    case TypeKind::decimal: return column.min.value_or("1");
    case TypeKind::boolean: return format.empty() ? "yes" : first_of(format, "/,");
    case TypeKind::date: return excel ? "46053" : sample_moment(format.empty() ? "YYYY-MM-DD" : format);
    case TypeKind::timestamp: return excel ? "46053.5" : sample_moment(format.empty() ? "YYYY-MM-DD HH:mm:ss" : format);
    case TypeKind::uuid: return "00000000-0000-4000-8000-000000000001";
    case TypeKind::json: return "{}";
  }
  return {};
}

// One fact a line.
std::string about(const DataColumn& column, const definition::Definition& definition) {
  std::vector<std::string> lines{column.required ? "required" : "may be blank"};
  if (column.type.kind != TypeKind::text) lines.push_back(definition::to_string(column.type));
  if (!column.formats.empty()) lines.push_back(fmt::format("written {}", fmt::join(column.formats, " or ")));
  if (!column.locale.empty()) lines.push_back("as in " + column.locale);
  if (column.min_length) lines.push_back(fmt::format("at least {} characters", *column.min_length));
  if (column.max_length) lines.push_back(fmt::format("at most {} characters", *column.max_length));
  if (column.min) lines.push_back("from " + *column.min);
  if (column.max) lines.push_back("to " + *column.max);
  if (!column.pattern.empty()) lines.push_back("matches " + column.pattern);
  for (const DataColumn& other : definition.columns)
    if (other.lookup)
      for (const auto& [data, stored] : other.lookup->match)
        if (data == column.name) lines.push_back(fmt::format("must be a {} of {}", stored, other.lookup->table));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Result<void> write_workbook(const std::vector<TemplateColumn>& columns, const std::filesystem::path& folder,
                            ByteSink& to) {
  std::vector<std::string> names;
  std::vector<xlsx::ColumnHint> hints;
  std::vector<xlsx::WrittenCell> sample;
  for (const TemplateColumn& column : columns) {
    names.push_back(column.name);
    hints.push_back({.comment = column.about, .choices = column.choices, .required = column.required});
    sample.push_back({column.sample, column.typed});
  }
  LADE_ASSIGN(xlsx::Writer writer, xlsx::Writer::create(folder, "data"));
  LADE_TRY(writer.header(names, hints));
  LADE_TRY(writer.row(sample));
  return writer.finish(to);
}

Result<void> write_csv(const std::vector<TemplateColumn>& columns, const definition::Source& source, ByteSink& to) {
  csv::Dialect dialect;
  dialect.delimiter = source.delimiter.value_or(',');
  dialect.quote = dialect.escape = source.quote.value_or('"');
  std::vector<std::string_view> names, sample;
  for (const TemplateColumn& column : columns) {
    names.push_back(column.name);
    sample.push_back(column.sample);
  }
  std::string text;
  csv::append_record(text, names, dialect);
  csv::append_record(text, sample, dialect);
  return to.write(text);
}

}  // namespace

std::vector<TemplateColumn> template_columns(const definition::Definition& definition) {
  std::vector<TemplateColumn> columns;
  for (const DataColumn& column : definition.columns) {
    if (column.from.empty()) continue;
    TemplateColumn one{.name = column.from.front(),
                       .about = about(column, definition),
                       .sample = sample_of(column),
                       .typed = column.type.kind != TypeKind::text,
                       .required = column.required};
    for (const auto& [cell, text] : column.values) one.choices.push_back(cell);
    columns.push_back(std::move(one));
  }
  return columns;
}

Result<void> write_template(const definition::Definition& definition, std::string_view format,
                            const std::filesystem::path& folder, ByteSink& to) {
  const std::vector<TemplateColumn> columns = template_columns(definition);
  if (format == "xlsx") return write_workbook(columns, folder, to);
  if (format == "csv") return write_csv(columns, definition.source, to);
  return fail("option_invalid", fmt::format("a template of the format '{}' is not known; csv and xlsx are", format), {},
              ErrorKind::usage);
}

}  // namespace lade::jobs
