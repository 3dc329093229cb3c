#include "cli/local_review.h"

#include "api/review_view.h"
#include "cli/settings.h"
#include "cli/stop_on_signal.h"
#include "jobs/run_decisions.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

Result<jobs::ImportOptions> options_here(const CommonOptions& common) {
  jobs::ImportOptions options;
  options.data = common.data;
  options.database = db::limited_to(db::Access::write, common.database_url());
  options.user = current_user();
  LADE_ASSIGN(const NamedSettings named, named_settings(common));
  LADE_TRY(apply(named, options));
  LADE_TRY(set_place(common, options));
  return options;
}

// Carries the decision out and adds to what it gave how the jobs concerned have ended.
Result<json::object> carry_out(const CommonOptions& common, json::object& answer, const jobs::Deciding& deciding) {
  LADE_ASSIGN(const jobs::ImportOptions options, options_here(common));
  StopOnSignal stop;
  jobs::Progress progress;
  LADE_ASSIGN(const auto sent, jobs::run_decisions(deciding, options, progress, stop.token()));
  json::array imports;
  for (const jobs::SentJob& job : sent)
    imports.push_back(json::object{{"slug", job.slug},
                                   {"rows", job.rows},
                                   {"status", job.status},
                                   {"error", job.error.empty() ? json::value() : json::value(job.error)}});
  answer["imports"] = std::move(imports);
  return answer;
}

}  // namespace

Result<json::object> decide_here(const CommonOptions& common, const jobs::Decision& decision) {
  json::object answer;
  return carry_out(common, answer,
                   [&](db::Connection& connection, const jobs::Decider& decider) -> Result<std::vector<std::int64_t>> {
                     LADE_ASSIGN(const jobs::Decided decided, jobs::decide(connection, decider, decision));
                     answer = api::to_json(decided);
                     return decided.jobs;
                   });
}

Result<json::object> undo_here(const CommonOptions& common, std::int64_t item) {
  json::object answer;
  return carry_out(common, answer,
                   [&](db::Connection& connection, const jobs::Decider& decider) -> Result<std::vector<std::int64_t>> {
                     LADE_ASSIGN(const jobs::Decided undone, jobs::undo_decision(connection, decider, item));
                     answer = api::to_json(undone);
                     return std::vector<std::int64_t>();
                   });
}

Result<json::object> decide_in_bulk_here(const CommonOptions& common, const jobs::ReviewWish& wish, std::int64_t least,
                                         bool dry_run) {
  json::object answer;
  return carry_out(common, answer,
                   [&](db::Connection& connection, const jobs::Decider& decider) -> Result<std::vector<std::int64_t>> {
                     LADE_ASSIGN(store::ReviewFilter filter, jobs::filter_of(connection, wish, decider.company));
                     filter.min = std::max(filter.min.value_or(0), static_cast<double>(least));
                     LADE_ASSIGN(const jobs::BulkDecided bulk,
                                 jobs::decide_in_bulk(connection, decider, filter, dry_run));
                     answer = api::to_json(bulk, dry_run);
                     return bulk.jobs;
                   });
}

}  // namespace lade::cli
