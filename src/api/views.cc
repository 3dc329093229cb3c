#include "api/views.h"

#include "base/moment.h"
#include "jobs/stored_job.h"

namespace lade::api {
namespace {

namespace json = boost::json;
using model::Outcome;

json::object rows_json(const model::RowCounts& rows) {
  json::object object{{"read", rows.read}};
  for (const Outcome outcome : model::kOutcomes) object[model::to_string(outcome)] = rows[outcome];
  object["removed"] = rows.removed;
  return object;
}

void add_times(json::object& object, const store::JobRecord& job) {
  object["created_by"] = text_or_null(job.created_by);
  object["reviewed_by"] = text_or_null(job.reviewed_by);
  object["created_at"] = text_or_null(job.created_at);
  object["started_at"] = text_or_null(job.started_at);
  object["reviewed_at"] = text_or_null(job.reviewed_at);
  object["finished_at"] = text_or_null(job.finished_at);
}

json::array texts(const std::vector<std::string>& all) {
  return json::array(all.begin(), all.end());
}

}  // namespace

std::string shown(char c) {
  if (c == '\0') return "none";
  if (c == '\t') return "tab";
  return std::string(1, c);
}

json::value text_or_null(std::string_view text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

std::string server_time() {
  return to_text(lade::now());
}

json::object stamped(json::object object) {
  object["server_time"] = server_time();
  return object;
}

json::array faults_json(const std::vector<definition::Fault>& faults) {
  json::array list;
  for (const definition::Fault& fault : faults)
    list.push_back(json::object{{"code", fault.code},
                                {"severity", fault.warning ? "warning" : "error"},
                                {"message", fault.message},
                                {"line", fault.line},
                                {"column", fault.column}});
  return list;
}

json::value parsed_or_null(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  return error ? json::value(nullptr) : value;
}

json::object to_json(const store::JobRecord& job) {
  json::object object{{"job_id", job.uuid},
                      {"id", job.id},
                      {"slug", job.slug},
                      {"definition", job.definition},
                      {"definition_version", job.definition_version},
                      {"batch", text_or_null(job.batch)},
                      {"file", job.file_name},
                      {"file_id", text_or_null(job.file_uuid)},
                      {"file_bytes", job.file_bytes},
                      {"status", job.status()},
                      {"state", to_string(job.standing.state)},
                      {"outcome", job.standing.outcome ? json::value(to_string(*job.standing.outcome)) : nullptr},
                      {"progress", job.progress()},
                      {"paused", job.paused},
                      {"cancel_requested", job.cancel_requested},
                      {"retries", job.retries},
                      {"review_revision", job.review_revision},
                      {"revision", job.review_revision},
                      {"rows_total", job.rows_total ? json::value(*job.rows_total) : nullptr},
                      {"rows_analysed", job.rows_analysed},
                      {"rows", rows_json(job.rows)},
                      {"conserved", job.rows.conserved()}};
  object["waits_for"] = text_or_null(job.waits_for);
  object["undoes"] = text_or_null(job.undoes);
  object["undone_by"] = text_or_null(job.undone_by);
  object["source"] = parsed_or_null(jobs::source_of(job));
  const jobs::ImportOptions options = jobs::options_of(job);
  object["time_context_ident"] = text_or_null(options.time_context_ident);
  object["default_valid_from"] = text_or_null(options.default_valid_from);
  object["default_valid_to"] = text_or_null(options.default_valid_to);
  if (!job.error.empty()) {
    json::object& error = object["error"].emplace_object();
    error = {{"code", job.error_code}, {"message", job.error}};
    if (!job.error_hint.empty()) error["hint"] = job.error_hint;
  }
  if (!job.results_error.empty()) object["results_error"] = job.results_error;
  add_times(object, job);
  return object;
}

json::object to_json(const store::Event& event) {
  return {{"number", event.number},
          {"event", event.kind},
          {"state", event.state},
          {"actor", event.actor},
          {"data", parsed_or_null(event.data)},
          {"created_at", event.created_at}};
}

json::object to_json(const queue::TaskCounts& tasks) {
  return {{"pending", tasks.pending},
          {"running", tasks.running},
          {"succeeded", tasks.succeeded},
          {"failed", tasks.failed},
          {"cancelled", tasks.cancelled}};
}

json::object to_json(const store::BatchRecord& batch) {
  const model::JobTally& jobs = batch.jobs;
  return {{"batch_id", batch.uuid},
          {"id", batch.id},
          {"name", batch.name},
          {"status", batch.status()},
          {"progress", batch.progress},
          {"newcomers_wait", batch.newcomers_wait},
          {"jobs",
           {{"total", jobs.total()},
            {"finished", jobs.finished()},
            {"succeeded", jobs.succeeded},
            {"failed", jobs.failed},
            {"cancelled", jobs.ended_by_people}}},
          {"rows", {{"total", batch.rows_total}, {"processed", batch.rows_processed}, {"failed", batch.rows_failed}}},
          {"tasks",
           {{"total", batch.tasks.total},
            {"processed", batch.tasks.processed()},
            {"succeeded", batch.tasks.succeeded},
            {"failed", batch.tasks.failed},
            {"blocked", batch.tasks.blocked},
            {"cancelled", batch.tasks.cancelled}}},
          {"source_manifest", text_or_null(batch.source_manifest)},
          {"created_by", text_or_null(batch.created_by)},
          {"created_at", text_or_null(batch.created_at)},
          {"started_at", text_or_null(batch.started_at)},
          {"completed_at", text_or_null(batch.completed_at)},
          {"finalized_at", text_or_null(batch.finalized_at)},
          {"finalized_by", text_or_null(batch.finalized_by)}};
}

json::object to_json(const queue::TaskRow& task) {
  json::object object{{"task_id", task.id},
                      {"status", task.status},
                      {"queue", task.queue},
                      {"kind", task.kind},
                      {"group", text_or_null(task.group)},
                      {"stage", text_or_null(task.stage)},
                      {"payload", task.payload},
                      {"priority", task.priority},
                      {"attempts", task.attempts},
                      {"crashes", task.crashes},
                      {"node", text_or_null(task.node)},
                      {"created_at", text_or_null(to_text(moment_of(task.created_at)))},
                      {"available_at", text_or_null(to_text(moment_of(task.available_at)))},
                      {"started_at", text_or_null(to_text(moment_of(task.started_at)))},
                      {"finished_at", text_or_null(to_text(moment_of(task.finished_at)))}};
  if (task.duration > 0) object["duration_ms"] = task.duration / 1000;
  if (!task.error_code.empty()) object["error"] = {{"code", task.error_code}, {"message", task.error}};
  return object;
}

json::object to_json(const queue::ListedNode& node) {
  return {{"boot", node.boot},
          {"name", node.name},
          {"storage", text_or_null(node.storage)},
          {"beat", node.beat},
          {"running", node.running},
          {"slots", node.slots},
          {"draining", node.draining},
          {"started_at", text_or_null(to_text(moment_of(node.started_at)))}};
}

json::object to_json(const queue::QueueRule& rule) {
  return {{"scope", rule.scope},
          {"name", rule.name},
          {"paused", rule.paused},
          {"concurrency", rule.concurrency ? json::value(*rule.concurrency) : json::value()}};
}

json::object to_json(const queue::DeadLetter& letter) {
  return {{"task_id", letter.task},
          {"queue", letter.queue},
          {"kind", letter.kind},
          {"group", text_or_null(letter.group)},
          {"payload", letter.payload},
          {"reason", letter.reason},
          {"message", letter.message},
          {"attempts", letter.attempts},
          {"crashes", letter.crashes},
          {"retries", letter.retries},
          {"died_at", text_or_null(to_text(moment_of(letter.died_at)))}};
}

json::object to_json(const store::SetVersion& version) {
  std::string table = version.table;
  std::erase(table, '"');
  return {{"id", version.id},
          {"table", std::move(table)},
          {"scope", parsed_or_null(version.scope)},
          {"version_id", version.version},
          {"state", version.state},
          {"rows", version.rows},
          {"import", text_or_null(version.job_slug)},
          {"keep_days", version.keep_days},
          {"error", text_or_null(version.error)},
          {"created_at", text_or_null(version.created_at)},
          {"activated_at", text_or_null(version.activated_at)},
          {"retired_at", text_or_null(version.retired_at)}};
}

json::object to_json(const store::FileRecord& file) {
  return {{"file_id", file.uuid},
          {"name", file.name},
          {"bytes", file.bytes},
          {"sha256", file.sha256},
          {"purpose", file.purpose},
          {"created_by", text_or_null(file.created_by)},
          {"created_at", text_or_null(file.created_at)}};
}

json::object to_json(const store::StoredDefinition& definition) {
  return {{"slug", definition.slug},
          {"version", definition.version},
          {"name", definition.name},
          {"note", text_or_null(definition.note)},
          {"strategy", definition.strategy},
          {"mode", text_or_null(definition.mode)},
          {"valid_time_from", text_or_null(definition.valid_time_from)},
          {"valid", definition.valid},
          {"validation_error", text_or_null(definition.validation_error)},
          {"created_at", text_or_null(definition.created_at)}};
}

json::object to_json(const store::ListedRow& row) {
  json::object object{{"row", row.row_id},
                      {"state", model::to_string(row.state)},
                      {"outcome", model::to_string(row.outcome)},
                      {"last_completed_priority", row.last_completed_priority}};
  const std::string_view action = model::row_action(row.outcome);
  object["action"] = action.empty() ? json::value(nullptr) : json::value(action);
  if (row.line != 0) object["line"] = row.line;
  const std::pair<const char*, const std::string&> texts[] = {{"code", row.issue.code},
                                                              {"column", row.issue.column},
                                                              {"value", row.issue.value},
                                                              {"message", row.issue.message},
                                                              {"hint", row.issue.hint}};
  for (const auto& [name, text] : texts)
    if (!text.empty()) object[name] = text;
  return object;
}

json::object to_json(const jobs::WrittenRow& row) {
  json::object key;
  for (const auto& [column, value] : row.key) key[column] = value ? json::value(*value) : json::value(nullptr);
  const auto number = [](std::int64_t place) { return place == 0 ? json::value(nullptr) : json::value(place); };
  return {{"table", row.table},
          {"key", std::move(key)},
          {"action", row.action},
          {"job_id", row.job.uuid},
          {"job", row.job.slug},
          {"definition", row.job.definition},
          {"file", row.job.file_name},
          {"sha256", text_or_null(row.sha256)},
          {"row", number(row.row)},
          {"line", number(row.line)},
          {"at", text_or_null(row.job.finished_at)},
          {"by", row.by}};
}

json::object to_json(const jobs::LineagePage& page) {
  json::array items;
  for (const jobs::WrittenRow& row : page.rows) items.push_back(to_json(row));
  return {{"items", std::move(items)},
          {"next", page.next == 0 ? json::value(nullptr) : json::value(std::to_string(page.next))}};
}

json::object to_json(const jobs::ReviewedRow& row) {
  json::object values;
  for (const auto& [column, text] : row.cells) values[column] = text;
  json::array issues;
  for (const model::Issue& issue : row.issues)
    issues.push_back(json::object{{"severity", issue.severity == model::Severity::error ? "error" : "warning"},
                                  {"code", issue.code},
                                  {"column", text_or_null(issue.column)},
                                  {"value", issue.value},
                                  {"message", issue.message},
                                  {"hint", issue.hint}});
  return {{"row", row.row},
          {"line", row.line},
          {"version", row.version},
          {"revision", row.job.review_revision},
          {"failed", jobs::has_error(row.issues)},
          {"values", std::move(values)},
          {"changed", json::array(row.changed.begin(), row.changed.end())},
          {"issues", std::move(issues)}};
}

json::object to_json(const jobs::UndoPreview& preview) {
  json::array examples;
  for (const load::LeftRow& row : preview.examples)
    examples.push_back(json::object{{"row", row.row_id == 0 ? json::value(nullptr) : json::value(row.row_id)},
                                    {"line", row.line == 0 ? json::value(nullptr) : json::value(row.line)},
                                    {"table", row.issue.column},
                                    {"key", text_or_null(row.issue.value)},
                                    {"code", row.issue.code},
                                    {"message", row.issue.message}});
  const auto id_or_null = [](std::optional<std::int64_t> id) { return id ? json::value(*id) : json::value(); };
  json::value version;
  if (preview.version) version = {{"from", id_or_null(preview.version->from)}, {"to", id_or_null(preview.version->to)}};
  return {{"restored", preview.restored}, {"removed", preview.removed},      {"put_back", preview.put_back},
          {"left", preview.left},         {"examples", std::move(examples)}, {"version", std::move(version)}};
}

json::object to_json(const jobs::RowTables& tables) {
  return {{"upload", tables.upload}, {"data", tables.data}, {"rows", tables.rows}};
}

json::object to_json(const source::Sniffed& sniffed) {
  const source::Origin& origin = sniffed.origin;
  json::object object{{"format", origin.format},
                      {"compression", text_or_null(origin.compression)},
                      {"encoding", origin.encoding},
                      {"bom", origin.bom},
                      {"bad_bytes", origin.bad_bytes},
                      {"bad_offsets", json::array(origin.bad_offsets.begin(), origin.bad_offsets.end())},
                      {"sheet", text_or_null(origin.sheet)},
                      {"sheets", texts(origin.sheets)}};
  object["delimiter"] = shown(sniffed.dialect.delimiter);
  object["quote"] = shown(sniffed.dialect.quote);
  object["escape"] = shown(sniffed.dialect.escape);
  object["comment"] = shown(sniffed.dialect.comment);
  object["line_end"] = sniffed.dialect.lone_cr ? "cr" : "lf or crlf";
  object["skipped_lines"] = sniffed.skipped_lines;
  object["has_header"] = sniffed.has_header;
  object["header_line"] = sniffed.header_line;
  object["header"] = texts(sniffed.header);
  object["columns"] = sniffed.columns;
  json::array& rows = object["rows"].emplace_array();
  for (const std::vector<std::string>& row : sniffed.rows) rows.push_back(texts(row));
  object["evidence"] = texts(sniffed.evidence);
  return object;
}

json::object to_json(const source::ColumnEvidence& column) {
  json::array readings;
  for (const source::TypeReading& reading : column.readings)
    readings.push_back(json::object{{"type", reading.type},
                                    {"locale", text_or_null(reading.locale)},
                                    {"format", text_or_null(reading.format)},
                                    {"evidence", reading.evidence}});
  return {{"name", column.name},
          {"cells", column.cells},
          {"blank", column.blank},
          {"distinct", column.distinct == 0 ? json::value(nullptr) : json::value(column.distinct)},
          {"samples", texts(column.samples)},
          {"values", texts(column.values)},
          {"max_length", column.max_length},
          {"leading_zeros", column.leading_zeros},
          {"padded", column.padded},
          {"null_words", texts(column.null_words)},
          {"readings", std::move(readings)},
          {"ambiguous", column.ambiguous},
          {"note", text_or_null(column.note)}};
}

json::object to_json(const definition::HeaderMatch& match) {
  json::array matches, missing;
  for (const definition::ColumnMatch& one : match.matches)
    matches.push_back(json::object{{"source_column", one.source_column},
                                   {"data_column", one.data_column},
                                   {"kind", definition::to_string(one.kind)},
                                   {"confidence", one.confidence}});
  for (const definition::MissingColumn& column : match.missing) {
    json::array similar;
    for (const definition::SimilarName& name : column.similar)
      similar.push_back(json::object{{"source_column", name.source_column}, {"confidence", name.confidence}});
    missing.push_back(json::object{{"data_column", column.data_column},
                                   {"from", json::array(column.from.begin(), column.from.end())},
                                   {"required", column.required},
                                   {"similar", std::move(similar)}});
  }
  return {{"complete", match.is_complete()},
          {"matches", std::move(matches)},
          {"missing", std::move(missing)},
          {"unmapped", json::array(match.unmapped.begin(), match.unmapped.end())}};
}

}  // namespace lade::api
