#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>

#include "api/views.h"
#include "base/file.h"
#include "cli/local_batches.h"
#include "cli/local_review.h"
#include "cli/settings.h"
#include "cli/site.h"
#include "definition/patch.h"
#include "jobs/analysed_rows.h"
#include "jobs/batch_export.h"
#include "jobs/definition_snapshot.h"
#include "jobs/definitions.h"
#include "jobs/expand.h"
#include "jobs/fetch_results.h"
#include "jobs/job.h"
#include "jobs/retry_letters.h"
#include "jobs/undo.h"
#include "jobs/versions.h"
#include "storage/storage.h"
#include "store/job_progress.h"
#include "store/schema.h"

namespace lade::cli {
namespace {

using db::Access;

// The database of this machine or one that it reaches, opened when something is asked. One without lade's tables has no
// jobs, no batches and an empty queue.
class LocalSite final : public Site {
 public:
  explicit LocalSite(const CommonOptions& common) : common_(common) {}

  Result<store::JobPage> list_jobs(const store::JobFilter& filter, const std::string& batch) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    store::JobFilter wanted = filter;
    if (!batch.empty()) {
      LADE_ASSIGN(const store::BatchRecord found, find_batch(batch));
      wanted.batch_id = found.id;
    }
    if (connection == nullptr) return store::JobPage();
    return store::list_jobs(*connection, wanted);
  }

  Result<store::JobRecord> find_job(const std::string& job) override {
    LADE_ASSIGN(db::Connection* const connection, open_for_job(job, Access::read));
    return jobs::require_job(*connection, job);
  }

  Result<JobPicture> show_job(const std::string& reference) override {
    JobPicture picture;
    LADE_ASSIGN(picture.job, find_job(reference));
    LADE_ASSIGN(picture.tasks, queue::count_tasks(*connection_, picture.job.uuid));
    LADE_ASSIGN(picture.events, store::events_of(*connection_, picture.job.id));
    LADE_ASSIGN(const auto counts, jobs::rows_to_come(*connection_, picture.job));
    picture.comparison = api::comparison_json(counts);
    return picture;
  }

  Result<store::JobRecord> act(const JobDemand& demand) override {
    LADE_ASSIGN(db::Connection* const opened, open_for_job(demand.job, Access::write));
    db::Connection& connection = *opened;
    const jobs::JobOrder order{demand.job, current_user()};
    switch (demand.act) {
      case JobAct::pause: return jobs::pause_job(connection, order);
      case JobAct::resume: return jobs::resume_job(connection, order);
      case JobAct::cancel: return jobs::cancel_job(connection, order);
      case JobAct::retry: return jobs::retry_job(connection, order, demand.retry);
      case JobAct::clone: return jobs::clone_job(connection, order, demand.force);
      case JobAct::approve: return jobs::approve_job(connection, order, demand.revision);
      case JobAct::reject: return jobs::reject_job(connection, order, demand.reason);
      case JobAct::undo: return jobs::undo_job(connection, order);
    }
    return fail(jobs::job_not_found(demand.job));
  }

  Result<boost::json::object> preview_undo(const std::string& reference) override {
    LADE_ASSIGN(const store::JobRecord job, find_job(reference));
    LADE_ASSIGN(const jobs::UndoPreview preview, jobs::preview_undo(*connection_, job));
    return api::to_json(preview);
  }

  Result<store::JobRecord> delete_job(const std::string& job) override {
    LADE_ASSIGN(db::Connection* const connection, open_for_job(job, Access::write));
    LADE_ASSIGN(const jobs::DeletedJob deleted, jobs::delete_job(*connection, {job, current_user()}));
    LADE_TRY(remove_files(deleted.files));
    return deleted.job;
  }

  Result<void> list_rows(const std::string& reference, const std::string&, const store::RowFilter& filter,
                         const std::function<void(const store::ListedRow&)>& take) override {
    LADE_ASSIGN(const store::JobRecord job, find_job(reference));
    store::RowFilter wanted = filter;
    LADE_ASSIGN(wanted.is_analysed, jobs::analysed_rows(*connection_, job));
    return store::list_rows(*connection_, job, wanted, take);
  }

  Result<boost::json::object> show_row(const std::string& reference, std::int64_t number) override {
    LADE_ASSIGN(const store::JobRecord job, find_job(reference));
    LADE_ASSIGN(const jobs::ImportOptions options, options_here());
    LADE_ASSIGN(const std::unique_ptr<storage::Storage> storage, jobs::open_storage(options));
    LADE_ASSIGN(const jobs::ReviewedRow row, jobs::show_row(*connection_, {*storage, options}, job, number));
    return api::to_json(row);
  }

  Result<boost::json::object> correct_row(const std::string& job, const jobs::Correction& correction) override {
    LADE_ASSIGN(db::Connection* const connection, open_for_job(job, Access::write));
    LADE_TRY(jobs::require_job(*connection, job));
    LADE_ASSIGN(jobs::ImportOptions options, options_here());
    LADE_ASSIGN(const NamedSettings named, named_settings(common_));
    LADE_TRY(apply(named, options));
    LADE_ASSIGN(const std::unique_ptr<storage::Storage> storage, jobs::open_storage(options));
    LADE_ASSIGN(const jobs::ReviewedRow row,
                jobs::correct_row(*connection, {*storage, options}, {job, current_user()}, correction));
    return api::to_json(row);
  }

  Result<boost::json::object> diff_page(const std::string& reference, const load::DiffFilter& filter,
                                        std::int64_t after, std::int64_t limit) override {
    LADE_ASSIGN(const store::JobRecord job, find_job(reference));
    LADE_ASSIGN(const jobs::DiffPage page, jobs::diff_page(*connection_, job, filter, after, limit));
    return api::to_json(page, job, filter);
  }

  Result<boost::json::object> make_tables(const std::string& reference, const std::string& schema) override {
    LADE_ASSIGN(db::Connection* const connection, open_for_job(reference, Access::write));
    LADE_ASSIGN(const store::JobRecord job, jobs::require_job(*connection, reference));
    LADE_ASSIGN(const jobs::ImportOptions options, options_here());
    LADE_ASSIGN(const std::unique_ptr<storage::Storage> storage, jobs::open_storage(options));
    LADE_ASSIGN(const jobs::RowTables tables, jobs::make_row_tables(*connection, {*storage, options}, job, schema));
    return api::to_json(tables);
  }

  Result<boost::json::array> list_versions(const std::string& table) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    boost::json::array list;
    if (connection == nullptr) return list;
    LADE_ASSIGN(const auto versions, jobs::list_versions(*connection, store::kDefaultCompany, table));
    for (const store::SetVersion& version : versions) list.push_back(api::to_json(version));
    return list;
  }

  Result<boost::json::object> activate_version(std::int64_t version) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::write));
    if (connection == nullptr) return fail(jobs::version_not_found(std::to_string(version)));
    LADE_ASSIGN(const auto active, jobs::activate_version(*connection, store::kDefaultCompany, version));
    return api::to_json(active);
  }

  Result<boost::json::object> list_review(const jobs::ReviewWish& wish) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    boost::json::array items;
    boost::json::value next;
    if (connection != nullptr) {
      LADE_ASSIGN(store::ReviewFilter filter, jobs::filter_of(*connection, wish, store::kDefaultCompany));
      ++filter.limit;
      LADE_ASSIGN(auto found, store::list_review_items(*connection, filter));
      if (static_cast<std::int64_t>(found.size()) == filter.limit) {
        found.pop_back();
        next = std::to_string(found.back().id);
      }
      for (const store::ReviewItem& item : found) items.push_back(api::to_json(item));
    }
    return boost::json::object{{"items", std::move(items)}, {"next", std::move(next)}};
  }
  Result<boost::json::object> find_review(std::int64_t id) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    std::optional<store::ReviewItem> item;
    if (connection != nullptr) {
      LADE_ASSIGN(item, store::find_review_item(*connection, store::kDefaultCompany, id));
    }
    if (item) return api::to_json(*item);
    return fail("review_item_not_found", fmt::format("there is no question {}", id), "lade review list shows those",
                ErrorKind::invalid);
  }
  Result<boost::json::object> decide_review(const jobs::Decision& decision) override {
    return decide_here(common_, decision);
  }
  Result<boost::json::object> undo_review(std::int64_t item) override { return undo_here(common_, item); }
  Result<boost::json::object> decide_in_bulk(const jobs::ReviewWish& wish, std::int64_t least, bool dry_run) override {
    return decide_in_bulk_here(common_, wish, least, dry_run);
  }

  Result<boost::json::object> job_progress(const std::string& reference) override {
    LADE_ASSIGN(const store::JobRecord job, find_job(reference));
    LADE_ASSIGN(const std::string progress, store::job_progress(*connection_, job.id));
    return boost::json::parse(progress).as_object();
  }

  Result<jobs::ResultFiles> fetch_results(const ResultsDemand& demand) override {
    LADE_ASSIGN(const store::JobRecord job, find_job(demand.job));
    LADE_ASSIGN(const jobs::ImportOptions options, options_here());
    LADE_ASSIGN(const std::unique_ptr<storage::Storage> storage, jobs::open_storage(options));
    const std::filesystem::path folder = demand.folder.empty() ? options.data / "imports" / job.uuid : demand.folder;
    return demand.all ? jobs::make_results(*connection_, *storage, job, options, folder)
                      : jobs::fetch_results(*connection_, *storage, job, folder);
  }

  Result<store::BatchPage> list_batches(const store::BatchFilter& filter) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    if (connection == nullptr) return store::BatchPage();
    return store::list_batches(*connection, filter);
  }

  Result<store::BatchRecord> find_batch(const std::string& batch) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    if (connection == nullptr) return fail(jobs::batch_not_found(batch));
    return jobs::require_batch(*connection, batch);
  }

  Result<jobs::BatchOutcome> act(const BatchDemand& demand) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::write));
    if (connection == nullptr) return fail(jobs::batch_not_found(demand.batch));
    LADE_ASSIGN(jobs::BatchOutcome outcome, act_on_batch(*connection, demand, current_user()));
    LADE_TRY(remove_files(outcome.files));
    return outcome;
  }
  Result<boost::json::object> batch_part(const BatchView& view) override {
    LADE_ASSIGN(const store::BatchRecord batch, find_batch(view.batch));
    return part_of_batch(*connection_, batch, view);
  }
  Result<void> batch_file(const std::string& reference, const std::string& format, ByteSink& to) override {
    LADE_ASSIGN(const store::BatchRecord batch, find_batch(reference));
    return format.empty() ? jobs::write_batch_errors(*connection_, batch, to)
                          : jobs::write_batch_export(*connection_, batch, format, to);
  }

  Result<boost::json::array> lineage_of_row(const jobs::LineageDemand& demand) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    boost::json::array items;
    if (connection == nullptr) return items;
    LADE_ASSIGN(const auto rows, jobs::lineage_of_row(*connection, demand));
    for (const jobs::WrittenRow& row : rows) items.push_back(api::to_json(row));
    return items;
  }
  Result<boost::json::object> lineage_of_job(const std::string& job, const std::string& cursor,
                                             std::int64_t limit) override {
    LADE_ASSIGN(db::Connection* const connection, open_for_job(job, Access::read));
    LADE_ASSIGN(const store::JobRecord record, jobs::require_job(*connection, job));
    std::int64_t from = 0;
    const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), from);
    if (!cursor.empty() && (error != std::errc() || end != cursor.data() + cursor.size() || from < 0))
      return fail("option_invalid", fmt::format("--cursor {}: no page begins there", cursor), {}, ErrorKind::usage);
    LADE_ASSIGN(const jobs::LineagePage page, jobs::lineage_of_job(*connection, record, from, limit));
    return api::to_json(page);
  }

  Result<std::vector<queue::TaskRow>> list_tasks(const queue::TaskFilter& filter) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    if (connection == nullptr) return std::vector<queue::TaskRow>();
    return queue::list_tasks(*connection, filter);
  }
  Result<std::vector<queue::QueueRule>> list_rules() override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    if (connection == nullptr) return std::vector<queue::QueueRule>();
    return queue::list_rules(*connection);
  }
  Result<std::vector<queue::ListedNode>> list_nodes() override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    if (connection == nullptr) return std::vector<queue::ListedNode>();
    return queue::list_nodes(*connection);
  }
  Result<std::vector<queue::DeadLetter>> dead_letters(std::int64_t limit) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::read));
    if (connection == nullptr) return std::vector<queue::DeadLetter>();
    return queue::dead_letters(*connection, "", limit);
  }
  Result<void> retry_letter(std::int64_t task) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::write));
    if (connection == nullptr) return fail(queue::no_such_letter(task));
    LADE_ASSIGN(const auto done, jobs::retry_letters(*connection, {&task, 1}, {current_user()}));
    return done.refused.empty() ? Result<void>() : fail(done.refused.front().error);
  }
  Result<void> delete_letter(std::int64_t task) override {
    LADE_ASSIGN(db::Connection* const connection, open(Access::write));
    if (connection == nullptr) return fail(queue::no_such_letter(task));
    return queue::delete_dead_letter(*connection, task);
  }

  Result<std::vector<store::StoredDefinition>> list_definitions() override {
    LADE_ASSIGN(const auto connection, open_store_to_read(common_));
    if (connection == nullptr) return std::vector<store::StoredDefinition>();
    return store::list_definitions(*connection);
  }
  Result<std::optional<std::string>> find_definition(const std::string& slug) override {
    LADE_ASSIGN(const auto connection, open_store_to_read(common_));
    if (connection == nullptr) return std::nullopt;
    LADE_ASSIGN(const auto stored, store::find_definition(*connection, slug));
    return stored ? std::optional(stored->source_text) : std::nullopt;
  }
  Result<store::StoredDefinition> save_definition(const definition::Definition& definition,
                                                  const std::string& text) override {
    LADE_ASSIGN(const auto connection, open_or_create(common_));
    LADE_TRY(store::migrate(*connection));
    return jobs::save_definition(*connection, definition, text);
  }
  Result<store::StoredDefinition> save_draft(const definition::Parsed& parsed, const std::string& text) override {
    LADE_ASSIGN(const auto connection, open_or_create(common_));
    LADE_TRY(store::migrate(*connection));
    return jobs::save_draft(*connection, parsed, text);
  }
  Result<store::StoredDefinition> edit_definition(const DefinitionEdit& edit) override {
    LADE_ASSIGN(const store::StoredDefinition newest, require_definition(edit.slug));
    LADE_ASSIGN(const std::string text, definition::patched_text(newest.source_text, edit.patch));
    const definition::Parsed parsed = jobs::read_definition(text);
    if (!parsed.valid() && !edit.draft) return fail(definition_faults(parsed, edit.slug));
    if (parsed.definition.slug != edit.slug)
      return fail("request_invalid",
                  fmt::format("the definition would call itself '{}', not '{}'", parsed.definition.slug, edit.slug),
                  "a definition keeps its slug", ErrorKind::usage);
    return parsed.valid() ? save_definition(parsed.definition, text) : save_draft(parsed, text);
  }
  Result<boost::json::array> definition_part(const std::string& slug, const std::string& part) override {
    LADE_ASSIGN(const store::StoredDefinition stored, require_definition(slug));
    boost::json::object snapshot = boost::json::parse(jobs::definition_snapshot(stored)).as_object();
    const std::string name = part == "steps"          ? "import_step_list"
                             : part == "data-columns" ? "import_data_column_list"
                             : part == "mappings"     ? "import_mapping_list"
                                                      : "import_source_column_list";
    return std::move(snapshot[name].as_array());
  }
  Result<std::string> job_definition(const std::string& job) override {
    LADE_ASSIGN(db::Connection* const connection, open_for_job(job, Access::read));
    LADE_ASSIGN(const store::JobRecord record, jobs::require_job(*connection, job));
    return jobs::definition_snapshot(*connection, record);
  }

 private:
  Result<store::StoredDefinition> require_definition(const std::string& slug) {
    LADE_ASSIGN(const auto connection, open_store_to_read(common_));
    std::optional<store::StoredDefinition> stored;
    if (connection != nullptr) {
      LADE_ASSIGN(stored, store::find_definition(*connection, slug));
    }
    if (stored) return std::move(*stored);
    return fail("definition_not_found", fmt::format("there is no definition '{}'", slug), "", ErrorKind::invalid);
  }
  // Null when the database has none of lade's tables.
  Result<db::Connection*> open(Access access) {
    if (connection_ == nullptr || access_ != access) {
      LADE_ASSIGN(connection_, open_current_store(common_, access));
      access_ = access;
    }
    return connection_.get();
  }
  Result<db::Connection*> open_for_job(const std::string& job, Access access) {
    LADE_ASSIGN(db::Connection* const connection, open(access));
    if (connection == nullptr) return fail(jobs::job_not_found(job));
    return connection;
  }

  Result<jobs::ImportOptions> options_here() const {
    jobs::ImportOptions options;
    options.database = common_.database_url();
    LADE_TRY(set_place(common_, options));
    return options;
  }

  // Out of the storage of this place; those of another storage are left to its own nodes.
  Result<void> remove_files(const std::vector<store::UnwantedFile>& files) const {
    std::error_code error;
    LADE_ASSIGN(const jobs::ImportOptions options, options_here());
    const bool is_there = options.bucket || std::filesystem::exists(jobs::storage_path(options), error);
    if (files.empty() || !is_there) return {};
    LADE_ASSIGN(const std::unique_ptr<storage::Storage> storage, jobs::open_storage(options));
    for (const store::UnwantedFile& file : files)
      if (file.storage == storage->id()) LADE_TRY(storage->remove(file.uuid));
    return {};
  }

  const CommonOptions& common_;
  std::unique_ptr<db::Connection> connection_;
  Access access_ = Access::read;
};

}  // namespace

std::unique_ptr<Site> open_local_site(const CommonOptions& common) {
  return std::make_unique<LocalSite>(common);
}

}  // namespace lade::cli
