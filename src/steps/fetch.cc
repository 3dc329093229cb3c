#include <boost/json.hpp>

#include <algorithm>
#include <map>

#include "steps/fetch_rules.h"
#include "steps/kinds.h"

// The steps `fetch` and `extract` in analysis: pages were fetched and taken apart before; what went wrong stands in
// columns of the records and becomes issues of their rows.
namespace lade::steps {
namespace {

namespace json = boost::json;
using analysis::StepRows;
using definition::DataColumn;
using definition::Step;

constexpr std::string_view kErrorColumn = "page_error", kIssuesColumn = "page_issues";

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

DataColumn column_from(std::string_view name, std::string_view header) {
  DataColumn column;
  column.name = std::string(name);
  column.from = {std::string(header)};
  column.type_given = true;
  return column;
}

// The data columns that take a column of the file, by its header.
std::vector<int> columns_of(const analysis::Program& program, const std::string& header) {
  std::vector<int> columns;
  for (std::size_t i = 0; i < program.columns.size(); ++i)
    if (std::ranges::find(program.columns[i].column.from, header) != program.columns[i].column.from.end())
      columns.push_back(static_cast<int>(i));
  return columns;
}

// What is wrong with a page, and with the fields that were taken out of it. Told before the columns of the fields are
// looked at: that one of them is blank is then no news.
class FetchStep final : public analysis::Step {
 public:
  struct Columns {
    int error, issues;                               // of the records
    std::vector<int> page;                           // under which a page is told of
    std::map<std::string, std::vector<int>> fields;  // which take the field, by its name
  };
  explicit FetchStep(Columns columns) : columns_(std::move(columns)) {}

  Result<void> analyse(StepRows& rows) const override {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows.is_refused(row)) continue;
      if (rows.has_value(columns_.error, row)) tell_page(rows, row);
      if (rows.has_value(columns_.issues, row)) tell_fields(rows, row);
    }
    return {};
  }

 private:
  void tell_page(StepRows& rows, std::size_t row) const {
    boost::system::error_code wrong;
    const json::value value = json::parse(rows.text(columns_.error, row), wrong);
    if (wrong || !value.is_object())
      return rows.error(row, columns_.page, "scrape_failed", "the page could not be fetched", "");
    tell(rows, row, columns_.page, value.get_object(), "url");
  }

  void tell_fields(StepRows& rows, std::size_t row) const {
    boost::system::error_code wrong;
    const json::value value = json::parse(rows.text(columns_.issues, row), wrong);
    if (wrong || !value.is_array()) return;
    for (const json::value& each : value.get_array()) {
      if (!each.is_object()) continue;
      const json::object& issue = each.get_object();
      const auto found = columns_.fields.find(text_at(issue, "column"));
      tell(rows, row, found == columns_.fields.end() ? columns_.page : found->second, issue, "hint");
    }
  }

  static void tell(StepRows& rows, std::size_t row, const std::vector<int>& columns, const json::object& what,
                   std::string_view hint) {
    const std::string name = text_at(what, "code");
    std::string message = text_at(what, "message");
    rows.error(row, columns, name, std::move(message), text_at(what, hint));
  }

  const Columns columns_;
};

class FetchKind final : public StepKind {
 public:
  std::string_view name() const override { return "fetch"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"url",       "key",     "per_host",   "total",
                                                    "retries",   "backoff", "timeout",    "max_bytes",
                                                    "redirects", "robots",  "conditional"};
    return kOptions;
  }
  void check(const Step& step, const definition::Definition& definition, definition::Faults& faults) const override {
    check_fetch(step, definition, faults);
  }
  Result<void> expand(const Step& step, Expansion& expansion) const override {
    expansion.add_column(step, column_from(kErrorColumn, page_column::kError));
    expansion.add_column(step, column_from(kIssuesColumn, page_column::kIssues));
    return {};
  }
  Result<std::shared_ptr<const analysis::Step>> analyse_half(const Step& step, const analysis::Program& program,
                                                             const Surroundings&) const override {
    FetchStep::Columns columns{.error = analysis::column_named(program, kErrorColumn),
                               .issues = analysis::column_named(program, kIssuesColumn),
                               .page = columns_of(program, option(step, "url")),
                               .fields = {}};
    if (columns.page.empty()) columns.page.push_back(columns.error);
    for (const FieldCell& field : page_rules(program.definition).cells)
      if (auto taking = columns_of(program, field.name); !taking.empty())
        columns.fields.emplace(field.name, std::move(taking));
    return std::make_shared<const FetchStep>(std::move(columns));
  }
};

class ExtractKind final : public StepKind {
 public:
  std::string_view name() const override { return "extract"; }
  std::span<const std::string_view> options() const override {
    static constexpr std::string_view kOptions[] = {"fields"};
    return kOptions;
  }
  void check(const Step& step, const definition::Definition& definition, definition::Faults& faults) const override {
    check_extract(step, definition, faults);
  }
  // What a page says is looked at only where there is a page: columns of its fields are this step's.
  Result<void> expand(const Step& step, Expansion& expansion) const override {
    const PageRules rules = page_rules(expansion.definition());
    for (const FieldCell& field : rules.cells) expansion.adopt_columns(step, field.name);
    return {};
  }
};

}  // namespace

const StepKind& fetch() {
  static const FetchKind kKind;
  return kKind;
}

const StepKind& extract() {
  static const ExtractKind kKind;
  return kKind;
}

}  // namespace lade::steps
