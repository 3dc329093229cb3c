#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lade::drafting {

// A definition as a proposal to people: what the machine found, and why, as comments beside it.
struct DraftColumn {
  std::string name;
  std::string from;
  std::vector<std::pair<std::string, std::string>> settings;  // key, and value as YAML; see yaml_text(), yaml_list()
  std::vector<std::string> comments;
};

struct Draft {
  std::string slug;
  std::string table;
  std::vector<std::string> comments;                        // on the whole
  std::vector<std::pair<std::string, std::string>> source;  // as settings of columns
  std::vector<DraftColumn> columns;
  std::vector<std::string> key;  // columns; none: rows are appended
  std::vector<std::string> key_comments;
  bool reject_duplicates = false;
};

// The YAML of a definition that parse_definition() accepts.
std::string to_yaml(const Draft& draft);

// A text as YAML writes it: plain where that is safe, else in double quotes.
std::string yaml_text(const std::string& text);
std::string yaml_list(const std::vector<std::string>& texts);

// Gives every column a name of its own, made from its header.
void name_columns(Draft& draft);

}  // namespace lade::drafting
