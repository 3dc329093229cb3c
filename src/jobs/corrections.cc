#include "jobs/corrections.h"

#include <algorithm>
#include <boost/json.hpp>

namespace lade::jobs {
namespace {

namespace json = boost::json;

std::string text_at(const json::value& object, const char* name) {
  return std::string(object.at(name).as_string());
}

}  // namespace

std::string to_text(const Cells& cells) {
  json::object object;
  for (const auto& [column, cell] : cells)
    object[column] = cell.typed ? json::value(json::object{{"value", cell.text}}) : json::value(cell.text);
  return json::serialize(object);
}

Cells read_cells(std::string_view text) {
  Cells cells;
  const json::value parsed = json::parse(text);
  for (const auto& [column, value] : parsed.as_object())
    cells.emplace(
        column, value.is_string() ? CellText(std::string(value.as_string())) : CellText(text_at(value, "value"), true));
  return cells;
}

std::string to_text(const std::vector<model::Issue>& issues) {
  json::array list;
  for (const model::Issue& issue : issues) {
    json::object object{{"severity", issue.severity == model::Severity::error ? "error" : "warning"},
                        {"code", issue.code},
                        {"column", issue.column},
                        {"value", issue.value},
                        {"message", issue.message},
                        {"hint", issue.hint}};
    if (!issue.question.empty()) object["question"] = issue.question;
    list.push_back(std::move(object));
  }
  return json::serialize(list);
}

std::vector<model::Issue> read_issues(std::string_view text) {
  std::vector<model::Issue> issues;
  const json::value parsed = json::parse(text);
  for (const json::value& issue : parsed.as_array())
    issues.push_back({issue.at("severity").as_string() == "error" ? model::Severity::error : model::Severity::warning,
                      text_at(issue, "code"), text_at(issue, "column"), text_at(issue, "value"),
                      text_at(issue, "message"), text_at(issue, "hint"),
                      issue.as_object().contains("question") ? text_at(issue, "question") : std::string()});
  return issues;
}

bool has_error(const std::vector<model::Issue>& issues) {
  return std::ranges::any_of(issues,
                             [](const model::Issue& issue) { return issue.severity == model::Severity::error; });
}

std::size_t part_of(std::span<const std::string> splitters, std::string_view key) {
  return static_cast<std::size_t>(std::ranges::upper_bound(splitters, key) - splitters.begin());
}

Result<std::shared_ptr<const Corrections>> Corrections::read(db::Connection& connection, std::int64_t job,
                                                             std::span<const std::string> splitters) {
  LADE_ASSIGN(const auto versions, store::row_versions(connection, job));
  if (versions.empty()) return nullptr;
  return std::make_shared<const Corrections>(versions, splitters);
}

Corrections::Corrections(std::span<const store::RowVersion> versions, std::span<const std::string> splitters) {
  std::vector<staging::Record> records;
  for (std::size_t first = 0, next = 0; first < versions.size(); first = next) {
    while (next < versions.size() && versions[next].row_id == versions[first].row_id) ++next;
    const store::RowVersion& version = versions[next - 1];
    const staging::RowPlace place{static_cast<std::uint32_t>(version.row_id), static_cast<std::uint32_t>(version.line),
                                  version.position};
    rows_.insert(place.row_id);
    cells_.emplace(version.row_id, read_cells(version.changes));
    for (const model::Issue& issue : read_issues(version.issues))
      findings_.push_back(
          {place, issue.severity == model::Severity::error ? model::Outcome::failed : model::Outcome::unchanged,
           issue});
    staging::for_each_record(version.records, [&](const staging::Record& record) { records.push_back(record); });
    for (const store::RowVersion& one : versions.subspan(first, next - first))
      staging::for_each_record(one.records, [&](const staging::Record& record) {
        traces_[part_of(splitters, record.key)].push_back({place.row_id, version.revision, std::string(record.key)});
      });
  }
  std::ranges::stable_sort(records, {}, &staging::Record::key);
  for (const staging::Record& record : records) staging::append_record(parts_[part_of(splitters, record.key)], record);
}

Corrections::Touched Corrections::touched(std::size_t part, std::int64_t since) const {
  Touched touched;
  const auto found = traces_.find(part);
  if (found == traces_.end()) return touched;
  for (const Trace& trace : found->second) {
    if (trace.revision <= since) continue;
    touched.rows.insert(trace.row);
    touched.keys.insert(trace.key);
  }
  return touched;
}

staging::Range Corrections::bucket(std::size_t part) const {
  const auto found = parts_.find(part);
  if (found == parts_.end()) return {};
  return {.memory = found->second.data(), .bytes = found->second.size()};
}

Result<void> Corrections::write_findings(staging::IssueWriter& writer) const {
  for (const staging::Finding& finding : findings_) LADE_TRY(writer.add(finding));
  return {};
}

const Cells* Corrections::cells_of(std::int64_t row) const {
  const auto found = cells_.find(row);
  return found == cells_.end() ? nullptr : &found->second;
}

}  // namespace lade::jobs
