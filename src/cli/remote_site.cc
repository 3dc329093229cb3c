#include "cli/remote_site.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/file.h"
#include "base/whole_file.h"
#include "remote/pages.h"
#include "source/original.h"

namespace lade::cli {
namespace {

namespace json = boost::json;
using remote::escaped;
using remote::Names;
using remote::Request;

std::string import_path(const std::string& job) {
  return "/api/v1/imports/" + escaped(job);
}

std::string_view word_of(JobAct act) {
  switch (act) {
    case JobAct::pause: return "pause";
    case JobAct::resume: return "resume";
    case JobAct::cancel: return "cancel";
    case JobAct::retry: return "retry";
    case JobAct::clone: return "clone";
    case JobAct::approve: return "approve";
    case JobAct::reject: return "reject";
    case JobAct::undo: return "undo";
  }
  return "";
}

std::string_view word_of(jobs::Results results) {
  switch (results) {
    case jobs::Results::none: return "none";
    case jobs::Results::failed: return "failed";
    case jobs::Results::all: return "all";
  }
  return "failed";
}

json::object body_of(const JobDemand& demand) {
  json::object body;
  if (demand.act == JobAct::clone && demand.force) body["force"] = true;
  if (demand.act == JobAct::reject && demand.reason) body["reason"] = *demand.reason;
  if (demand.act != JobAct::retry) return body;
  const definition::Limits& limits = demand.retry.limits;
  if (!limits.max_errors.empty()) body["max_errors"] = limits.max_errors;
  if (!limits.fail_when.empty()) body["fail_when"] = limits.fail_when;
  if (demand.retry.overwrite) body["overwrite"] = true;
  return body;
}

// What comes through a pipe is collected first, to know how much it is.
Result<source::Original> open_to_send(const std::string& path, const jobs::ImportOptions& options,
                                      const std::stop_token& stop) {
  std::error_code error;
  const std::filesystem::path spool = std::filesystem::temp_directory_path(error);
  return source::open_original(path, error ? options.data : spool, options.max_bytes, stop);
}

// A result file is CSV or a workbook, whatever its source was.
Result<std::string> named_by_content(const std::filesystem::path& csv) {
  char head[4] = {};
  LADE_ASSIGN(const File file, File::open(csv));
  LADE_ASSIGN(const std::size_t count, file.read_at(0, head));
  if (std::string_view(head, count) != "PK\x03\x04") return csv.string();
  std::filesystem::path workbook = csv;
  workbook.replace_extension(".xlsx");
  std::error_code error;
  std::filesystem::rename(csv, workbook, error);
  if (error) return fail(system_error(error.value(), "rename", csv.string()));
  return workbook.string();
}

}  // namespace

Result<store::JobPage> RemoteSite::list_jobs(const store::JobFilter& filter, const std::string& batch) {
  const Names query{{"status", filter.status}, {"definition", filter.definition}, {"batch", batch}};
  LADE_ASSIGN(auto page,
              remote::list<store::JobRecord>(client_, "/api/v1/imports", query, filter.before, filter.limit));
  return store::JobPage{std::move(page.records), page.next};
}

Result<store::JobRecord> RemoteSite::find_job(const std::string& job) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = import_path(job)}));
  return remote::read<store::JobRecord>(answer);
}

Result<JobPicture> RemoteSite::show_job(const std::string& reference) {
  JobPicture picture;
  LADE_ASSIGN(const json::value answer, client_.ask({.path = import_path(reference)}));
  LADE_ASSIGN(picture.job, remote::read<store::JobRecord>(answer));
  if (const json::value* tasks = answer.get_object().if_contains("tasks")) {
    LADE_ASSIGN(picture.tasks, remote::read<queue::TaskCounts>(*tasks));
  }
  if (const json::value* comparison = answer.get_object().if_contains("comparison")) picture.comparison = *comparison;
  LADE_ASSIGN(picture.events, remote::whole_list<store::Event>(client_, import_path(reference) + "/events"));
  return picture;
}

Result<store::JobRecord> RemoteSite::act(const JobDemand& demand) {
  Request request{.method = "POST",
                  .path = fmt::format("{}/{}", import_path(demand.job), word_of(demand.act)),
                  .body = json::serialize(body_of(demand))};
  if (demand.act == JobAct::approve) {
    std::int64_t revision = demand.revision.value_or(0);
    if (!demand.revision) {
      LADE_ASSIGN(const store::JobRecord job, find_job(demand.job));
      revision = job.review_revision;
    }
    request.headers.emplace_back("If-Match", fmt::format("\"{}\"", revision));
  }
  LADE_ASSIGN(const json::value answer, client_.ask(std::move(request)));
  return remote::read<store::JobRecord>(answer);
}

Result<json::object> RemoteSite::preview_undo(const std::string& job) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = import_path(job) + "/undo"}));
  return answer.as_object();
}

Result<store::JobRecord> RemoteSite::delete_job(const std::string& reference) {
  LADE_ASSIGN(store::JobRecord job, find_job(reference));
  LADE_TRY(client_.send({.method = "DELETE", .path = import_path(job.uuid)}));
  return job;
}

Result<void> RemoteSite::list_rows(const std::string& job, const std::string& word, const store::RowFilter& filter,
                                   const std::function<void(const store::ListedRow&)>& take) {
  LADE_TRY(remote::list(client_, import_path(job) + "/rows",
                        {{"state", word}, {"issue", filter.code}, {"column", filter.column}}, filter.after,
                        filter.limit, [&](const json::value& item) -> Result<void> {
                          LADE_ASSIGN(const store::ListedRow row, remote::read<store::ListedRow>(item));
                          take(row);
                          return {};
                        }));
  return {};
}

Result<std::string> RemoteSite::fetch_result(const store::JobRecord& job, const std::string& which,
                                             const ResultsDemand& demand, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / (which + ".csv");
  LADE_ASSIGN(const auto file, WholeFile::create(path));
  auto answer = client_.send({.path = import_path(job.uuid) + "/results/" + which,
                              .query = {{"kept", demand.all ? "" : "true"}},
                              .sink = file.get()});
  if (!answer && answer.error().code == "result_not_found") return std::string();
  if (!answer) return fail(std::move(answer).error());
  LADE_TRY(file->finish());
  return named_by_content(path);
}

Result<json::object> RemoteSite::show_row(const std::string& job, std::int64_t row) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = fmt::format("{}/rows/{}", import_path(job), row)}));
  return answer.as_object();
}

Result<json::object> RemoteSite::correct_row(const std::string& job, const jobs::Correction& correction) {
  json::object values;
  for (const auto& [column, cell] : correction.cells) values[column] = cell.text;
  json::object body{{"values", std::move(values)}};
  if (correction.revision) body["revision"] = *correction.revision;
  LADE_ASSIGN(const json::value answer,
              client_.ask({.method = "PATCH",
                           .path = fmt::format("{}/rows/{}", import_path(job), correction.row),
                           .body = json::serialize(body)}));
  return answer.as_object();
}

Result<json::object> RemoteSite::diff_page(const std::string& job, const load::DiffFilter& filter, std::int64_t after,
                                           std::int64_t limit) {
  remote::Names query{{"kind", filter.kind}, {"column", filter.column}, {"limit", std::to_string(limit)}};
  if (after > 0) query.emplace_back("after", std::to_string(after));
  LADE_ASSIGN(const json::value answer, client_.ask({.path = import_path(job) + "/diff", .query = query}));
  return answer.as_object();
}

Result<json::object> RemoteSite::make_tables(const std::string& job, const std::string& schema) {
  json::object body;
  if (!schema.empty()) body["schema"] = schema;
  LADE_ASSIGN(const json::value answer,
              client_.ask({.method = "POST", .path = import_path(job) + "/tables", .body = json::serialize(body)}));
  return answer.as_object();
}

Result<json::array> RemoteSite::list_versions(const std::string& table) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = "/api/v1/versions", .query = {{"table", table}}}));
  return answer.at("items").as_array();
}

Result<json::object> RemoteSite::activate_version(std::int64_t version) {
  LADE_ASSIGN(
      const json::value answer,
      client_.ask({.method = "POST", .path = fmt::format("/api/v1/versions/{}/activate", version), .body = "{}"}));
  return answer.as_object();
}

Result<json::object> RemoteSite::job_progress(const std::string& job) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = import_path(job) + "/progress"}));
  return answer.as_object();
}

Result<jobs::ResultFiles> RemoteSite::fetch_results(const ResultsDemand& demand) {
  LADE_ASSIGN(const store::JobRecord job, find_job(demand.job));
  const std::filesystem::path folder = demand.folder.empty() ? data_ / "imports" / job.uuid : demand.folder;
  std::error_code error;
  const bool was_there = std::filesystem::exists(folder, error);
  std::filesystem::create_directories(folder, error);
  if (error) return fail(system_error(error.value(), "create", folder.string()));
  jobs::ResultFiles files;
  LADE_ASSIGN(files.failed, fetch_result(job, "failed", demand, folder));
  LADE_ASSIGN(files.succeeded, fetch_result(job, "succeeded", demand, folder));
  LADE_ASSIGN(files.unprocessed, fetch_result(job, "unprocessed", demand, folder));
  if (!was_there && std::filesystem::is_empty(folder, error)) std::filesystem::remove(folder, error);
  return files;
}

Result<json::object> RemoteSite::match(const RemoteMatch& match) {
  jobs::ImportOptions options;
  options.data = data_;
  LADE_ASSIGN(const source::Original input, open_to_send(match.file, options, {}));
  const remote::Upload upload{input.file, input.bytes};
  LADE_ASSIGN(
      const json::value file,
      client_.ask({.method = "POST", .path = "/api/v1/files", .query = {{"name", input.name}}, .upload = &upload}));
  const json::value* const id = file.is_object() ? file.as_object().if_contains("file_id") : nullptr;
  if (id == nullptr || !id->is_string())
    return fail("server_answer_invalid", "the server does not say where it has put the file",
                "is it another version of lade?");
  const json::object body{
      {"file_id", *id}, {"set", json::array(match.given.begin(), match.given.end())}, {"save", match.save}};
  auto answer = client_.ask({.method = "POST",
                             .path = "/api/v1/definitions/" + remote::escaped(match.definition) + "/match",
                             .body = json::serialize(body)});
  LADE_TRY(
      client_.send({.method = "DELETE", .path = "/api/v1/files/" + remote::escaped(std::string(id->as_string()))}));
  if (!answer) return fail(std::move(answer).error());
  return answer->is_object() ? answer->as_object() : json::object();
}

Result<store::JobRecord> RemoteSite::import(const RemoteImport& import, const std::stop_token& stop) {
  LADE_ASSIGN(const source::Original input, open_to_send(import.file, import.options, stop));
  const remote::Upload upload{input.file, input.bytes, [&](std::uint64_t sent) {
                                if (import.on_sent) import.on_sent(sent, input.bytes);
                              }};
  const jobs::ImportOptions& options = import.options;
  LADE_ASSIGN(const json::value answer,
              client_.ask({.method = "POST",
                           .path = "/api/v1/imports",
                           .query = {{"name", input.name},
                                     {"definition", import.definition},
                                     {"version", import.version == 0 ? "" : std::to_string(import.version)},
                                     {"batch", options.batch},
                                     {"results", std::string(word_of(options.results))},
                                     {"output_format", options.output_format},
                                     {"result_file_prefix", options.result_file_prefix},
                                     {"force", options.force ? "true" : ""},
                                     {"source", options.source},
                                     {"time_context_ident", options.time_context_ident},
                                     {"default_valid_from", options.default_valid_from},
                                     {"default_valid_to", options.default_valid_to}},
                           .upload = &upload,
                           .stop = stop}));
  return remote::read<store::JobRecord>(answer);
}

Result<store::JobRecord> RemoteSite::fix(const jobs::FixDemand& demand, const std::stop_token& stop) {
  Request request{.method = "POST", .path = import_path(demand.job) + "/fixes", .stop = stop};
  if (demand.file.empty()) {
    json::array rows;
    for (const jobs::Fix& fix : demand.rows) {
      json::object cells;
      for (const auto& [column, cell] : fix.cells) cells[column] = cell.text;
      rows.push_back(json::object{{"row", fix.row}, {"cells", std::move(cells)}});
    }
    request.body = json::serialize(json::object{{"rows", std::move(rows)}});
    LADE_ASSIGN(const json::value answer, client_.ask(std::move(request)));
    return remote::read<store::JobRecord>(answer);
  }
  jobs::ImportOptions options;
  options.data = data_;
  LADE_ASSIGN(const source::Original input, open_to_send(demand.file, options, stop));
  const remote::Upload upload{input.file, input.bytes};
  request.query = {{"name", input.name}};
  request.upload = &upload;
  LADE_ASSIGN(const json::value answer, client_.ask(std::move(request)));
  return remote::read<store::JobRecord>(answer);
}

Result<json::array> RemoteSite::lineage_of_row(const jobs::LineageDemand& demand) {
  Names query{{"table", demand.table}};
  for (const auto& [column, value] : demand.key) query.emplace_back("key." + column, value);
  LADE_ASSIGN(const json::value answer, client_.ask({.path = "/api/v1/lineage", .query = query}));
  LADE_ASSIGN(const json::array* const items, remote::items_of(answer));
  return *items;
}

Result<json::object> RemoteSite::lineage_of_job(const std::string& job, const std::string& cursor, std::int64_t limit) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = import_path(job) + "/lineage",
                                                     .query = {{"cursor", cursor}, {"limit", std::to_string(limit)}}}));
  return answer.as_object();
}

Result<staging::IssueCounts> RemoteSite::issue_counts(const std::string& job) {
  LADE_ASSIGN(const json::value page, client_.ask({.path = import_path(job) + "/issues"}));
  LADE_ASSIGN(const json::array* const items, remote::items_of(page));
  return remote::read<staging::IssueCounts>(json::value(*items));
}

}  // namespace lade::cli
