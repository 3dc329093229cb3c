#include "cli/packs.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "base/nearest.h"
#include "definition/faults.h"
#include "definition/node.h"

namespace lade::cli {

// Every file below packs/, by its path there; made by the build.
std::span<const std::pair<std::string_view, std::string_view>> pack_files();

namespace {

constexpr std::string_view kManifest = "/pack.yaml";

// The manifests are part of the program, and packs_test reads them all.
const definition::Node& required(const definition::Node& manifest, std::string_view key) {
  const definition::Node* node = manifest.find(key);
  LADE_ASSERT(node != nullptr);
  return *node;
}

Pack read_manifest(std::string_view text) {
  definition::Faults faults;
  const auto manifest = definition::read_yaml(text, faults);
  LADE_ASSERT(manifest && manifest->is_map());
  Pack pack;
  pack.slug = required(*manifest, "pack").text;
  pack.name = required(*manifest, "name").text;
  pack.note = required(*manifest, "note").text;
  const definition::Node& schema = required(*manifest, "schema");
  pack.sqlite_schema = required(schema, "sqlite").text;
  pack.postgresql_schema = required(schema, "postgresql").text;
  for (const definition::Node& path : required(*manifest, "definitions").items) pack.definitions.push_back(path.text);
  const definition::Node& references = required(*manifest, "reference");
  for (std::size_t at = 0; at < references.size(); ++at)
    pack.references.emplace_back(references.key(at).text, references.value(at).text);
  return pack;
}

}  // namespace

std::string_view Pack::text(std::string_view path) const {
  const std::string whole = fmt::format("{}/{}", slug, path);
  for (const auto& [candidate, text] : pack_files())
    if (candidate == whole) return text;
  return {};
}

std::vector<std::string_view> Pack::paths() const {
  std::vector<std::string_view> paths;
  const std::string folder = slug + "/";
  for (const auto& [path, text] : pack_files())
    if (path.starts_with(folder)) paths.push_back(path.substr(folder.size()));
  return paths;
}

std::vector<Pack> packs() {
  std::vector<Pack> all;
  for (const auto& [path, text] : pack_files())
    if (path.ends_with(kManifest)) all.push_back(read_manifest(text));
  return all;
}

Result<Pack> find_pack(const std::string& slug) {
  std::vector<std::string> slugs;
  for (Pack& pack : packs()) {
    if (pack.slug == slug) return std::move(pack);
    slugs.push_back(pack.slug);
  }
  const std::string_view near = nearest(slug, slugs);
  return fail(
      "pack_not_found", fmt::format("there is no pack '{}'", slug),
      near.empty() ? fmt::format("there are {}", fmt::join(slugs, ", ")) : fmt::format("did you mean {}?", near),
      ErrorKind::invalid);
}

std::vector<std::string> tables_of(std::string_view schema) {
  constexpr std::string_view kCreate = "CREATE TABLE IF NOT EXISTS ";
  std::vector<std::string> tables;
  for (std::size_t at = schema.find(kCreate); at != std::string_view::npos; at = schema.find(kCreate, at)) {
    at += kCreate.size();
    tables.emplace_back(schema.substr(at, schema.find_first_of(" (\n", at) - at));
  }
  return tables;
}

}  // namespace lade::cli
