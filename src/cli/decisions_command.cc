#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/site.h"

// Names that nobody could say for sure whom they mean: lade review.
namespace lade::cli {
namespace {

namespace json = boost::json;

struct DecisionsCommand {
  jobs::ReviewWish wish;
  jobs::Decision decision;
  bool create = false, reject = false, dry_run = false;
  std::vector<std::string> cells;  // column=text
  std::int64_t revision = -1;
  std::int64_t least = 0;
};
using Words = std::shared_ptr<DecisionsCommand>;  // shared by the command's options and its action

std::string text_at(const json::object& object, const char* name) {
  const json::value& value = object.at(name);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

std::int64_t number_at(const json::object& object, const char* name) {
  return object.at(name).to_number<std::int64_t>();
}

std::string told(const json::object& item) {
  if (!item.at("decision").is_object()) return text_at(item, "status");
  const json::object& decision = item.at("decision").as_object();
  const std::string by = text_at(decision, "decided_by");
  const std::string what =
      text_at(decision, "decision") == "reject"
          ? "means nobody"
          : fmt::format("means {} ({})", text_at(decision, "entity_name"), text_at(decision, "entity"));
  return fmt::format("{}{}{}", what, by.empty() ? "" : ", says ", by);
}

void print_item(const json::object& item) {
  const json::object& job = item.at("import").as_object();
  fmt::print("{}  '{}' in {}: {}\n", number_at(item, "id"), text_at(item, "name"), text_at(item, "table"), told(item));
  fmt::print("  row {} of {}{}\n", number_at(item, "row"), text_at(job, "slug"),
             item.at("sent").as_bool() ? ", sent again" : "");
  if (const std::string error = text_at(item, "send_error"); !error.empty()) fmt::print("  not sent: {}\n", error);
  for (const auto& [column, text] : item.at("record").as_object())
    fmt::print("    {}: {}\n", std::string_view(column), std::string_view(text.as_string()));
  for (const json::value& one : item.at("candidates").as_array()) {
    const json::object& candidate = one.as_object();
    fmt::print("  {:>3.0f}  {}  {} ({})\n", candidate.at("confidence").to_number<double>(), text_at(candidate, "id"),
               text_at(candidate, "name"), std::string_view(candidate.at("reasons").as_array().front().as_string()));
  }
}

void print_line(const json::object& item) {
  const json::array& candidates = item.at("candidates").as_array();
  fmt::print("{:>6}  {:>3.0f}  {:<30}  {:<16}  {:<20}  {}\n", number_at(item, "id"),
             item.at("confidence").to_number<double>(), text_at(item, "name"), text_at(item, "table"),
             candidates.empty() ? "" : text_at(candidates.front().as_object(), "name"), told(item));
}

// What became of the rows that waited.
void print_imports(const json::object& answer) {
  const json::value* const imports = answer.if_contains("imports");
  if (imports == nullptr) return;
  for (const json::value& one : imports->as_array()) {
    const json::object& job = one.as_object();
    const std::string error = text_at(job, "error");
    fmt::print("{}: rows sent again: {}, {}{}\n", text_at(job, "slug"), number_at(job, "rows"), text_at(job, "status"),
               error.empty() ? "" : ": " + error);
  }
}

int print(const Result<json::object>& answer, const CommonOptions& common, void (*show)(const json::object&)) {
  if (!answer) return report(answer.error(), common.output);
  if (common.output != Output::text) {
    fmt::print("{}\n", json::serialize(*answer));
  } else if (!common.quiet) {
    show(*answer);
    print_imports(*answer);
  }
  return kOk;
}

void show_page(const json::object& page) {
  if (page.at("items").as_array().empty()) return fmt::print("nothing to decide\n");
  for (const json::value& item : page.at("items").as_array()) print_line(item.as_object());
  if (page.at("next").is_string())
    fmt::print("there are more; the next ones: --cursor {}\n", std::string_view(page.at("next").as_string()));
}

void show_decided(const json::object& answer) {
  fmt::print("'{}' in {}: {}; questions decided: {}\n", text_at(answer, "name"), text_at(answer, "table"), told(answer),
             number_at(answer, "decided_items"));
}

void show_bulk(const json::object& answer) {
  const bool dry_run = answer.at("dry_run").as_bool();
  fmt::print("{} of {} questions about {} names; {} left out because two candidates are about as good\n",
             dry_run ? fmt::format("would decide {}", number_at(answer, "items") - number_at(answer, "ambiguous"))
                     : fmt::format("decided {}", number_at(answer, "decided")),
             number_at(answer, "items"), number_at(answer, "names"), number_at(answer, "ambiguous"));
}

Result<void> read_decision(DecisionsCommand& command) {
  const int given = int{!command.decision.entity.empty()} + int{command.create} + int{command.reject};
  if (given != 1 || (!command.create && !command.cells.empty()))
    return fail("option_invalid", "one of --pick, --create and --reject is given; --set goes with --create",
                "lade review decide 12 --pick 7", ErrorKind::usage);
  if (command.create) command.decision.kind = jobs::DecisionKind::create;
  if (command.reject) command.decision.kind = jobs::DecisionKind::reject;
  for (const std::string& cell : command.cells) {
    const auto equals = cell.find('=');
    if (equals == std::string::npos)
      return fail("option_invalid", fmt::format("--set '{}' names no text", cell), "--set \"column=text\"",
                  ErrorKind::usage);
    command.decision.values.emplace_back(cell.substr(0, equals), cell.substr(equals + 1));
  }
  if (command.revision >= 0) command.decision.revision = command.revision;
  return {};
}

// What is asked of the place where jobs live.
template <class Ask>
Result<json::object> ask(const CommonOptions& common, Ask ask_site) {
  LADE_ASSIGN(const auto site, open_site(common));
  return ask_site(*site);
}

CLI::App* add_command(CLI::App& app, const char* name, const char* description, CommonOptions& common) {
  CLI::App* command = app.add_subcommand(name, description);
  add_database_options(*command, common);
  add_settings_option(*command, common);
  add_server_options(*command, common);
  return command;
}

CLI::App* add_item_command(CLI::App& app, const char* name, const char* description, const Words& words,
                           CommonOptions& common) {
  CLI::App* command = add_command(app, name, description, common);
  command->add_option("ITEM", words->decision.item, "its number, as lade review list shows it")
      ->required()
      ->check(CLI::PositiveNumber);
  return command;
}

void add_filter(CLI::App& command, jobs::ReviewWish& wish) {
  command.add_option("--confidence", wish.confidence, "of the best candidate: high (90 and more), medium (70), low");
  command.add_option("--table", wish.table, "only names that are looked for in this table");
  command.add_option("--batch", wish.batch, "only of this batch");
  command.add_option("--job", wish.job, "only of this job");
}

void add_list(CLI::App& sub, const Words& words, CommonOptions& common, Action& action) {
  CLI::App* list = add_command(sub, "list", "Names to decide about, oldest first", common);
  list->add_option("--status", words->wish.status, "open, decided, withdrawn or all")->capture_default_str();
  add_filter(*list, words->wish);
  list->add_option("--min", words->wish.min, "least confidence of the best candidate");
  list->add_option("--max", words->wish.max, "most confidence of the best candidate");
  list->add_option("--limit", words->wish.limit, "at most so many")->capture_default_str()->check(CLI::Range(1, 1000));
  list->add_option("--cursor", words->wish.cursor, "where the page begins, as the one before said");
  list->callback([words, &common, &action] {
    action = [words, &common] {
      return print(ask(common, [&](Site& site) { return site.list_review(words->wish); }), common, show_page);
    };
  });
}

void add_decide(CLI::App& sub, const Words& words, CommonOptions& common, Action& action) {
  CLI::App* decide =
      add_item_command(sub, "decide", "Say whom the name means; rows that waited for it are loaded", words, common);
  decide->add_option("--pick", words->decision.entity, "the id of the entity that is meant");
  decide->add_flag("--create", words->create, "a new entity, which is put into the table");
  decide->add_option("--set", words->cells, "a column of the new entity: \"column=text\"; repeatable")
      ->type_name("CELL");
  decide->add_flag("--reject", words->reject, "nobody; rows with the name stay failed");
  decide->add_option("--revision", words->revision, "only if it still is this revision, also when it was decided")
      ->check(CLI::NonNegativeNumber);
  decide->callback([words, &common, &action] {
    action = [words, &common] {
      if (const auto read = read_decision(*words); !read) return report(read.error(), common.output);
      return print(ask(common, [&](Site& site) { return site.decide_review(words->decision); }), common, show_decided);
    };
  });
}

void add_bulk(CLI::App& sub, const Words& words, CommonOptions& common, Action& action) {
  CLI::App* bulk = add_command(sub, "bulk", "Accept the best candidate wherever it is sure enough", common);
  bulk->add_option("--min-confidence", words->least, "from 0 to 100")->required()->check(CLI::Range(0, 100));
  add_filter(*bulk, words->wish);
  bulk->add_flag("--dry-run", words->dry_run, "only count");
  bulk->callback([words, &common, &action] {
    action = [words, &common] {
      return print(
          ask(common, [&](Site& site) { return site.decide_in_bulk(words->wish, words->least, words->dry_run); }),
          common, show_bulk);
    };
  });
}

}  // namespace

void add_decision_commands(CLI::App& app, CommonOptions& common, Action& action) {
  auto words = std::make_shared<DecisionsCommand>();
  CLI::App* sub = app.add_subcommand("review", "Decide whom doubtful names mean");
  sub->require_subcommand(1);
  add_list(*sub, words, common, action);
  add_item_command(*sub, "show", "One name with its row and candidates", words, common)
      ->callback([words, &common, &action] {
        action = [words, &common] {
          return print(ask(common, [&](Site& site) { return site.find_review(words->decision.item); }), common,
                       print_item);
        };
      });
  add_decide(*sub, words, common, action);
  add_item_command(*sub, "undo", "Take a decision back, as long as no row was sent because of it", words, common)
      ->callback([words, &common, &action] {
        action = [words, &common] {
          return print(ask(common, [&](Site& site) { return site.undo_review(words->decision.item); }), common,
                       show_decided);
        };
      });
  add_bulk(*sub, words, common, action);
  sub->footer(
      "Examples:\n"
      "  lade review list --table composer --confidence medium\n"
      "  lade review decide 12 --pick 7\n"
      "  lade review decide 13 --create --set \"name=Patnam Subramania Iyer\"\n"
      "  lade review bulk --min-confidence 95 --dry-run");
}

}  // namespace lade::cli
