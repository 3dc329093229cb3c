#include "jobs/questions.h"

#include <algorithm>
#include <boost/json.hpp>

#include "jobs/resend.h"
#include "store/blocked_pages.h"
#include "store/review_items.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;

constexpr std::size_t kItemsAtOnce = 1000;

bool fetches(const Job& job) {
  return std::ranges::any_of(job.definition().steps, [](const definition::Step& step) { return step.kind == "fetch"; });
}

bool asks(const Job& job) {
  return std::ranges::any_of(job.definition().steps,
                             [](const definition::Step& step) { return step.kind == "resolve"; });
}

double number_at(const json::value& object, const char* name) {
  return object.at(name).to_number<double>();
}

// What steps::to_text() has written.
store::NewReviewItem item_of(const staging::Finding& finding) {
  const json::value question = json::parse(finding.issue.question);
  const auto text = [&](const char* name) { return std::string(question.at(name).as_string()); };
  return {.row = finding.place.row_id,
          .line = finding.place.line,
          .step = text("step"),
          .column = finding.issue.column,
          .table = text("table"),
          .rules = text("rules"),
          .key = text("key"),
          .name = text("name"),
          .tier = text("tier"),
          .best = number_at(question, "best"),
          .ambiguous = question.at("ambiguous").as_bool(),
          .candidates = text("candidates"),
          .record = json::serialize(question.at("record")),
          .completeness = number_at(question, "completeness"),
          .blocks = finding.issue.severity == model::Severity::error};
}

struct Asked {
  std::int64_t first_row = 0, last_row = 0;  // 0: there is none
};
Result<Asked> put_questions(db::Connection& connection, const Job& job, const staging::IssueLog& findings) {
  if (!asks(job) || findings.ranges().empty()) return Asked{};
  std::vector<store::NewReviewItem> items;
  Asked asked;
  const auto put = [&]() -> Result<void> {
    LADE_TRY(store::put_review_items(connection, job.id, job.options.company, items));
    if (asked.first_row == 0 && !items.empty()) asked.first_row = items.front().row;
    if (!items.empty()) asked.last_row = items.back().row;
    items.clear();
    return {};
  };
  staging::IssueReader reader(findings);
  for (staging::Finding finding;;) {
    LADE_ASSIGN(const bool more, reader.next(finding));
    if (!more) break;
    if (!finding.issue.question.empty()) items.push_back(item_of(finding));
    if (items.size() == kItemsAtOnce) LADE_TRY(put());
  }
  LADE_TRY(put());
  return asked;
}

}  // namespace

steps::Memory memory_of(std::int64_t company) {
  return [company](db::Connection& connection, const std::string& table,
                   const std::string& rules) -> Result<std::vector<steps::Remembered>> {
    LADE_ASSIGN(const auto names, store::remembered_names(connection, company, table, rules));
    std::vector<steps::Remembered> remembered;
    for (const store::RememberedName& name : names) remembered.push_back({name.name, name.entity});
    return remembered;
  };
}

Result<void> store_questions(db::Connection& connection, const Job& job, const std::string& storage,
                             const staging::IssueLog& findings) {
  LADE_ASSIGN(const Asked asked, put_questions(connection, job, findings));
  if (asked.first_row == 0) return {};
  LADE_ASSIGN(const std::int64_t known, store::decide_remembered(connection, job.id, asked.first_row, asked.last_row));
  if (fetches(job)) LADE_TRY(store::mark_pages(connection, job.id, asked.first_row, asked.last_row));
  if (known == 0) return {};
  return send_later(connection, {job.id, job.options.company, storage, job.definition().queue});
}

Result<void> replace_questions(db::Connection& connection, const Job& job, const staging::IssueLog& findings,
                               std::span<const std::int64_t> rows) {
  if (!asks(job)) return {};
  LADE_TRY(store::settle_review_items(connection, job.id, rows));
  LADE_TRY(put_questions(connection, job, findings));
  if (rows.empty() || !fetches(job)) return {};
  const auto [first, last] = std::ranges::minmax(rows);
  return store::mark_pages(connection, job.id, first, last);
}

}  // namespace lade::jobs
