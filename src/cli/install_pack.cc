#include "cli/install_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/id.h"
#include "base/whole_file.h"
#include "cli/settings.h"
#include "cli/site.h"
#include "jobs/expand.h"

namespace lade::cli {
namespace {

Result<void> make_tables(const Pack& pack, const CommonOptions& common, Installed& installed) {
  LADE_ASSIGN(const auto connection, open_or_create(common));
  const std::string& path = pack.schema(connection->backend());
  for (const std::string& table : tables_of(pack.text(path))) {
    LADE_ASSIGN(const auto found, connection->describe(table));
    (found ? installed.tables_kept : installed.tables_made).push_back(table);
  }
  LADE_ASSIGN(auto transaction, db::Transaction::begin(*connection));
  if (const auto done = connection->run(pack.text(path)); !done)
    return fail("pack_schema_refused",
                fmt::format("{}/{}: the database refuses it: {}", pack.slug, path, done.error().message),
                installed.tables_kept.empty()
                    ? done.error().hint
                    : fmt::format("these tables were there before, perhaps with other columns: {}; nothing was changed",
                                  fmt::join(installed.tables_kept, ", ")),
                ErrorKind::invalid);
  return transaction.commit();
}

Result<definition::Definition> parse_file(const Pack& pack, const std::string& path) {
  definition::Parsed parsed = jobs::read_definition(pack.text(path));
  if (!parsed.valid()) return fail(definition_faults(parsed, fmt::format("{}/{}", pack.slug, path)));
  return std::move(parsed.definition);
}

// A folder for files that an import can open, gone when it is left.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& data)
      : path_(std::filesystem::path(data) / fmt::format("pack-{}", new_uuid())) {}
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Result<std::filesystem::path> write(const std::filesystem::path& name, std::string_view text) const {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error)
      return fail("data_folder", fmt::format("{}: cannot create the folder: {}", path_.string(), error.message()),
                  "name another one with --data", ErrorKind::invalid);
    LADE_ASSIGN(const auto file, WholeFile::create(path_ / name));
    LADE_TRY(file->write(text));
    LADE_TRY(file->finish());
    return path_ / name;
  }

 private:
  const std::filesystem::path path_;
};

Result<jobs::Summary> import_reference(const Pack& pack, const std::string& file, const std::string& definition_file,
                                       const CommonOptions& common, const std::stop_token& stop) {
  LADE_ASSIGN(const definition::Definition definition, parse_file(pack, definition_file));
  const WorkFolder folder(common.data);
  LADE_ASSIGN(const std::filesystem::path path, folder.write(std::filesystem::path(file).filename(), pack.text(file)));
  jobs::ImportOptions options;
  options.database = db::limited_to(db::Access::write, common.database_url());
  LADE_TRY(set_place(common, options));
  options.user = current_user();
  jobs::Progress progress;
  LADE_ASSIGN(jobs::Summary summary,
              jobs::run_import(path, definition, std::string(pack.text(definition_file)), options, progress, stop));
  if (summary.outcome == "cancelled") return fail("cancelled", "stopped on request", "", ErrorKind::cancelled);
  if (jobs::exit_code(summary) != kOk)
    return fail("pack_reference_failed",
                fmt::format("{}/{}: {} of {} rows failed", pack.slug, file, summary.rows[model::Outcome::failed],
                            summary.rows.read),
                summary.error.code.empty() ? fmt::format("lade rows {} shows why", summary.job_id)
                                           : fmt::format("{}: {}", summary.error.code, summary.error.message));
  return summary;
}

}  // namespace

Result<Installed> install_pack(const Pack& pack, const CommonOptions& common, const std::stop_token& stop) {
  Installed installed;
  LADE_TRY(make_tables(pack, common, installed));
  for (const auto& [file, definition] : pack.references) {
    LADE_ASSIGN(jobs::Summary summary, import_reference(pack, file, definition, common, stop));
    installed.references.push_back({file, std::move(summary)});
  }
  const auto site = open_local_site(common);
  for (const std::string& path : pack.definitions) {
    LADE_ASSIGN(const definition::Definition definition, parse_file(pack, path));
    LADE_ASSIGN(store::StoredDefinition stored, site->save_definition(definition, std::string(pack.text(path))));
    installed.definitions.push_back(std::move(stored));
  }
  return installed;
}

}  // namespace lade::cli
