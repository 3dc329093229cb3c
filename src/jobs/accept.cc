#include "jobs/accept.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id.h"
#include "db/in_transaction.h"
#include "definition/header_name.h"
#include "jobs/arm.h"
#include "jobs/batches.h"
#include "jobs/choices.h"
#include "jobs/expand.h"
#include "jobs/stored_job.h"
#include "queue/groups.h"
#include "source/input.h"
#include "store/batches.h"
#include "store/column_matches.h"
#include "store/job_changes.h"
#include "store/jobs.h"

namespace lade::jobs {
namespace {

using model::JobState;

std::string hash_of(const store::StoredDefinition& definition, const store::FileRecord& file,
                    const std::string& reading) {
  return store::dedupe_hash(definition.company, definition.id, file.sha256, reading);
}

Result<void> check_not_empty(const store::FileRecord& file) {
  if (file.bytes > 0) return {};
  return fail("file_empty", fmt::format("{} is empty", file.name), "send a file with a header and rows",
              ErrorKind::invalid);
}

// The definition as the job keeps it, with what the request says otherwise.
Result<std::string> snapshot_of(db::Connection& connection, const store::StoredDefinition& stored,
                                const definition::Limits& limits, const ImportOptions& options) {
  const definition::Definition said = definition::parse_definition(stored.source_text).definition;
  const bool as_said =
      limits.max_errors.empty() && limits.fail_when.empty() && options.source.empty() && !has_choices(options);
  // Which set is meant, and which handler, is decided once, here: whoever opens the job later must not ask again.
  if (as_said && said.steps.empty() && said.set() == nullptr && said.handler() == nullptr) return stored.snapshot;
  LADE_ASSIGN(definition::Definition definition, for_request(said, options));
  LADE_TRY(definition::set_limits(definition, limits));
  LADE_ASSIGN(definition, expanded(definition, connection, options));
  LADE_TRY(apply_choices(definition, options));
  return definition::to_json(definition);
}

Result<void> arm(db::Connection& connection, const store::JobRecord& job, const store::FileRecord& file) {
  LADE_TRY(queue::put_group(connection, {.id = job.uuid, .company = job.company}));
  LADE_ASSIGN(std::string queue, queue_of(connection, job));
  return arm_planning(connection, {job.id, job.uuid, file.storage, job.company, std::move(queue)});
}

// How a file fits a definition: how many of its columns that knows. Nullopt when a required one is missing.
std::optional<std::size_t> known_columns(const store::StoredDefinition& stored,
                                         const std::vector<std::string>& header) {
  const definition::Parsed parsed = definition::parse_definition(stored.source_text);
  if (!parsed.valid()) return std::nullopt;
  const auto is_there = [&](const std::string& name) { return std::ranges::find(header, name) != header.end(); };
  std::size_t known = 0;
  for (const definition::DataColumn& column : parsed.definition.columns) {
    if (column.from.empty()) continue;
    const bool found = std::ranges::any_of(column.from, is_there);
    if (!found && column.required) return std::nullopt;
    known += found ? 1 : 0;
  }
  return known == 0 ? std::nullopt : std::optional(known);
}

// The only definition by which somebody has matched a file with this header; null: none, or several.
Result<store::StoredDefinition*> matched_definition(db::Connection& connection,
                                                    std::vector<store::StoredDefinition>& stored,
                                                    const std::vector<std::string>& header, std::int64_t company) {
  LADE_ASSIGN(const auto slugs, store::definitions_matched(connection, company, definition::header_signature(header)));
  store::StoredDefinition* found = nullptr;
  for (store::StoredDefinition& one : stored) {
    if (!one.valid || std::ranges::find(slugs, one.slug) == slugs.end()) continue;
    if (found != nullptr) return nullptr;
    found = &one;
  }
  return found;
}

}  // namespace

Result<store::StoredDefinition> require_definition(db::Connection& connection, std::string_view slug,
                                                   std::int64_t company, std::optional<std::int64_t> version) {
  LADE_ASSIGN(auto stored, store::find_definition(connection, slug, version, company));
  if (!stored)
    return fail("definition_not_found",
                version ? fmt::format("there is no version {} of the definition '{}'", *version, slug)
                        : fmt::format("there is no definition '{}'", slug),
                "", ErrorKind::invalid);
  if (!stored->valid)
    return fail("definition_invalid", stored->validation_error, "store a version without faults", ErrorKind::invalid);
  return std::move(*stored);
}

Result<store::StoredDefinition> match_definition(db::Connection& connection, const storage::Storage& storage,
                                                 const store::FileRecord& file, const ImportOptions& options) {
  LADE_ASSIGN(File opened, storage.read(file.stored_as(), static_cast<std::uint64_t>(file.bytes)));
  LADE_ASSIGN(const source::Input input,
              source::as_input(std::move(opened), file.name, options.scratch(), options.max_bytes));
  LADE_ASSIGN(const source::Layout layout, source::recognise(input, {}));
  LADE_ASSIGN(auto stored, store::list_definitions(connection, options.company));
  LADE_ASSIGN(store::StoredDefinition* const matched,
              matched_definition(connection, stored, layout.header, options.company));
  if (matched != nullptr) return std::move(*matched);
  std::size_t best = 0;
  std::vector<store::StoredDefinition*> fitting;
  for (store::StoredDefinition& one : stored) {
    const auto known = one.valid ? known_columns(one, layout.header) : std::nullopt;
    if (!known || *known < best) continue;
    if (*known > best) fitting.clear();
    best = *known;
    fitting.push_back(&one);
  }
  if (fitting.size() == 1) return std::move(*fitting.front());
  const std::string header = fmt::format("{}", fmt::join(layout.header, ", "));
  if (fitting.empty())
    return fail("definition_not_matched",
                fmt::format("no definition has all its required columns in {} ({})", file.name, header),
                "name the definition, or store one for such files", ErrorKind::invalid);
  std::vector<std::string> slugs;
  for (const store::StoredDefinition* one : fitting) slugs.push_back(one->slug);
  return fail("definition_ambiguous", fmt::format("{} fits several definitions: {}", file.name, fmt::join(slugs, ", ")),
              "name the definition", ErrorKind::invalid);
}

Result<store::JobRecord> create_import(db::Connection& connection, const ImportRequest& request) {
  const ImportOptions& options = request.options;
  if (!options.batch.empty()) LADE_TRY(check_batch_name(options.batch));
  if (request.file != nullptr) LADE_TRY(check_not_empty(*request.file));
  store::NewJob job{.uuid = new_uuid(), .definition_id = request.definition.id};
  LADE_ASSIGN(job.snapshot, snapshot_of(connection, request.definition, request.limits, options));
  job.options = to_text(options, std::nullopt);
  job.forced = options.force;
  job.created_by = options.user;
  job.created_by_id = options.user_id;
  job.company = options.company;
  job.project = options.project;
  job.state = JobState::waiting_for_upload;
  if (request.file != nullptr) {
    job.file_id = request.file->id;
    job.file_name = request.file->name;
    job.file_bytes = request.file->bytes;
    job.state = JobState::upload_completed;
    job.dedupe_hash = hash_of(request.definition, *request.file, reading_of(options));
  }
  return db::in_transaction(connection, [&]() -> Result<store::JobRecord> {
    if (!options.batch.empty()) {
      LADE_ASSIGN(job.batch_id, store::find_or_create_batch(connection, {.uuid = new_uuid(),
                                                                         .name = options.batch,
                                                                         .created_by = job.created_by,
                                                                         .company = job.company}));
    }
    LADE_ASSIGN(const std::int64_t id, admit_job(connection, job));
    LADE_ASSIGN(store::JobRecord record, require_job(connection, std::to_string(id), job.company));
    if (request.file != nullptr) LADE_TRY(arm(connection, record, *request.file));
    return record;
  });
}

Result<store::JobRecord> give_file(db::Connection& connection, const JobOrder& order, const store::FileRecord& file) {
  LADE_TRY(check_not_empty(file));
  return db::in_transaction(connection, [&]() -> Result<store::JobRecord> {
    LADE_ASSIGN(const store::JobRecord job, require_job(connection, order.job, order.company));
    store::StoredDefinition definition;
    definition.id = job.definition_id;
    definition.company = job.company;
    LADE_TRY(store::change_job(connection, job.id,
                               {.event = model::JobEvent::file_stored,
                                .actor = order.actor,
                                .file_id = file.id,
                                .dedupe_hash = hash_of(definition, file, reading_of(job))}));
    LADE_TRY(arm(connection, job, file));
    return require_job(connection, job.uuid, job.company);
  });
}

Result<std::optional<store::JobRecord>> twin_of(db::Connection& connection, const store::StoredDefinition& definition,
                                                const store::FileRecord& file, const ImportOptions& options) {
  return store::find_twin(connection, hash_of(definition, file, reading_of(options)), std::nullopt, definition.company);
}

}  // namespace lade::jobs
