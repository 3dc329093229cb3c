#include "jobs/check_manifest.h"

#include <fmt/format.h>

#include "definition/parse.h"
#include "jobs/manifest.h"
#include "source/input.h"
#include "steps/fetch_rules.h"

namespace lade::jobs {
namespace {

constexpr std::size_t kLooked = 10;
constexpr std::string_view kEnough = "looked_at_enough";  // ends the reading; nobody gets to see it

// Whether one of the first rows names a page that can be asked for; `why` is what is wrong with the first one.
bool has_address(const std::vector<store::NewPage>& pages, std::string& why) {
  for (std::size_t i = 0; i < std::min(kLooked, pages.size()); ++i) {
    if (pages[i].error.code.empty() || pages[i].error.code == "duplicate_url") return true;
    if (why.empty()) why = pages[i].error.message;
  }
  return false;
}

}  // namespace

Result<void> check_manifest(const storage::Storage& storage, const store::FileRecord& file,
                            const store::StoredDefinition& stored, const ImportOptions& options) {
  const definition::Definition definition = definition::parse_definition(stored.source_text).definition;
  if (!steps::fetches_pages(definition)) return {};
  LADE_ASSIGN(File opened, storage.read(file.stored_as(), static_cast<std::uint64_t>(file.bytes)));
  LADE_ASSIGN(const source::Input input,
              source::as_input(std::move(opened), file.name, options.scratch(), options.max_bytes));
  LADE_ASSIGN(const Manifest manifest, read_manifest(input, definition));
  bool found = false;
  std::string why;
  const auto read = read_pages(manifest, "", {}, [&](const std::vector<store::NewPage>& pages) -> Result<void> {
    found = has_address(pages, why);
    return fail(Error{std::string(kEnough), ""});
  });
  if (!read && read.error().code != kEnough) return fail(read.error());
  if (found) return {};
  return fail("manifest_ingest_failed",
              fmt::format("none of the first {} rows of {} names a page: {}", kLooked, file.name, why),
              "is it the right column?", ErrorKind::invalid);
}

}  // namespace lade::jobs
