#include <fmt/format.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <array>
#include <memory>

#include "analysis/formula_guard.h"
#include "api/views.h"
#include "cli/site.h"
#include "cli/usage.h"
#include "csv/writer.h"
#include "store/row_list.h"

namespace lade::cli {
namespace {

enum class Format { text, json, ndjson, csv };

struct RowsCommand {
  std::string job;
  std::size_t word = 0;  // which of store::row_words()
  store::RowFilter filter;
  Format format = Format::text;
  bool into_table = false;
  std::string schema;
};

// Writes rows one by one, in one of the formats.
class RowOutput {
 public:
  RowOutput(Format format, std::string_view wanted) : format_(format), wanted_(wanted) {
    static constexpr Fields kNames = {"row",    "line", "state",  "outcome", "last_completed_priority",
                                      "action", "code", "column", "value",   "message",
                                      "hint"};
    if (format_ == Format::csv) write(kNames);
    if (format_ == Format::json) fmt::print("{{\"rows\":[");
  }
  void take(const store::ListedRow& row) {
    switch (format_) {
      case Format::csv: write_csv(row); break;
      case Format::text: write_text(row); break;
      case Format::json: fmt::print("{}{}", count_ == 0 ? "" : ",", boost::json::serialize(api::to_json(row))); break;
      case Format::ndjson: fmt::print("{}\n", boost::json::serialize(api::to_json(row))); break;
    }
    ++count_;
  }
  void finish() const {
    if (format_ == Format::json) fmt::print("]}}\n");
    if (format_ == Format::text && count_ == 0) fmt::print("no {} rows\n", wanted_);
  }

 private:
  using Fields = std::array<std::string_view, 11>;

  void write(const Fields& fields) {
    record_.clear();
    csv::append_record(record_, fields, {});
    fmt::print("{}", record_);
  }
  void write_csv(const store::ListedRow& row) {
    const std::string id = std::to_string(row.row_id), line = row.line == 0 ? "" : std::to_string(row.line),
                      priority = std::to_string(row.last_completed_priority);
    std::string value, message;
    write({id, line, model::to_string(row.state), model::to_string(row.outcome), priority,
           model::row_action(row.outcome), row.issue.code, row.issue.column,
           analysis::guard_formula(row.issue.value, value), analysis::guard_formula(row.issue.message, message),
           row.issue.hint});
  }
  void write_text(const store::ListedRow& row) const {
    std::string text = fmt::format("row {}", row.row_id);
    if (row.line != 0) text += fmt::format(" (line {})", row.line);
    text += fmt::format(" {} at {}", model::to_string(row.state), row.last_completed_priority);
    if (const std::string_view action = model::row_action(row.outcome); !action.empty())
      text += fmt::format(", {}", action);
    if (!row.issue.code.empty()) text += ": " + row.issue.code;
    if (!row.issue.column.empty()) text += " in " + row.issue.column;
    if (!row.issue.message.empty()) text += ": " + row.issue.message;
    if (!row.issue.value.empty()) text += fmt::format(" ('{}')", row.issue.value);
    fmt::print("{}\n", text);
  }
  const Format format_;
  const std::string wanted_;
  std::int64_t count_ = 0;
  std::string record_;
};

Result<void> list(const RowsCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  const std::string word = store::row_words()[command.word].first;
  // Begun with the first row: an error before it is not preceded by half an answer.
  std::optional<RowOutput> output;
  const auto begun = [&]() -> RowOutput& { return output ? *output : output.emplace(command.format, word); };
  LADE_TRY(site->list_rows(command.job, word, command.filter, [&](const store::ListedRow& row) { begun().take(row); }));
  begun().finish();
  return {};
}

Result<void> make_tables(const RowsCommand& command, const CommonOptions& common) {
  LADE_ASSIGN(const auto site, open_site(common));
  LADE_ASSIGN(const boost::json::object tables, site->make_tables(command.job, command.schema));
  if (command.format == Format::json || command.format == Format::ndjson) {
    fmt::print("{}\n", boost::json::serialize(tables));
  } else {
    fmt::print("{} and {}: {} rows\n", std::string_view(tables.at("upload").as_string()),
               std::string_view(tables.at("data").as_string()), tables.at("rows").to_number<std::int64_t>());
  }
  return {};
}

int run(const RowsCommand& command, const CommonOptions& common) {
  const bool plain = command.format == Format::text || command.format == Format::csv;
  const auto done = command.into_table ? make_tables(command, common) : list(command, common);
  return done ? int{kOk} : report(done.error(), plain ? Output::text : Output::json);
}

}  // namespace

void add_rows_command(CLI::App& app, CommonOptions& common, Action& action) {
  auto command = std::make_shared<RowsCommand>();
  CLI::App* sub = app.add_subcommand("rows", "Rows of a job by what became of them; failed ones with every error");
  sub->add_option("JOB", command->job, "id, UUID or slug of the job");
  sub->require_subcommand(0, 1);
  Choices choices;
  for (const auto& [word, wanted] : store::row_words()) choices.emplace_back(word, static_cast<int>(choices.size()));
  sub->add_option("--state", command->word,
                  "what became of them: failed, inserted, updated, unchanged, skipped or unprocessed; or how far they "
                  "have come: pending, analysing, analysed, processing, processed or error (default: failed)")
      ->transform(one_of(std::move(choices)))
      ->type_name("STATE");
  sub->add_option("--issue", command->filter.code, "only rows with an issue of this code, also a warning")
      ->type_name("CODE");
  sub->add_option("--column", command->filter.column, "only rows with an issue in this data column")->type_name("NAME");
  sub->add_option("--limit", command->filter.limit, "at most so many rows; 0: all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--after", command->filter.after, "only rows behind this one")->check(CLI::NonNegativeNumber);
  CLI::Option* into = sub->add_flag("--into-table", command->into_table,
                                    "make tables of the database that show all rows: JOB_upload and JOB_data");
  sub->add_option("--schema", command->schema, "where the tables are made (default: the database's own default)")
      ->needs(into);
  add_place_options(*sub, common);
  add_server_options(*sub, common);
  sub->add_option("--output", command->format, "text, json, ndjson or csv (default: text)")
      ->transform(one_of({{"text", static_cast<int>(Format::text)},
                          {"json", static_cast<int>(Format::json)},
                          {"ndjson", static_cast<int>(Format::ndjson)},
                          {"csv", static_cast<int>(Format::csv)}}))
      ->type_name("FORMAT");
  sub->footer(
      "Examples:\n"
      "  lade rows prices-7\n"
      "  lade rows prices-7 --state skipped --limit 0 --output csv > skipped.csv\n"
      "  lade rows prices-7 --issue unknown_value --column unit");
  add_review_row_commands(*sub, common, action);
  sub->callback([sub, command, &common, &action] {
    if (!sub->get_subcommands().empty()) return;
    if (command->job.empty()) throw CLI::RequiredError("JOB");
    command->filter.wanted = store::row_words()[command->word].second;
    action = [command, &common] { return run(*command, common); };
  });
}

}  // namespace lade::cli
