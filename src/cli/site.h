#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cli/commands.h"
#include "definition/parse.h"
#include "jobs/batch_tasks.h"
#include "jobs/batches.h"
#include "jobs/control.h"
#include "jobs/decide.h"
#include "jobs/diff.h"
#include "jobs/import.h"
#include "jobs/lineage.h"
#include "jobs/results.h"
#include "jobs/review.h"
#include "jobs/review_wish.h"
#include "queue/dead_letters.h"
#include "queue/groups.h"
#include "queue/task_list.h"
#include "store/batches.h"
#include "store/definitions.h"
#include "store/events.h"
#include "store/job_list.h"
#include "store/row_list.h"

namespace lade::cli {

// What can be done to a job.
enum class JobAct { pause, resume, cancel, retry, clone, approve, reject, undo };
struct JobDemand {
  JobAct act;
  std::string job;  // id, UUID or slug
  jobs::Retry retry = {};
  bool force = false;                         // clone
  std::optional<std::int64_t> revision = {};  // approve; nullopt: whichever is the newest
  std::optional<std::string> reason = {};     // reject
};

enum class BatchAct { pause, resume, cancel, retry, requeue_stuck, approve_all, reject_all, finalize, remove };
struct BatchDemand {
  BatchAct act;
  std::string batch;  // name, UUID or id
  jobs::BatchRetry retry = {};
  std::chrono::seconds threshold{1800};  // requeue_stuck
};

// A part of a batch: a list, one row task, or its metrics.
struct BatchView {
  std::string part;                 // tasks, task, stages, events, metrics
  std::string batch;                // name, UUID or id
  std::string task = {};            // the id of `task`
  jobs::RowTaskFilter filter = {};  // cursor and limit hold for all lists
};

struct JobPicture {
  store::JobRecord job;
  queue::TaskCounts tasks;
  std::vector<store::Event> events;
  boost::json::value comparison;  // api::comparison_json()
};

// Which files of a job's rows are brought, and where to.
struct ResultsDemand {
  std::string job;
  std::filesystem::path folder = {};  // empty: DATA/imports/JOB
  bool all = false;                   // also those that were not kept, made anew
};

struct DefinitionEdit {
  std::string slug;
  std::string patch;   // a JSON merge patch over its settings
  bool draft = false;  // also with faults
};

// Where jobs live: a database that this process opens, or a server that it asks. The two answer alike, also with their
// errors; commands do not know which one they talk to. Belongs to one thread.
class Site {
 public:
  virtual ~Site() = default;

  virtual Result<store::JobPage> list_jobs(const store::JobFilter& filter, const std::string& batch) = 0;
  virtual Result<store::JobRecord> find_job(const std::string& job) = 0;
  virtual Result<JobPicture> show_job(const std::string& job) = 0;
  virtual Result<store::JobRecord> act(const JobDemand& demand) = 0;
  // What undoing it would do, as api::to_json() gives it.
  virtual Result<boost::json::object> preview_undo(const std::string& job) = 0;
  // Gives the job as it was.
  virtual Result<store::JobRecord> delete_job(const std::string& job) = 0;
  // `word` is one of store::row_words(), the same that the filter has.
  virtual Result<void> list_rows(const std::string& job, const std::string& word, const store::RowFilter& filter,
                                 const std::function<void(const store::ListedRow&)>& take) = 0;
  // One row of a job, and the same after a correction, as api::to_json() gives it.
  virtual Result<boost::json::object> show_row(const std::string& job, std::int64_t row) = 0;
  virtual Result<boost::json::object> correct_row(const std::string& job, const jobs::Correction& correction) = 0;
  // A page of what it will change, as api::to_json() gives it.
  virtual Result<boost::json::object> diff_page(const std::string& job, const load::DiffFilter& filter,
                                                std::int64_t after, std::int64_t limit) = 0;
  // Tables of the database that show its rows, as api::to_json() gives their names.
  virtual Result<boost::json::object> make_tables(const std::string& job, const std::string& schema) = 0;
  // Which jobs have written a stored row, newest first, and what a job has written, page by page; as api::to_json()
  // gives them.
  virtual Result<boost::json::array> lineage_of_row(const jobs::LineageDemand& demand) = 0;
  virtual Result<boost::json::object> lineage_of_job(const std::string& job, const std::string& cursor,
                                                     std::int64_t limit) = 0;
  // Names that people decide about, as api::to_json() gives them: a page, one, and what a decision has come to. Rows
  // that waited for it are sent; where this process does that itself, `imports` lists the jobs and how they ended.
  virtual Result<boost::json::object> list_review(const jobs::ReviewWish& wish) = 0;
  virtual Result<boost::json::object> find_review(std::int64_t item) = 0;
  virtual Result<boost::json::object> decide_review(const jobs::Decision& decision) = 0;
  virtual Result<boost::json::object> undo_review(std::int64_t item) = 0;
  virtual Result<boost::json::object> decide_in_bulk(const jobs::ReviewWish& wish, std::int64_t least,
                                                     bool dry_run) = 0;
  // As store::job_progress() gives it.
  virtual Result<boost::json::object> job_progress(const std::string& job) = 0;
  // Each file is there whole or not at all.
  virtual Result<jobs::ResultFiles> fetch_results(const ResultsDemand& demand) = 0;

  virtual Result<store::BatchPage> list_batches(const store::BatchFilter& filter) = 0;
  virtual Result<store::BatchRecord> find_batch(const std::string& batch) = 0;
  virtual Result<jobs::BatchOutcome> act(const BatchDemand& demand) = 0;
  // As the API gives it.
  virtual Result<boost::json::object> batch_part(const BatchView& view) = 0;
  // Writes its errors (`format` empty), or all its row tasks as csv or json.
  virtual Result<void> batch_file(const std::string& batch, const std::string& format, ByteSink& to) = 0;

  // Versions of data sets, as api::to_json() gives them; of one target table or of all (empty).
  virtual Result<boost::json::array> list_versions(const std::string& table) = 0;
  virtual Result<boost::json::object> activate_version(std::int64_t version) = 0;

  virtual Result<std::vector<queue::TaskRow>> list_tasks(const queue::TaskFilter& filter) = 0;
  virtual Result<std::vector<queue::QueueRule>> list_rules() = 0;
  virtual Result<std::vector<queue::ListedNode>> list_nodes() = 0;
  virtual Result<std::vector<queue::DeadLetter>> dead_letters(std::int64_t limit) = 0;
  virtual Result<void> retry_letter(std::int64_t task) = 0;
  virtual Result<void> delete_letter(std::int64_t task) = 0;

  virtual Result<std::vector<store::StoredDefinition>> list_definitions() = 0;
  // The text of its newest version; nullopt when there is none.
  virtual Result<std::optional<std::string>> find_definition(const std::string& slug) = 0;
  // Stores a valid definition as the next version of its slug, unless the newest says the same.
  virtual Result<store::StoredDefinition> save_definition(const definition::Definition& definition,
                                                          const std::string& text) = 0;
  // Stores one with faults, which no import can use.
  virtual Result<store::StoredDefinition> save_draft(const definition::Parsed& parsed, const std::string& text) = 0;
  // Stores what the patch makes of the newest version as the next one.
  virtual Result<store::StoredDefinition> edit_definition(const DefinitionEdit& edit) = 0;
  // One of its lists: steps, data-columns, source-columns, mappings.
  virtual Result<boost::json::array> definition_part(const std::string& slug, const std::string& part) = 0;
  // The definition that a job runs by, in its parts; JSON.
  virtual Result<std::string> job_definition(const std::string& job) = 0;
};

// The server that the command line or the environment names; empty: none. A database on the command line beats a server
// in the environment.
Result<std::string> server_of(const CommonOptions& common);
// The server's, or that of the database.
Result<std::unique_ptr<Site>> open_site(const CommonOptions& common);
std::unique_ptr<Site> open_local_site(const CommonOptions& common);

// A definition by path of a YAML file, or by slug of a stored one.
struct NamedDefinition {
  std::string text;
  std::string name;  // of the file or the slug, for messages
};
Result<NamedDefinition> find_definition_text(const std::string& name, Site& site);
// definition_invalid, with every fault.
Error definition_faults(const definition::Parsed& parsed, const std::string& name);
// Whether the name is that of a file, rather than a slug.
bool names_file(const std::string& name);

}  // namespace lade::cli
