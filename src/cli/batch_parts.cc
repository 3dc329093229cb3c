#include "cli/batch_parts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <memory>

#include "base/one_line.h"
#include "cli/site.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct PartCommand {
  BatchView view;
  std::string format = "json";
};
using Words = std::shared_ptr<PartCommand>;  // shared by the command's options and its action

// What a member says, as a cell of a table.
std::string cell(const json::object& object, std::string_view name) {
  const json::value* const member = object.if_contains(name);
  if (member == nullptr || member->is_null()) return "-";
  return member->is_string() ? std::string(member->get_string()) : json::serialize(*member);
}

std::string cell(const json::value& object, std::string_view name) {
  return cell(object.as_object(), name);
}

void print_task(const json::value& task) {
  const json::value& error = task.at("error");
  const json::value& quality = task.at("quality");
  fmt::print("{:<12}  {:<16}  {:>3}  {:<9}  {:<24}  {:<20}  {}\n", cell(task, "task_id"), cell(task, "status"),
             cell(task, "attempt"), quality.is_object() ? cell(quality, "tier") : "-", cell(task, "key"),
             error.is_object() ? cell(error, "code") : "-", cell(task, "source_url"));
}

// What a server says about its pages is a stranger's text.
void line(std::string_view name, std::string_view text) {
  if (text != "-") fmt::print("  {:<16}  {}\n", one_line(name), one_line(text));
}

void print_fetched(const json::value& fetched) {
  line("answered by", cell(fetched, "url"));
  if (const json::value* const hops = fetched.as_object().if_contains("hops"))
    for (const json::value& hop : hops->as_array()) line("  by way of", std::string_view(hop.as_string()));
  line("fetched", cell(fetched, "fetched_at"));
  line("answer", fmt::format("{}, {} bytes{}", cell(fetched, "status"), cell(fetched, "bytes"),
                             fetched.as_object().contains("not_modified") ? ", not changed since" : ""));
  for (const auto& [name, value] : fetched.at("headers").as_object())
    line(fmt::format("  {}", std::string_view(name)), std::string_view(value.as_string()));
}

void print_quality(const json::value& quality) {
  const auto part = [&](const char* name) { return fmt::format("{:.2f}", quality.at(name).to_number<double>()); };
  line("quality", fmt::format("{}, {}: completeness {}, resolution {}, source {}, validation {}", part("score"),
                              cell(quality, "tier"), part("completeness"), part("resolution"), part("source"),
                              part("validation")));
}

// One row task, for who wants to know where its record comes from.
void print_whole_task(const json::object& task) {
  fmt::print("{} {}\n", cell(task, "task_id"), cell(task, "status"));
  for (const char* name : {"key", "type", "row", "attempt"}) line(name, cell(task, name));
  line("source", cell(task, "source_url"));
  if (task.at("fetched").is_object()) print_fetched(task.at("fetched"));
  line("format", cell(task, "source_format"));
  line("checksum", cell(task, "checksum"));
  if (task.at("quality").is_object()) print_quality(task.at("quality"));
  if (task.at("error").is_object())
    line("error", fmt::format("{}: {}", cell(task.at("error"), "code"), cell(task.at("error"), "message")));
}

void print_stage(const json::value& stage) {
  const json::value& result = stage.at("result");
  fmt::print("{:<20}  {:<17}  {:<9}  {:>9}/{:<9}  {:>9}\n", cell(stage.at("payload"), "job"), cell(stage, "job_type"),
             cell(stage, "status"), cell(result, "succeeded"), cell(result, "total"), cell(result, "failed"));
}

void print_event(const json::value& event) {
  fmt::print("{}  {:<26}  {:<12}  {}\n", cell(event, "created_at"), cell(event, "event_type"), cell(event, "actor"),
             cell(event, "data"));
}

void print_metrics(const json::object& metrics) {
  const auto share = [](const json::value& value) { return fmt::format("{:.1f} %", 100 * value.to_number<double>()); };
  fmt::print("success rate  {}\nretry rate    {}\n", share(metrics.at("success_rate")),
             share(metrics.at("retry_rate")));
  for (const json::value& stage : metrics.at("stages").as_array())
    fmt::print("  {:<17}  {:>9} ended  {:>7} failed  median {:>6} ms  p95 {:>6} ms\n", cell(stage, "job_type"),
               cell(stage, "tasks"), cell(stage, "failed"), cell(stage, "median_ms"), cell(stage, "p95_ms"));
  for (const json::value& reason : metrics.at("top_failure_reasons").as_array())
    fmt::print("  {:>9}  {:>7}  {} {}\n", cell(reason, "count"), share(reason.at("share")), cell(reason, "code"),
               cell(reason, "reason") == "-" ? "" : cell(reason, "reason"));
}

void print_list(const BatchView& view, const json::object& page) {
  for (const json::value& item : page.at("items").as_array())
    view.part == "tasks" ? print_task(item) : view.part == "stages" ? print_stage(item) : print_event(item);
  if (page.at("items").as_array().empty()) fmt::print("no {}\n", view.part);
  if (page.at("next").is_string())
    fmt::print("there are more; the next ones: --cursor {}\n", std::string_view(page.at("next").get_string()));
}

int show(const PartCommand& words, const CommonOptions& common) {
  const auto site = open_site(common);
  if (!site) return report(site.error(), common.output);
  const auto part = (*site)->batch_part(words.view);
  if (!part) return report(part.error(), common.output);
  const bool is_list = part->contains("items");
  if (common.output == Output::text) {
    is_list                     ? print_list(words.view, *part)
    : words.view.part == "task" ? print_whole_task(*part)
                                : print_metrics(*part);
  } else if (common.output == Output::ndjson && is_list) {
    for (const json::value& item : part->at("items").as_array()) fmt::print("{}\n", json::serialize(item));
  } else {
    fmt::print("{}\n", json::serialize(*part));
  }
  return kOk;
}

class StandardOutput final : public ByteSink {
 public:
  Result<void> write(std::string_view bytes) override {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    return {};
  }
};

int write(const PartCommand& words, const CommonOptions& common) {
  const auto site = open_site(common);
  if (!site) return report(site.error(), common.output);
  StandardOutput output;
  const auto done = (*site)->batch_file(words.view.batch, words.format, output);
  return done ? int{kOk} : report(done.error(), common.output);
}

CLI::App* add_part(CLI::App& batches, const char* name, const char* description, CommonOptions& common,
                   const Words& words) {
  CLI::App* const command = batches.add_subcommand(name, description);
  command->add_option("BATCH", words->view.batch, "name, UUID or id of the batch")->required();
  add_database_options(*command, common);
  add_server_options(*command, common);
  return command;
}

CLI::App* add_view(CLI::App& batches, const char* name, const char* description, CommonOptions& common, Action& action,
                   const Words& words) {
  words->view.part = name;
  CLI::App* const command = add_part(batches, name, description, common, words);
  command->callback([words, &common, &action] { action = [words, &common] { return show(*words, common); }; });
  return command;
}

void add_paging(CLI::App& command, const Words& words) {
  command.add_option("--limit", words->view.filter.limit, "at most so many")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_option("--cursor", words->view.filter.cursor, "where the page before ended");
}

}  // namespace

void add_batch_part_commands(CLI::App& batches, CommonOptions& common, Action& action) {
  const auto tasks = std::make_shared<PartCommand>(), stages = std::make_shared<PartCommand>(),
             events = std::make_shared<PartCommand>(), metrics = std::make_shared<PartCommand>(),
             errors = std::make_shared<PartCommand>(), all = std::make_shared<PartCommand>(),
             task = std::make_shared<PartCommand>();
  CLI::App* const listed =
      add_view(batches, "tasks", "Its row tasks: pages, or the tasks of its jobs", common, action, tasks);
  jobs::RowTaskFilter& filter = tasks->view.filter;
  listed->add_option("--status", filter.status,
                     "pending, running, succeeded, failed, retryable, blocked, cancelled, ready_for_review");
  listed->add_option("--source", filter.source, "only those of this host, or with this in their URL");
  listed->add_option("--error", filter.error, "only those with this code");
  listed->add_option("--key", filter.key, "only those that the manifest calls so");
  add_paging(*listed, tasks);
  add_view(batches, "task", "One row task: how its page was answered, and how good its record is", common, action, task)
      ->add_option("TASK", task->view.task, "its id, as `tasks` shows it")
      ->required();
  add_paging(*add_view(batches, "stages", "The stages of its jobs", common, action, stages), stages);
  add_paging(*add_view(batches, "events", "Its history", common, action, events), events);
  add_view(batches, "metrics", "How well it goes: rates, durations, reasons of failures", common, action, metrics);
  errors->format.clear();
  add_part(batches, "errors", "What failed or is blocked, as CSV", common, errors)
      ->callback([errors, &common, &action] { action = [errors, &common] { return write(*errors, common); }; });
  CLI::App* const exported = add_part(batches, "export", "All its row tasks, to check their quality", common, all);
  exported->add_option("--format", all->format, "json or csv")
      ->capture_default_str()
      ->check(CLI::IsMember({"json", "csv"}));
  exported->callback([all, &common, &action] { action = [all, &common] { return write(*all, common); }; });
}

}  // namespace lade::cli
