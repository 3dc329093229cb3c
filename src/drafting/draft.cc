#include "drafting/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "definition/header_name.h"
#include "definition/utf8.h"

namespace lade::drafting {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Letters, digits and single spaces or underscores inside; nothing that YAML takes for something else.
bool is_plain(const std::string& text) {
  if (text.empty() || !is_letter(text.front()) || text.back() == ' ') return false;
  const bool safe = std::all_of(text.begin(), text.end(),
                                [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == ' '; });
  std::string lower = text;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  static const std::set<std::string> kWords = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  return safe && !kWords.contains(lower);
}

// Comments stay on one line and are text, whatever is in the file.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  while (const auto bad = definition::find_invalid_utf8(text)) text[*bad] = '?';
  return text;
}

// As JSON, which is YAML too, but for its escaped slashes.
std::string quoted(const std::string& text) {
  const std::string written = boost::json::serialize(boost::json::value(text));
  std::string yaml;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const bool escape = written[i] == '\\';
    if (!escape || written[i + 1] != '/') yaml.push_back(written[i]);
    if (escape) yaml.push_back(written[++i]);
  }
  return yaml;
}

std::string flow_map(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
  return "{" + text + "}";
}

void add_comments(std::string& yaml, const std::vector<std::string>& comments, std::string_view indent) {
  for (const std::string& comment : comments) yaml += fmt::format("{}# {}\n", indent, one_line(comment));
}

void add_column(std::string& yaml, const DraftColumn& column) {
  add_comments(yaml, column.comments, "  ");
  auto settings = column.settings;
  if (column.from != column.name) settings.insert(settings.begin(), {"from", yaml_text(column.from)});
  yaml += settings.empty() ? fmt::format("  {}:\n", column.name)
                           : fmt::format("  {}: {}\n", column.name, flow_map(settings));
}

}  // namespace

std::string yaml_text(const std::string& text) {
  return is_plain(text) ? text : quoted(text);
}

std::string yaml_list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(yaml_text(text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string to_yaml(const Draft& draft) {
  std::string yaml;
  add_comments(yaml, draft.comments, "");
  yaml += fmt::format("lade: 1\ndefinition: {}\n", yaml_text(draft.slug));
  if (!draft.source.empty()) yaml += fmt::format("source: {}\n", flow_map(draft.source));
  yaml += "columns:\n";
  for (const DraftColumn& column : draft.columns) add_column(yaml, column);
  yaml += "load:\n";
  add_comments(yaml, draft.key_comments, "  ");
  yaml += draft.key.empty() ? fmt::format("  - {{table: {}, strategy: append}}\n", yaml_text(draft.table))
                            : fmt::format("  - {{table: {}, key: {}}}\n", yaml_text(draft.table), yaml_list(draft.key));
  if (draft.reject_duplicates) yaml += "duplicates: reject\n";
  return yaml;
}

void name_columns(Draft& draft) {
  std::set<std::string> taken;
  for (DraftColumn& column : draft.columns) {
    const std::string plain = definition::plain_name(column.from);
    column.name = plain;
    for (int i = 2; !taken.insert(column.name).second; ++i) {
      const std::string number = fmt::format("_{}", i);
      column.name = plain.substr(0, 63 - number.size()) + number;
    }
  }
}

}  // namespace lade::drafting
