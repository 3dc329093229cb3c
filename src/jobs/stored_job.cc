#include "jobs/stored_job.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "definition/parse.h"
#include "store/files.h"
#include "store/job_changes.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;

// What the request says beyond how its file is read.
constexpr std::pair<const char*, std::string ImportOptions::*> kWishes[] = {
    {"time_context_ident", &ImportOptions::time_context_ident},
    {"default_valid_from", &ImportOptions::default_valid_from},
    {"default_valid_to", &ImportOptions::default_valid_to},
    {"mapping", &ImportOptions::mapping},
    {"values", &ImportOptions::values},
    {"review", &ImportOptions::review},
    {"handler", &ImportOptions::handler},
    {"handler_options", &ImportOptions::handler_options}};

constexpr std::pair<const char*, std::string ImportOptions::*> kResultFiles[] = {
    {"output_format", &ImportOptions::output_format}, {"result_file_prefix", &ImportOptions::result_file_prefix}};

void put_result_files(json::object& object, const ImportOptions& options) {
  for (const auto& [name, member] : kResultFiles)
    if (!(options.*member).empty()) object[name] = options.*member;
  object["results_path"] = options.results_path;
  if (options.result_bom) object["result_bom"] = true;
  if (!options.store_results) object["no_stored_results"] = true;
}

void put_wishes(json::object& object, const ImportOptions& options) {
  for (const auto& [name, member] : kWishes)
    if (!(options.*member).empty()) object[name] = options.*member;
  if (options.handler_batch > 0) object["handler_batch"] = options.handler_batch;
}

// Options as to_text() wrote them.
void read_options(const json::object& object, ImportOptions& options) {
  const auto number = [&](const char* name, auto& value) {
    if (const json::value* found = object.if_contains(name))
      value = found->to_number<std::remove_reference_t<decltype(value)>>();
  };
  number("block_bytes", options.block_bytes);
  number("batch_rows", options.batch_rows);
  number("chunk_bytes", options.chunk_bytes);
  number("bucket_bytes", options.bucket_bytes);
  number("lookup_rows", options.lookup_rows);
  int results = static_cast<int>(options.results);
  number("results", results);
  options.results = static_cast<Results>(results);
  options.delete_file = object.contains("delete_file");
  // What a worker's own settings say is for jobs that it accepts itself.
  options.store_results = !object.contains("no_stored_results");
  options.result_bom = object.contains("result_bom");
  if (const json::value* path = object.if_contains("results_path"))
    options.results_path = std::string(path->as_string());
  for (const auto& [name, member] : kResultFiles) {
    const json::value* found = object.if_contains(name);
    options.*member = found == nullptr ? std::string() : std::string(found->as_string());
  }
  number("handler_batch", options.handler_batch);
  for (const auto& [name, member] : kWishes)
    if (const json::value* found = object.if_contains(name)) options.*member = std::string(found->as_string());
  if (const json::value* found = object.if_contains("corrections_of"))
    options.corrections_of = std::string(found->as_string());
}

std::optional<LocalFile> read_local(const json::object& object) {
  const json::value* local = object.if_contains("local");
  if (local == nullptr) return std::nullopt;
  return LocalFile{std::string(local->at("path").as_string()), local->at("bytes").to_number<std::int64_t>(),
                   local->at("modified").to_number<std::int64_t>()};
}

}  // namespace

std::string to_text(const ImportOptions& options, const std::optional<LocalFile>& local) {
  json::object object{{"block_bytes", options.block_bytes}, {"batch_rows", options.batch_rows},
                      {"chunk_bytes", options.chunk_bytes}, {"bucket_bytes", options.bucket_bytes},
                      {"lookup_rows", options.lookup_rows}, {"results", static_cast<int>(options.results)}};
  if (options.delete_file) object["delete_file"] = true;
  put_result_files(object, options);
  if (!options.source.empty()) object["source"] = json::parse(options.source);
  put_wishes(object, options);
  if (!options.corrections_of.empty()) object["corrections_of"] = options.corrections_of;
  if (local) object["local"] = {{"path", local->path}, {"bytes", local->bytes}, {"modified", local->modified}};
  return json::serialize(object);
}

std::string reading_of(const ImportOptions& options) {
  json::object wishes;
  put_wishes(wishes, options);
  return wishes.empty() ? options.source : options.source + json::serialize(wishes);
}

ImportOptions options_of(const store::JobRecord& job) {
  ImportOptions options;
  if (!job.options.empty()) read_options(json::parse(job.options).as_object(), options);
  return options;
}

std::string source_of(const store::JobRecord& job) {
  if (job.options.empty()) return {};
  const json::object options = json::parse(job.options).as_object();
  const json::value* source = options.if_contains("source");
  return source == nullptr ? std::string() : json::serialize(*source);
}

std::string reading_of(const store::JobRecord& job) {
  ImportOptions options = options_of(job);
  options.source = source_of(job);
  return reading_of(options);
}

std::string with_overwrite(const std::string& options) {
  json::object object = json::parse(options).as_object();
  object["overwrite"] = true;
  return json::serialize(object);
}

std::string without_corrections(const std::string& options) {
  if (options.empty()) return options;
  json::object object = json::parse(options).as_object();
  return object.erase("corrections_of") == 0 ? options : json::serialize(object);
}

Result<void> check_is_import(const store::JobRecord& job) {
  if (job.undoes_id == 0) return {};
  return fail("not_an_import", fmt::format("job {} undoes another one: it has no file", job.slug),
              "name the import itself", ErrorKind::invalid);
}

Result<std::string> queue_of(db::Connection& connection, const store::JobRecord& job) {
  LADE_ASSIGN(const std::string snapshot, store::job_snapshot(connection, job.id));
  const json::value definition = json::parse(snapshot);
  const json::value* named = definition.as_object().if_contains("queue");
  return named == nullptr ? definition::Definition().queue : std::string(named->as_string());
}

Result<definition::Definition> definition_of(db::Connection& connection, const store::JobRecord& job) {
  LADE_ASSIGN(const std::string snapshot, store::job_snapshot(connection, job.id));
  definition::Parsed parsed = definition::parse_definition(snapshot);
  if (parsed.valid()) return std::move(parsed.definition);
  return fail("definition_invalid", definition::describe(parsed.faults, job.definition),
              "this lade does not read what another version stored", ErrorKind::invalid);
}

Result<std::vector<std::string>> target_tables(db::Connection& connection, const definition::Definition& definition) {
  std::vector<std::string> tables;
  for (const definition::LoadEntry& entry : definition.load) {
    if (entry.handler) continue;
    LADE_ASSIGN(const auto table, connection.describe(entry.table));
    if (table) tables.push_back(table->quoted);
  }
  return tables;
}

Result<void> verify_file(db::Connection& connection, const StoredJob& stored, const storage::Storage& storage) {
  if (stored.record.file_id == 0) return {};
  LADE_ASSIGN(const auto file, store::find_file(connection, stored.record.file_id));
  if (!file || file->sha256.empty()) return {};
  return storage.verify({file->stored_as(), static_cast<std::uint64_t>(file->bytes), file->sha256});
}

Result<StoredJob> load_job(db::Connection& connection, std::int64_t id, const ImportOptions& here,
                           const storage::Storage& storage) {
  StoredJob stored;
  LADE_ASSIGN(auto record, store::job_with_id(connection, id));
  if (!record) return fail("job_not_found", fmt::format("there is no job {}", id), "", ErrorKind::invalid);
  stored.record = std::move(*record);
  LADE_TRY(check_is_import(stored.record));
  LADE_ASSIGN(stored.definition, definition_of(connection, stored.record));
  stored.job = std::make_unique<Job>();
  Job& job = *stored.job;
  job.id = id;
  job.uuid = stored.record.uuid;
  job.options = here;
  job.options.user = stored.record.created_by;
  job.options.user_id = stored.record.created_by_id;
  job.options.company = stored.record.company;
  job.options.project = stored.record.project;
  const json::object options = json::parse(stored.record.options).as_object();
  read_options(options, job.options);
  const std::optional<LocalFile> local = read_local(options);
  job.retries = stored.record.retries;
  job.gives_way = job.retries > 0 && !options.contains("overwrite");
  LADE_ASSIGN(const store::JobPlan plan, store::read_plan(connection, id));
  if (!plan.plan.empty()) {
    LADE_ASSIGN(job.plan, read_plan(plan.plan));
  }
  LADE_ASSIGN(job.input, open_source(connection, stored.record, stored.definition, local, job.plan, here, storage));
  stored.group = {id, job.uuid, storage.id(), stored.record.company, stored.definition.queue};
  return stored;
}

Result<std::unique_ptr<Job>> open_planned_job(db::Connection& connection, const store::JobRecord& record,
                                              const ImportOptions& here, const storage::Storage& storage) {
  if (!record.rows_total || (record.chunks == 0 && *record.rows_total > 0))
    return fail("results_not_ready",
                fmt::format("job {} is {}: its rows are not known yet", record.slug, record.status()),
                "wait until it is planned", ErrorKind::invalid);
  LADE_ASSIGN(StoredJob stored, load_job(connection, record.id, here, storage));
  LADE_TRY(bind_job(*stored.job, stored.definition, connection));
  return std::move(stored.job);
}

}  // namespace lade::jobs
