#include "jobs/fetch_results.h"

#include <fmt/format.h>

#include <vector>

#include "base/whole_file.h"
#include "jobs/stored_job.h"
#include "store/files.h"
#include "store/row_list.h"

namespace lade::jobs {
namespace {

Result<std::string> copy_out(const storage::Storage& storage, const store::FileRecord& record,
                             const std::filesystem::path& folder) {
  const auto bytes = static_cast<std::uint64_t>(record.bytes);
  LADE_ASSIGN(const File stored, storage.read(record.stored_as(), bytes));
  const std::filesystem::path path = folder / record.name;
  LADE_ASSIGN(const auto file, WholeFile::create(path));
  FileRange range(stored, 0, bytes);
  std::vector<char> block(256 * 1024);
  for (;;) {
    LADE_ASSIGN(const std::size_t count, range.read(block));
    if (count == 0) break;
    LADE_TRY(file->write({block.data(), count}));
  }
  LADE_TRY(file->finish());
  return path.string();
}

Result<void> create_results_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(system_error(error.value(), "create", folder.string()));
  return {};
}

// What is known about rows that did not simply go in.
Result<void> collect(db::Connection& connection, const store::JobRecord& record, staging::IssueLog& findings) {
  using model::Outcome;
  staging::IssueWriter writer(findings);
  std::optional<Error> error;
  for (const Outcome outcome : {Outcome::failed, Outcome::skipped, Outcome::unprocessed}) {
    const store::RowFilter filter{.wanted = outcome, .limit = 0};
    LADE_TRY(store::list_rows(connection, record, filter, [&](const store::ListedRow& row) {
      if (error) return;
      const staging::RowPlace place{static_cast<std::uint32_t>(row.row_id), static_cast<std::uint32_t>(row.line), 0};
      if (auto added = writer.add({place, outcome, row.issue}); !added) error = std::move(added).error();
    }));
  }
  if (error) return fail(std::move(*error));
  staging::IssueCounts ignored;
  return writer.publish(ignored);
}

}  // namespace

Result<ResultFiles> fetch_results(db::Connection& connection, const storage::Storage& storage,
                                  const store::JobRecord& job, const std::filesystem::path& folder) {
  LADE_ASSIGN(const auto records, store::results_of(connection, job.id));
  ResultFiles files;
  if (records.empty()) return files;
  LADE_TRY(create_results_folder(folder));
  for (const store::FileRecord& record : records) {
    LADE_ASSIGN(std::string path, copy_out(storage, record, folder));
    (record.purpose == "failed"      ? files.failed
     : record.purpose == "succeeded" ? files.succeeded
                                     : files.unprocessed) = std::move(path);
  }
  return files;
}

Result<ResultFiles> make_results(db::Connection& connection, const storage::Storage& storage,
                                 const store::JobRecord& record, const ImportOptions& here,
                                 const std::filesystem::path& folder) {
  if (!record.standing.outcome)
    return fail("results_not_ready", fmt::format("job {} is {}: it has no results yet", record.slug, record.status()),
                "wait until it has ended; lade rows shows what is known so far", ErrorKind::invalid);
  LADE_ASSIGN(StoredJob stored, load_job(connection, record.id, here, storage));
  Job& job = *stored.job;
  job.options.results = Results::all;
  LADE_ASSIGN(job.area, staging::Area::create(here.scratch(), here.staging_memory));
  staging::IssueLog findings(*job.area);
  LADE_TRY(collect(connection, record, findings));
  LADE_TRY(create_results_folder(folder));
  const std::vector<model::Outcome> untold(job.plan.chunks(), model::Outcome::unchanged);
  LADE_ASSIGN(const auto corrections, Corrections::read(connection, record.id, job.plan.splitters));
  return write_result_files(job, {findings, untold, corrections.get()}, folder);
}

}  // namespace lade::jobs
