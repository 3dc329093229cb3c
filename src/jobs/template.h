#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "definition/definition.h"

// An empty file for people to fill in: what a definition reads, with a sample row.
namespace lade::jobs {

struct TemplateColumn {
  std::string name;
  std::string about;  // type, format, limits; what a lookup refers to
  std::vector<std::string> choices;
  std::string sample;
  bool typed = false;  // no text
  bool required = false;
};

// The columns that the definition reads from a file, in its order.
std::vector<TemplateColumn> template_columns(const definition::Definition& definition);

// As a workbook ("xlsx": with comments and drop-down lists; `folder` takes short-lived files) or as "csv" in the
// dialect of the definition. Refuses other formats with option_invalid.
Result<void> write_template(const definition::Definition& definition, std::string_view format,
                            const std::filesystem::path& folder, ByteSink& to);

}  // namespace lade::jobs
