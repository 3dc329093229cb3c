#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <memory>

#include "cli/change_view.h"
#include "cli/commands.h"
#include "cli/site.h"
#include "cli/usage.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

struct DiffCommand {
  std::string job;
  int kind = 0;  // 0: all, otherwise one of load::kChangeKinds + 1
  load::DiffFilter filter;
  std::int64_t after = 0;
  std::int64_t limit = 50;  // 0: all
};

std::int64_t next_of(const json::object& page) {
  const json::value& next = page.at("next");
  return next.is_string() ? std::stoll(std::string(next.as_string())) : 0;
}

void print_counts(const json::object& page) {
  std::string counts;
  for (const auto& [kind, count] : page.at("counts").as_object())
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", std::string_view(kind),
                          grouped(count.to_number<std::int64_t>()));
  fmt::print("revision {}: {}\n", page.at("revision").to_number<std::int64_t>(), counts);
  for (const auto& [column, kinds] : page.at("columns").as_object()) {
    std::int64_t cells = 0;
    for (const auto& [kind, count] : kinds.as_object()) cells += count.to_number<std::int64_t>();
    fmt::print("  {:<20} {:>12}\n", std::string_view(column), grouped(cells));
  }
}

// Page by page, so that a long diff is shown as it comes; as one JSON object it is held whole.
Result<void> show(DiffCommand command, const CommonOptions& common) {
  constexpr std::int64_t kMost = 1000;
  LADE_ASSIGN(const auto site, open_site(common));
  json::object whole;
  for (std::int64_t left = command.limit;;) {
    const std::int64_t wanted = command.limit == 0 ? kMost : std::min(left, kMost);
    LADE_ASSIGN(json::object page, site->diff_page(command.job, command.filter, command.after, wanted));
    const bool is_first = whole.empty();
    const json::array items = page.at("items").as_array();
    if (common.output == Output::text && is_first) print_counts(page);
    for (const json::value& item : items) {
      if (common.output == Output::text) print_change(item.as_object());
      if (common.output == Output::ndjson) fmt::print("{}\n", json::serialize(item));
    }
    command.after = next_of(page);
    left -= static_cast<std::int64_t>(items.size());
    if (is_first) {
      whole = std::move(page);
    } else {
      if (common.output == Output::json) std::ranges::copy(items, std::back_inserter(whole.at("items").as_array()));
      whole["next"] = page.at("next");
    }
    if (command.after == 0 || (command.limit > 0 && left <= 0)) break;
  }
  if (common.output == Output::json) fmt::print("{}\n", json::serialize(whole));
  if (common.output == Output::text && command.after != 0)
    fmt::print("there are more; the next ones: --after {}\n", command.after);
  return {};
}

int run(const DiffCommand& command, const CommonOptions& common) {
  const auto done = show(command, common);
  return done ? int{kOk} : report(done.error(), common.output);
}

}  // namespace

void add_diff_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<DiffCommand>();
  CLI::App* sub = app.add_subcommand("diff", "What a job that waits for review will change, cell by cell");
  sub->add_option("JOB", command->job, "id, UUID or slug of the job")->required();
  Choices kinds;
  for (const load::ChangeKind kind : load::kChangeKinds)
    kinds.emplace_back(std::string(load::to_string(kind)), static_cast<int>(kind) + 1);
  sub->add_option("--kind", command->kind, "only insert, update or remove")
      ->transform(one_of(std::move(kinds)))
      ->type_name("KIND");
  sub->add_option("--column", command->filter.column, "only changes of this column of a target table")
      ->type_name("NAME");
  sub->add_option("--limit", command->limit, "at most so many changes; 0: all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--after", command->after, "where to go on, as the page before has said")
      ->check(CLI::NonNegativeNumber);
  add_database_options(*sub, common);
  add_server_options(*sub, common);
  sub->footer(
      "Examples:\n"
      "  lade diff prices-7\n"
      "  lade diff prices-7 --kind update --column price\n"
      "  lade diff prices-7 --limit 0 --output ndjson > changes.ndjson");
  sub->callback([command, &common, &action] {
    if (command->kind > 0) command->filter.kind = load::to_string(load::kChangeKinds[command->kind - 1]);
    action = [command, &common] { return run(*command, common); };
  });
}

}  // namespace lade::cli
