#include "api/imports.h"
#include "api/paging.h"
#include "api/problem.h"
#include "api/review_view.h"
#include "api/route.h"

// Names that nobody could say for sure whom they mean: people decide.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;
using store::ReviewItem;

Error no_item(const std::string& id) {
  return {"review_item_not_found", "there is no question " + id, "GET /api/v1/review lists those", ErrorKind::invalid};
}

// The questions of imports that who asks may see.
Result<store::ReviewFilter> visible(const Call& call, const jobs::ReviewWish& wish) {
  LADE_ASSIGN(store::ReviewFilter filter, jobs::filter_of(call.connection, wish, call.who().company));
  const store::JobFilter seen = visible_imports(call.who());
  filter.seen_by = seen.seen_by;
  filter.project = seen.project;
  return filter;
}

jobs::ReviewWish read_wish(Fields& fields) {
  jobs::ReviewWish wish;
  wish.status = fields.text("status").value_or(wish.status);
  for (const auto& [name, word] : {std::pair("confidence", &wish.confidence),
                                   {"min", &wish.min},
                                   {"max", &wish.max},
                                   {"table", &wish.table},
                                   {"batch", &wish.batch},
                                   {"job", &wish.job}})
    *word = fields.text(name).value_or("");
  return wish;
}

Result<ReviewItem> require_item(const Call& call) {
  const std::string& text = call.at("item");
  Fields digits({{"item", text}}, "place in the address");
  const auto id = digits.integer("item", 1, INT64_MAX);
  if (!id) return fail(no_item(text));
  LADE_ASSIGN(auto item, store::find_review_item(call.connection, call.who().company, *id));
  if (!item || !accounts::sees(call.who(), item->job_created_by_id, item->job_project)) return fail(no_item(text));
  return std::move(*item);
}

jobs::Decider decider_of(const Call& call) {
  return {call.who().user, call.who().company, call.service.storage().id()};
}

Result<http::Response> list(Call& call) {
  jobs::ReviewWish wish = read_wish(call.query);
  LADE_ASSIGN(const Page page, read_page(call.query));
  LADE_TRY(call.query.finish());
  wish.cursor = page.before;
  wish.limit = page.limit + 1;
  LADE_ASSIGN(const store::ReviewFilter filter, visible(call, wish));
  LADE_ASSIGN(const auto items, store::list_review_items(call.connection, filter));
  return page_response(items, page, [](const ReviewItem& item) { return item.id; });
}

Result<http::Response> show(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const ReviewItem item, require_item(call));
  return json_response(200, to_json(item));
}

// {"name": "Thyagaraja", "born": 1767, "alias": null}
Result<void> read_values(Fields& body, jobs::Decision& decision) {
  const auto text = body.map("values");
  if (!text) return {};
  const json::value values = json::parse(*text);
  for (const auto& [column, value] : values.as_object()) {
    if (value.is_structured())
      return fail("request_invalid", "values: column '" + std::string(column) + "' is no plain value",
                  "text, a number, true, false or null", ErrorKind::usage);
    std::optional<std::string> cell;
    if (value.is_string()) cell = std::string(value.as_string());
    if (!value.is_string() && !value.is_null()) cell = json::serialize(value);
    decision.values.emplace_back(std::string(column), std::move(cell));
  }
  return {};
}

Result<jobs::Decision> read_decision(Call& call) {
  jobs::Decision decision;
  const std::string kind = call.body.required_text("decision");
  decision.entity = call.body.text("entity").value_or("");
  LADE_TRY(read_values(call.body, decision));
  decision.revision = call.body.integer("revision", 0, INT64_MAX);
  LADE_TRY(call.body.finish());
  if (kind == "pick") decision.kind = jobs::DecisionKind::pick;
  if (kind == "create") decision.kind = jobs::DecisionKind::create;
  if (kind == "reject") decision.kind = jobs::DecisionKind::reject;
  if (kind != "pick" && kind != "create" && kind != "reject")
    return fail("request_invalid", "decision '" + kind + "' is none", "pick, create or reject", ErrorKind::usage);
  if ((kind == "pick") == decision.entity.empty())
    return fail("request_invalid", kind == "pick" ? "field entity is missing" : "field entity is for pick only",
                "the id of the entity that is meant", ErrorKind::usage);
  if (kind != "create" && !decision.values.empty())
    return fail("request_invalid", "field values is for create only", "columns of the new entity", ErrorKind::usage);
  return decision;
}

Result<http::Response> decided(Call& call, const ReviewItem& item, Result<jobs::Decided> done) {
  if (!done) {
    if (status_of(done.error()) != 409) return fail(std::move(done).error());
    // Who comes second sees what stands there now.
    LADE_ASSIGN(const ReviewItem now, require_item(call));
    return problem(done.error(), {{"item", to_json(now)}});
  }
  call.object_id = std::to_string(item.id);
  call.audit = {{"table", item.table}, {"name", item.name}, {"items", done->items}};
  call.audit["decision"] = done->item.decision.decision;
  if (!done->item.decision.entity.empty()) call.audit["entity"] = done->item.decision.entity;
  return json_response(200, to_json(*done));
}

Result<http::Response> decide(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const ReviewItem item, require_item(call));
  LADE_ASSIGN(jobs::Decision decision, read_decision(call));
  decision.item = item.id;
  return decided(call, item, jobs::decide(call.connection, decider_of(call), decision));
}

Result<http::Response> undo(Call& call) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_ASSIGN(const ReviewItem item, require_item(call));
  return decided(call, item, jobs::undo_decision(call.connection, decider_of(call), item.id));
}

Result<http::Response> bulk(Call& call) {
  LADE_TRY(call.query.finish());
  const std::string given = call.body.map("filter").value_or("{}");
  Fields words(json::parse(given).as_object(), "field of filter");
  jobs::ReviewWish wish = read_wish(words);
  LADE_TRY(words.finish());
  const auto least = call.body.integer("min_confidence", 0, 100);
  const bool dry_run = call.body.flag("dry_run").value_or(false);
  LADE_TRY(call.body.finish());
  if (!least)
    return fail("request_invalid", "field min_confidence is missing", "a number from 0 to 100", ErrorKind::usage);
  LADE_ASSIGN(store::ReviewFilter filter, visible(call, wish));
  filter.min = std::max(filter.min.value_or(0), static_cast<double>(*least));
  LADE_ASSIGN(const jobs::BulkDecided done, jobs::decide_in_bulk(call.connection, decider_of(call), filter, dry_run));
  call.audit = {{"min_confidence", *least}, {"dry_run", dry_run}, {"items", done.decided}};
  return json_response(200, to_json(done, dry_run));
}

}  // namespace

std::vector<Route> review_routes() {
  const Access reads{Role::viewer, "imports:read"}, reviews{Role::reviewer, "imports:review"};
  return {
      {.method = "GET",
       .path = "/api/v1/review",
       .name = "review.list",
       .summary = "Names that nobody could say for sure whom they mean, oldest first",
       .access = reads,
       .answer = list,
       .query = with_paging({{"status", "string", "open (default), decided, withdrawn, all"},
                             {"confidence", "string", "of the best candidate: high (90 and more), medium (70), low"},
                             {"min", "string", "of the best candidate's confidence"},
                             {"max", "string", "of the best candidate's confidence"},
                             {"table", "string", "that has the entities"},
                             {"batch", "string", "id or name"},
                             {"job", "string", "id or slug of an import"}}),
       .answers = {{200, "ReviewPage", "a page of questions"}}},
      {.method = "GET",
       .path = "/api/v1/review/{item}",
       .name = "review.show",
       .summary = "A question: the name, its row, the candidates, and what was decided",
       .access = reads,
       .answer = show,
       .answers = {{200, "ReviewItem", "the question"}}},
      {.method = "POST",
       .path = "/api/v1/review/{item}",
       .name = "review.decide",
       .summary = "Decide whom the name means, for all open questions with it; rows that waited for it are sent again",
       .access = reviews,
       .answer = decide,
       .body = Body::json,
       .body_schema = "ReviewDecision",
       .answers = {{200, "ReviewDecided", "the question as it stands now, and how many were decided with it"}}},
      {.method = "POST",
       .path = "/api/v1/review/{item}/undo",
       .name = "review.undo",
       .summary = "Take a decision back, as long as no row was sent because of it",
       .access = reviews,
       .answer = undo,
       .body = Body::json,
       .answers = {{200, "ReviewDecided", "the question, which is open again"}}},
      {.method = "POST",
       .path = "/api/v1/review/bulk",
       .name = "review.bulk",
       .summary = "Accept the best candidate of all open questions that fit, where it is clearly the best",
       .access = reviews,
       .answer = bulk,
       .body = Body::json,
       .body_schema = "ReviewBulk",
       .answers = {{200, "ReviewBulkDecided", "how many; of a dry run, how many there would be"}}},
  };
}

}  // namespace lade::api
