#include "api/review_view.h"

#include "base/redact.h"
#include "jobs/batch_tasks.h"

namespace lade::api {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::value decision_json(const store::ReviewItem& item) {
  if (item.status != "decided") return nullptr;
  const store::NameDecision& decision = item.decision;
  return json::object{{"decision", decision.decision},
                      {"entity", text_or_null(decision.entity)},
                      {"entity_name", text_or_null(decision.entity_name)},
                      {"decided_by", text_or_null(decision.decided_by)},
                      {"decided_at", text_or_null(decision.decided_at)}};
}

}  // namespace

json::object to_json(const store::ReviewItem& item) {
  return {{"id", item.id},
          {"status", item.status},
          {"revision", item.revision},
          {"name", item.name},
          {"table", item.table},
          {"column", item.column},
          {"step", item.step},
          {"tier", item.tier},
          {"confidence", item.best},
          {"level", jobs::confidence_level(item.best)},
          {"ambiguous", item.ambiguous},
          {"blocks", item.blocks},
          {"candidates", json::parse(item.candidates)},
          {"record", json::parse(item.record)},
          {"quality", jobs::to_json(item.quality)},
          {"import", json::object{{"job_id", item.job_uuid}, {"slug", item.job_slug}, {"file_name", item.file_name}}},
          {"batch", text_or_null(item.batch)},
          {"row", item.row},
          {"line", item.line},
          {"source_url", text_or_null(redacted(item.source_url))},
          {"evidence_path", text_or_null(item.evidence_path)},
          {"checksum", text_or_null(item.checksum)},
          {"decision", decision_json(item)},
          {"sent", item.sent},
          {"send_error", text_or_null(item.send_error)},
          {"created_at", text_or_null(item.created_at)}};
}

json::object to_json(const jobs::Decided& decided) {
  json::object object = to_json(decided.item);
  object["decided_items"] = decided.items;
  object["imports_waiting"] = decided.jobs.size();
  return object;
}

json::object to_json(const jobs::BulkDecided& bulk, bool dry_run) {
  return {{"dry_run", dry_run},
          {"items", bulk.items},
          {"names", bulk.names},
          {"ambiguous", bulk.ambiguous},
          {"gone", bulk.gone},
          {"decided", bulk.decided},
          {"imports_waiting", bulk.jobs.size()}};
}

}  // namespace lade::api
