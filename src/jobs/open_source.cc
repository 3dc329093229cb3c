#include "jobs/open_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "definition/parse.h"
#include "jobs/pages.h"

namespace lade::jobs {
namespace {

Error file_changed(const LocalFile& file) {
  return {"file_changed", fmt::format("{}: the file was changed while it was being imported", file.path),
          "import it again", ErrorKind::invalid};
}

Result<File> open_local(const LocalFile& file) {
  LADE_ASSIGN(const LocalFile found, local_file(file.path));
  if (found.bytes != file.bytes || found.modified != file.modified) return fail(file_changed(file));
  return File::open(file.path);
}

Result<File> open_stored(db::Connection& connection, const store::JobRecord& job, const storage::Storage& storage) {
  LADE_ASSIGN(const auto file, store::find_file(connection, job.file_id));
  if (!file)
    return fail("file_gone", fmt::format("the file of job {} was removed from the storage", job.slug),
                "import it again", ErrorKind::invalid);
  return storage.read(file->stored_as(), static_cast<std::uint64_t>(file->bytes));
}

// It was found to be its own records when the job was planned.
bool is_plain(const Plan& plan) {
  const source::Origin& origin = plan.layout.origin;
  return !plan.layout.header.empty() && origin.format == "csv" && origin.encoding == "utf-8" &&
         origin.compression.empty();
}

}  // namespace

Result<LocalFile> local_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::canonical(path, error);
  struct stat status {};
  if (error || ::stat(whole.c_str(), &status) != 0)
    return fail(system_error(error ? error.value() : errno, "open", path));
  return LocalFile{whole.string(), status.st_size,
                   std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<definition::Definition> for_request(definition::Definition definition, const ImportOptions& options) {
  if (!options.source.empty()) LADE_TRY(definition::override_source(definition, options.source));
  const definition::HandlerWishes wishes{options.handler, options.handler_options, options.handler_batch};
  if (wishes.given()) LADE_TRY(definition::override_handler(definition, wishes));
  return definition;
}

source::Overrides overrides_of(const definition::Definition& definition) {
  const definition::Source& source = definition.source;
  source::Overrides overrides;
  for (const definition::DataColumn& column : definition.columns)
    overrides.expected.insert(overrides.expected.end(), column.from.begin(), column.from.end());
  overrides.format = source.format;
  overrides.encoding = source.encoding;
  overrides.sheet = source.sheet;
  overrides.repeat_merged = source.merged == definition::MergedPolicy::repeat;
  overrides.delimiter = source.delimiter;
  overrides.quote = source.quote;
  overrides.escape = source.escape;
  overrides.comment = source.comment;
  overrides.no_quote = source.no_quote;
  overrides.header_row = source.header_row;
  overrides.header = source.header;
  overrides.skip_rows = source.skip_rows;
  return overrides;
}

Result<std::optional<storage::StoredFile>> keep_records(source::Input& input, const storage::Storage& storage) {
  if (!input.original.is_open()) return std::nullopt;
  FileRange all(input.file, 0, input.bytes);
  LADE_ASSIGN(storage::StoredFile stored, storage.store(all));
  LADE_ASSIGN(input.file, storage.read(stored.id, stored.bytes));
  return stored;
}

Result<void> record_records(db::Connection& connection, std::int64_t job, const storage::StoredFile& records) {
  return store::record_segment(
      connection, job,
      {.chunk = store::kRecordsChunk, .file_uuid = records.id, .bytes = static_cast<std::int64_t>(records.bytes)});
}

Result<source::Input> open_source(db::Connection& connection, const store::JobRecord& job,
                                  const definition::Definition& definition, const std::optional<LocalFile>& local,
                                  const Plan& plan, const ImportOptions& here, const storage::Storage& storage) {
  source::Input input;
  input.name = job.file_name;
  input.origin = plan.layout.origin;
  input.sheet_rows = plan.layout.dialect.rows_are_lines;
  LADE_ASSIGN(const auto records, store::records_of(connection, job.id));
  if (records) {
    input.bytes = static_cast<std::uint64_t>(records->bytes);
    LADE_ASSIGN(input.file, storage.read(records->file_uuid, input.bytes));
    return input;
  }
  LADE_ASSIGN(File file, local ? open_local(*local) : open_stored(connection, job, storage));
  if (steps::fetches_pages(definition) && !plan.layout.header.empty()) {
    LADE_ASSIGN(source::Input manifest, source::as_input(std::move(file), job.file_name, here.scratch(), here.max_bytes,
                                                         overrides_of(definition)));
    return gather_again(connection, job, std::move(manifest), definition, here);
  }
  if (!is_plain(plan))
    return source::as_input(std::move(file), job.file_name, here.scratch(), here.max_bytes, overrides_of(definition));
  LADE_ASSIGN(input.bytes, file.size());
  input.file = std::move(file);
  return input;
}

}  // namespace lade::jobs
