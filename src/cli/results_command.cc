#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>

#include "cli/site.h"

namespace lade::cli {
namespace {

Result<jobs::ResultFiles> fetch(const ResultsDemand& demand, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  return site->fetch_results(demand);
}

int run(const ResultsDemand& command, const CommonOptions& common) {
  const auto files = fetch(command, common);
  if (!files) return report(files.error(), common.output);
  const std::pair<const char*, const std::string&> all[] = {
      {"failed", files->failed}, {"succeeded", files->succeeded}, {"unprocessed", files->unprocessed}};
  boost::json::object object;
  for (const auto& [name, path] : all) {
    object[name] = path.empty() ? boost::json::value() : boost::json::value(path);
    if (common.output == Output::text && !path.empty()) fmt::print("{} rows: {}\n", name, path);
  }
  if (common.output != Output::text) fmt::print("{}\n", boost::json::serialize(object));
  if (common.output == Output::text && files->failed.empty() && files->succeeded.empty() && files->unprocessed.empty())
    fmt::print("the job has no result files\n");
  return kOk;
}

}  // namespace

void add_results_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<ResultsDemand>();
  CLI::App* sub = app.add_subcommand("results", "Bring the result files of a job to where you can edit them");
  sub->add_option("JOB", command->job, "id, UUID or slug of the job")->required();
  add_database_options(*sub, common);
  add_server_options(*sub, common);
  sub->add_option("--results-dir", command->folder, "folder for them (default: DATA/imports/JOB)");
  sub->add_flag(
      "--all", command->all,
      "make the files of failed, succeeded and unprocessed rows anew, from the source and what is known of its rows");
  sub->footer("Example: lade results price_list-12 --results-dir . && lade import failed.csv -d price_list");
  sub->callback([command, &common, &action] { action = [command, &common] { return run(*command, common); }; });
}

}  // namespace lade::cli
