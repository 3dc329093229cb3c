#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::api {

// What a manifest says about files of one name.
struct ManifestEntry {
  std::string type;        // as written: ap, budgetForecast
  std::string definition;  // the slug of the type: budget_forecast, unless the entry names another
  std::string sheet;       // empty: the first with cells
};

// import-manifest.json: which definition files of which name follow, e.g.
//   {"Accounts-Payable.xlsx": {"type": "ap", "sheetName": "AP Data"}}
class Manifest {
 public:
  // No such file is an empty manifest. Refuses with manifest_invalid, naming the entry.
  static Result<Manifest> read(const std::filesystem::path& path);
  static Result<Manifest> parse(std::string_view text, std::string_view name);

  const ManifestEntry* find(std::string_view file_name) const;
  // The names that it knows, for messages.
  std::string names() const;

 private:
  std::map<std::string, ManifestEntry, std::less<>> entries_;
};

// The name of a file in an import folder: a plain name, not hidden, without "..". Refuses with filename_invalid.
Result<void> check_file_name(std::string_view name);

}  // namespace lade::api
