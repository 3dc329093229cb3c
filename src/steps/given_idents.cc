#include "steps/given_idents.h"

#include <fmt/format.h>

#include <algorithm>

namespace lade::steps {
namespace {

bool is_part(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// The parts of a hierarchical identifier joined; empty: none is given. Nullopt: something is wrong.
std::optional<std::string> joined_parts(const IdentColumns& type, analysis::StepRows& rows, std::size_t row) {
  std::vector<int> missing, odd;
  std::string text;
  std::size_t given = 0;
  for (const int column : type.columns) {
    if (!rows.has_value(column, row)) {
      missing.push_back(column);
      continue;
    }
    ++given;
    if (!is_part(rows.text(column, row))) odd.push_back(column);
    text += (text.empty() ? "" : ".") + std::string(rows.text(column, row));
  }
  if (given == 0) return "";
  if (!missing.empty())
    rows.error(row, missing, "identifier_incomplete", fmt::format("a part of {} is blank", type.type.code),
               "fill in all parts, or none");
  if (!odd.empty())
    rows.error(row, odd, "identifier_characters", fmt::format("not a part of {}", type.type.code),
               "use letters, digits and underscores");
  if (!missing.empty() || !odd.empty()) return std::nullopt;
  return text;
}

}  // namespace

std::vector<IdentColumns> ident_columns(const std::vector<IdentType>& types, const analysis::Program& program,
                                        std::string_view prefix) {
  std::vector<IdentColumns> columns;
  for (const IdentType& type : types) {
    IdentColumns& found = columns.emplace_back(IdentColumns{type, {}});
    for (const std::string& name : type.columns(prefix)) found.columns.push_back(analysis::column_named(program, name));
  }
  return columns;
}

Result<GivenIdents> GivenIdents::read(std::span<const IdentColumns> types, const IdentMap& map,
                                      analysis::StepRows& rows) {
  GivenIdents given;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    given.begin_.push_back(given.all_.size());
    bool usable = true;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const IdentColumns& type = types[i];
      const int column = type.columns.front();
      if (type.type.is_plain()) {
        usable = usable && rows.state(column, row) != analysis::CellState::bad;
        if (rows.has_value(column, row)) given.all_.push_back({i, rows.text(column, row)});
        continue;
      }
      const auto text = joined_parts(type, rows, row);
      usable = usable && text.has_value();
      if (text && !text->empty()) given.all_.push_back({i, rows.keep_text(*text)});
    }
    given.usable_.push_back(usable);
  }
  given.begin_.push_back(given.all_.size());
  std::vector<Ident> idents;
  idents.reserve(given.all_.size());
  for (const GivenIdent& ident : given.all_) idents.push_back({types[ident.type].type.id, ident.text});
  LADE_ASSIGN(const auto units, map.find(idents, rows.connection()));
  for (std::size_t i = 0; i < units.size(); ++i) given.all_[i].unit = units[i];
  return given;
}

std::vector<int> all_columns(std::span<const IdentColumns> types) {
  std::vector<int> columns;
  for (const IdentColumns& type : types) columns.insert(columns.end(), type.columns.begin(), type.columns.end());
  return columns;
}

std::vector<int> columns_given(std::span<const IdentColumns> types, std::span<const GivenIdent> given) {
  std::vector<int> columns;
  for (const GivenIdent& ident : given)
    columns.insert(columns.end(), types[ident.type].columns.begin(), types[ident.type].columns.end());
  return columns;
}

}  // namespace lade::steps
