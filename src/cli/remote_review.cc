#include <fmt/format.h>

#include "cli/remote_site.h"

// Names that people decide about, on a server.
namespace lade::cli {
namespace {

namespace json = boost::json;

constexpr const char* kReview = "/api/v1/review";

std::string item_path(std::int64_t item) {
  return fmt::format("{}/{}", kReview, item);
}

}  // namespace

Result<json::object> RemoteSite::list_review(const jobs::ReviewWish& wish) {
  const remote::Names query{{"status", wish.status},
                            {"confidence", wish.confidence},
                            {"min", wish.min},
                            {"max", wish.max},
                            {"table", wish.table},
                            {"batch", wish.batch},
                            {"job", wish.job},
                            {"limit", std::to_string(wish.limit)},
                            {"cursor", wish.cursor == 0 ? "" : std::to_string(wish.cursor)}};
  LADE_ASSIGN(const json::value answer, client_.ask({.path = kReview, .query = query}));
  return answer.as_object();
}

Result<json::object> RemoteSite::find_review(std::int64_t item) {
  LADE_ASSIGN(const json::value answer, client_.ask({.path = item_path(item)}));
  return answer.as_object();
}

Result<json::object> RemoteSite::decide_review(const jobs::Decision& decision) {
  json::object body;
  if (decision.kind == jobs::DecisionKind::pick) body = {{"decision", "pick"}, {"entity", decision.entity}};
  if (decision.kind == jobs::DecisionKind::reject) body = {{"decision", "reject"}};
  if (decision.kind == jobs::DecisionKind::create) {
    json::object values;
    for (const auto& [column, text] : decision.values) values[column] = text ? json::value(*text) : json::value();
    body = {{"decision", "create"}, {"values", std::move(values)}};
  }
  if (decision.revision) body["revision"] = *decision.revision;
  LADE_ASSIGN(const json::value answer,
              client_.ask({.method = "POST", .path = item_path(decision.item), .body = json::serialize(body)}));
  return answer.as_object();
}

Result<json::object> RemoteSite::undo_review(std::int64_t item) {
  LADE_ASSIGN(const json::value answer,
              client_.ask({.method = "POST", .path = item_path(item) + "/undo", .body = "{}"}));
  return answer.as_object();
}

Result<json::object> RemoteSite::decide_in_bulk(const jobs::ReviewWish& wish, std::int64_t least, bool dry_run) {
  json::object filter;
  for (const auto& [name, word] :
       {std::pair("confidence", &wish.confidence), {"table", &wish.table}, {"batch", &wish.batch}, {"job", &wish.job}})
    if (!word->empty()) filter[name] = *word;
  const json::object body{{"filter", std::move(filter)}, {"min_confidence", least}, {"dry_run", dry_run}};
  LADE_ASSIGN(const json::value answer,
              client_.ask({.method = "POST", .path = fmt::format("{}/bulk", kReview), .body = json::serialize(body)}));
  return answer.as_object();
}

}  // namespace lade::cli
