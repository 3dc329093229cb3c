#include <fmt/format.h>
#include <boost/json.hpp>

#include "jobs/import.h"
#include "jobs/results.h"

namespace lade::jobs {
namespace {

using model::Outcome;

boost::json::value path_or_null(const std::string& path) {
  return path.empty() ? boost::json::value() : boost::json::value(path);
}

boost::json::array names(const std::vector<std::string>& list) {
  return boost::json::array(list.begin(), list.end());
}

}  // namespace

std::int64_t rows_per_second(const Summary& summary) {
  return summary.seconds > 0 ? static_cast<std::int64_t>(static_cast<double>(summary.rows.read) / summary.seconds) : 0;
}

std::string to_json(const Summary& summary) {
  boost::json::object rows{{"read", summary.rows.read}};
  for (const Outcome outcome : model::kOutcomes) rows[model::to_string(outcome)] = summary.rows[outcome];
  rows["removed"] = summary.rows.removed;
  boost::json::array issues;
  for (const auto& [what, count] : summary.issues)
    issues.push_back(boost::json::object{{"code", what.first}, {"column", what.second}, {"count", count}});
  boost::json::object object{{"job_id", summary.job_id},
                             {"definition", summary.definition},
                             {"definition_version", summary.definition_version},
                             {"file", summary.file},
                             {"status", summary.outcome},
                             {"outcome", summary.outcome},
                             {"dry_run", summary.dry_run},
                             {"resumed", summary.resumed},
                             {"rows", std::move(rows)},
                             {"conserved", summary.rows.conserved()},
                             {"issues", std::move(issues)},
                             {"remarks", names(summary.remarks)},
                             {"files",
                              {{"succeeded", path_or_null(summary.succeeded_file)},
                               {"failed", path_or_null(summary.failed_file)},
                               {"unprocessed", path_or_null(summary.unprocessed_file)}}},
                             {"ignored_columns", names(summary.unmapped_columns)},
                             {"remembered_columns", names(summary.remembered_columns)},
                             {"absent_columns", names(summary.absent_columns)},
                             {"cannot_undo", names(summary.keyless_tables)},
                             {"rows_per_second", rows_per_second(summary)},
                             {"peak_rss_bytes", summary.peak_rss_bytes}};
  if (summary.dry_run) {
    boost::json::array& changes = object["changes"].emplace_array();
    for (const std::string& record : summary.first_changes) changes.push_back(boost::json::parse(record));
  }
  if (!summary.error.code.empty())
    object["error"] = {{"code", summary.error.code}, {"message", summary.error.message}, {"hint", summary.error.hint}};
  // Boost writes 1.5E0 for 1.5; people read this too.
  std::string text = boost::json::serialize(object);
  text.insert(text.size() - 1, fmt::format(",\"seconds\":{:.3f}", summary.seconds));
  return text;
}

int exit_code(const Summary& summary) {
  if (summary.outcome == "cancelled") return 5;
  if (summary.outcome == "waiting_for_review") return 7;
  if (summary.outcome != "succeeded") return 3;
  return summary.rows[Outcome::failed] > 0 ? 2 : 0;
}

void add_result_files(Summary& summary, Result<ResultFiles> files) {
  if (!files) {
    summary.error = std::move(files).error();
    summary.outcome = "failed";
    return;
  }
  summary.failed_file = files->failed;
  summary.succeeded_file = files->succeeded;
  summary.unprocessed_file = files->unprocessed;
}

}  // namespace lade::jobs
