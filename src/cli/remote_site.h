#pragma once

#include <boost/json.hpp>
#include <memory>
#include <stop_token>
#include <string>

#include "cli/site.h"
#include "jobs/run_fix.h"
#include "remote/client.h"

namespace lade::cli {

// What an import by a server is asked for.
struct RemoteImport {
  std::string file;          // a path, or - for standard input
  std::string definition;    // slug
  std::int64_t version = 0;  // 0: the newest
  const jobs::ImportOptions& options;
  std::function<void(std::uint64_t sent, std::uint64_t total)> on_sent = {};
};

// What a match of columns by a server is asked for.
struct RemoteMatch {
  std::string file;        // a path, or - for standard input
  std::string definition;  // slug
  std::vector<std::string> given;
  bool save = false;
};

// A server with the same jobs, batches, queue and definitions, as far as the token's owner sees them.
class RemoteSite final : public Site {
 public:
  explicit RemoteSite(remote::Client client, std::filesystem::path data)
      : client_(std::move(client)), data_(std::move(data)) {}

  Result<store::JobPage> list_jobs(const store::JobFilter& filter, const std::string& batch) override;
  Result<store::JobRecord> find_job(const std::string& job) override;
  Result<JobPicture> show_job(const std::string& job) override;
  Result<store::JobRecord> act(const JobDemand& demand) override;
  Result<boost::json::object> preview_undo(const std::string& job) override;
  Result<store::JobRecord> delete_job(const std::string& job) override;
  Result<void> list_rows(const std::string& job, const std::string& word, const store::RowFilter& filter,
                         const std::function<void(const store::ListedRow&)>& take) override;
  Result<boost::json::object> show_row(const std::string& job, std::int64_t row) override;
  Result<boost::json::object> correct_row(const std::string& job, const jobs::Correction& correction) override;
  Result<boost::json::object> diff_page(const std::string& job, const load::DiffFilter& filter, std::int64_t after,
                                        std::int64_t limit) override;
  Result<boost::json::object> make_tables(const std::string& job, const std::string& schema) override;
  Result<boost::json::object> job_progress(const std::string& job) override;
  Result<boost::json::object> list_review(const jobs::ReviewWish& wish) override;
  Result<boost::json::object> find_review(std::int64_t item) override;
  Result<boost::json::object> decide_review(const jobs::Decision& decision) override;
  Result<boost::json::object> undo_review(std::int64_t item) override;
  Result<boost::json::object> decide_in_bulk(const jobs::ReviewWish& wish, std::int64_t least, bool dry_run) override;
  Result<boost::json::array> list_versions(const std::string& table) override;
  Result<boost::json::object> activate_version(std::int64_t version) override;
  Result<jobs::ResultFiles> fetch_results(const ResultsDemand& demand) override;
  Result<boost::json::array> lineage_of_row(const jobs::LineageDemand& demand) override;
  Result<boost::json::object> lineage_of_job(const std::string& job, const std::string& cursor,
                                             std::int64_t limit) override;
  Result<store::BatchPage> list_batches(const store::BatchFilter& filter) override;
  Result<store::BatchRecord> find_batch(const std::string& batch) override;
  Result<jobs::BatchOutcome> act(const BatchDemand& demand) override;
  Result<boost::json::object> batch_part(const BatchView& view) override;
  Result<void> batch_file(const std::string& batch, const std::string& format, ByteSink& to) override;
  Result<std::vector<queue::TaskRow>> list_tasks(const queue::TaskFilter& filter) override;
  // The API does not tell: none.
  Result<std::vector<queue::QueueRule>> list_rules() override;
  Result<std::vector<queue::ListedNode>> list_nodes() override;
  Result<std::vector<queue::DeadLetter>> dead_letters(std::int64_t limit) override;
  Result<void> retry_letter(std::int64_t task) override;
  Result<void> delete_letter(std::int64_t task) override;
  Result<std::vector<store::StoredDefinition>> list_definitions() override;
  Result<std::optional<std::string>> find_definition(const std::string& slug) override;
  Result<store::StoredDefinition> save_definition(const definition::Definition& definition,
                                                  const std::string& text) override;
  Result<store::StoredDefinition> save_draft(const definition::Parsed& parsed, const std::string& text) override;
  Result<store::StoredDefinition> edit_definition(const DefinitionEdit& edit) override;
  Result<boost::json::array> definition_part(const std::string& slug, const std::string& part) override;
  Result<std::string> job_definition(const std::string& job) override;

  // Sends the file; the server has stored it, and queued the job, when this returns. Stopped before, nothing remains.
  Result<store::JobRecord> import(const RemoteImport& import, const std::stop_token& stop);
  // Sends rows to be fixed, or the corrected failed file.
  Result<store::JobRecord> fix(const jobs::FixDemand& demand, const std::stop_token& stop);
  // Sends the file, which does not stay there, and gives the server's answer.
  Result<boost::json::object> match(const RemoteMatch& match);
  // Of a job that has ended, or as far as it has come.
  Result<staging::IssueCounts> issue_counts(const std::string& job);

 private:
  Result<std::string> fetch_result(const store::JobRecord& job, const std::string& which, const ResultsDemand& demand,
                                   const std::filesystem::path& folder);

  remote::Client client_;
  const std::filesystem::path data_;
};

// While a server that was there does not answer, standard error says so.
Result<std::unique_ptr<RemoteSite>> open_remote_site(const std::string& url, const CommonOptions& common);

}  // namespace lade::cli
