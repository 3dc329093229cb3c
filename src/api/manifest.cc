#include "api/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <vector>

#include "base/file.h"

namespace lade::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostBytes = 1024 * 1024;
constexpr std::size_t kLongestName = 255;

// budgetForecast → budget_forecast: definitions have slugs.
std::string slug_of(std::string_view type) {
  std::string slug;
  for (const char c : type) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !slug.empty() && slug.back() != '_') slug += '_';
    slug += capital ? static_cast<char>(c + 32) : c == '-' ? '_' : c;
  }
  return slug;
}

Error invalid(std::string_view name, std::string_view what) {
  return {"manifest_invalid", fmt::format("{}: {}", name, what),
          R"(an entry is written "File.xlsx": {"type": "ap", "sheetName": "AP Data"})", ErrorKind::invalid};
}

Result<ManifestEntry> read_entry(const json::value& value, std::string_view file, std::string_view name) {
  if (!value.is_object()) return fail(invalid(name, fmt::format("'{}' is no object", file)));
  ManifestEntry entry;
  for (const auto& [key, text] : value.get_object()) {
    const std::string_view member = key;
    std::string* const wanted = member == "type"                             ? &entry.type
                                : member == "definition"                     ? &entry.definition
                                : member == "sheetName" || member == "sheet" ? &entry.sheet
                                                                             : nullptr;
    if (wanted == nullptr)
      return fail(invalid(name, fmt::format("'{}' has '{}'; type, definition and sheetName are known", file, member)));
    if (!text.is_string()) return fail(invalid(name, fmt::format("'{}': {} is no text", file, member)));
    *wanted = text.get_string();
  }
  if (entry.type.empty() && entry.definition.empty())
    return fail(invalid(name, fmt::format("'{}' has neither type nor definition", file)));
  if (entry.definition.empty()) entry.definition = slug_of(entry.type);
  if (entry.type.empty()) entry.type = entry.definition;
  return entry;
}

}  // namespace

Result<Manifest> Manifest::read(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Manifest();
  LADE_ASSIGN(const File file, File::open(path));
  std::string text(kMostBytes + 1, '\0');
  LADE_ASSIGN(const std::size_t bytes, file.read_at(0, text));
  if (bytes > kMostBytes) return fail(invalid(path.string(), "more than 1 MiB"));
  return parse(std::string_view(text).substr(0, bytes), path.string());
}

Result<Manifest> Manifest::parse(std::string_view text, std::string_view name) {
  json::error_code error;
  const json::value value = json::parse(text, error);
  if (error) return fail(invalid(name, "no valid JSON: " + error.message()));
  if (!value.is_object()) return fail(invalid(name, "no JSON object"));
  Manifest manifest;
  for (const auto& [file, entry] : value.get_object()) {
    LADE_ASSIGN(manifest.entries_[std::string(file)], read_entry(entry, file, name));
  }
  return manifest;
}

const ManifestEntry* Manifest::find(std::string_view file_name) const {
  const auto found = entries_.find(file_name);
  return found == entries_.end() ? nullptr : &found->second;
}

std::string Manifest::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Result<void> check_file_name(std::string_view name) {
  const bool plain =
      !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
      name.find("..") == std::string_view::npos &&
      std::ranges::none_of(name, [](char c) { return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20; });
  if (plain) return {};
  return fail("filename_invalid", fmt::format("'{}' is no plain file name", name),
              "give the name alone, without folders or '..'", ErrorKind::usage);
}

}  // namespace lade::api
