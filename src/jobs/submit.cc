#include "jobs/submit.h"

#include <fmt/format.h>

#include "base/id.h"
#include "db/in_transaction.h"
#include "definition/parse.h"
#include "jobs/batches.h"
#include "jobs/definitions.h"
#include "jobs/expand.h"
#include "queue/groups.h"
#include "source/original.h"
#include "store/jobs.h"
#include "store/schema.h"

namespace lade::jobs {
namespace {

// What makes two files the same: a stored file's bytes, or the records made of it; for one that is read where it lies,
// place, size and time.
std::string identity_of(const Submission& file) {
  if (file.records) return file.records->sha256;
  if (file.stored) return file.stored->sha256;
  return fmt::format("{}\n{}\n{}", file.local->path, file.local->bytes, file.local->modified);
}

Result<JobGroup> create(db::Connection& connection, const NewImport& import, std::int64_t definition_id,
                        model::JobState state) {
  LADE_ASSIGN(const definition::Definition wanted, for_request(import.definition, import.options));
  LADE_ASSIGN(const definition::Definition definition, expanded(wanted, connection, import.options));
  std::string snapshot = definition::to_json(definition);
  store::NewJob job{import.uuid, definition_id, std::move(snapshot), import.file.name,
                    static_cast<std::int64_t>(import.file.bytes)};
  job.state = state;
  job.options = to_text(import.options, import.file.local);
  job.forced = import.forced;
  job.created_by = import.options.user;
  job.created_by_id = import.options.user_id;
  job.company = import.options.company;
  job.project = import.options.project;
  job.dedupe_hash =
      store::dedupe_hash(job.company, definition_id, identity_of(import.file), reading_of(import.options));
  if (import.file.stored) {
    const storage::StoredFile& stored = *import.file.stored;
    LADE_ASSIGN(job.file_id, store::create_file(connection, {.uuid = stored.id,
                                                             .storage = import.storage.id(),
                                                             .name = import.file.name,
                                                             .bytes = static_cast<std::int64_t>(stored.bytes),
                                                             .sha256 = stored.sha256,

                                                             .created_by = import.options.user,
                                                             .company = job.company}));
  }
  if (const std::string& name = import.options.batch; !name.empty()) {
    LADE_ASSIGN(
        job.batch_id,
        store::find_or_create_batch(
            connection, {.uuid = new_uuid(), .name = name, .created_by = import.options.user, .company = job.company}));
  }
  LADE_ASSIGN(const std::int64_t id, admit_job(connection, job));
  return JobGroup{id, import.uuid, import.storage.id(), job.company, definition.queue};
}

}  // namespace

Result<JobGroup> submit_planned(db::Connection& connection, const NewImport& import, const Plan& plan,
                                const std::string& boot) {
  LADE_ASSIGN(const store::StoredDefinition definition,
              save_definition(connection, import.definition, import.definition_text, import.options.company));
  return db::in_transaction(connection, [&]() -> Result<JobGroup> {
    LADE_ASSIGN(const JobGroup group, create(connection, import, definition.id, model::JobState::preparing_data));
    LADE_TRY(queue::put_group(connection, {.id = group.uuid, .reserved_by = boot, .company = group.company}));
    if (import.file.records) LADE_TRY(record_records(connection, group.id, *import.file.records));
    LADE_TRY(arm_analysis(connection, group, plan));
    return group;
  });
}

Result<JobGroup> submit(db::Connection& connection, const NewImport& import, const std::string& boot) {
  LADE_ASSIGN(const store::StoredDefinition definition,
              save_definition(connection, import.definition, import.definition_text, import.options.company));
  return db::in_transaction(connection, [&]() -> Result<JobGroup> {
    LADE_ASSIGN(const JobGroup group, create(connection, import, definition.id, model::JobState::upload_completed));
    LADE_TRY(queue::put_group(connection, {.id = group.uuid, .reserved_by = boot, .company = group.company}));
    LADE_TRY(arm_planning(connection, group));
    return group;
  });
}

Result<SubmittedJob> submit_import(const std::string& file, const definition::Definition& definition,
                                   const std::string& definition_text, ImportOptions options,
                                   const std::stop_token& stop) {
  LADE_TRY(options.validate());
  if (!options.batch.empty()) LADE_TRY(check_batch_name(options.batch));
  LADE_TRY(create_folder(options.data, data_folder()));
  LADE_TRY(for_request(definition, options));
  LADE_ASSIGN(const source::Original original, source::open_original(file, options.scratch(), options.max_bytes, stop));
  LADE_ASSIGN(const auto connection, db::connect(options.database));
  LADE_TRY(store::migrate(*connection));
  LADE_ASSIGN(const std::unique_ptr<storage::Storage> storage, open_storage(options));
  FileRange all(original.file, 0, original.bytes);
  LADE_ASSIGN(const storage::StoredFile stored, storage->store(all));
  const Submission submission{.name = original.name, .bytes = original.bytes, .stored = stored};
  auto group =
      submit(*connection, {definition, definition_text, options, submission, *storage, new_uuid(), options.force});
  if (!group) {
    (void)storage->remove(stored.id);
    return fail(std::move(group).error());
  }
  LADE_ASSIGN(const auto record, store::job_with_id(*connection, group->id));
  return SubmittedJob{group->id, group->uuid, record ? record->slug : std::string(),
                      record ? std::string(record->status()) : std::string()};
}

Result<std::string> twin_hash(db::Connection& connection, const NewImport& import) {
  LADE_ASSIGN(const store::StoredDefinition definition,
              save_definition(connection, import.definition, import.definition_text, import.options.company));
  return store::dedupe_hash(import.options.company, definition.id, identity_of(import.file),
                            reading_of(import.options));
}

}  // namespace lade::jobs
