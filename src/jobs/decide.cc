#include "jobs/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "db/in_transaction.h"
#include "jobs/new_entity.h"
#include "jobs/resend.h"
#include "jobs/stored_job.h"
#include "store/blocked_pages.h"
#include "store/job_list.h"

namespace lade::jobs {
namespace {

using store::NameDecision;
using store::NameKey;
using store::ReviewItem;

constexpr std::int64_t kItemsAtOnce = 5000;

std::string_view word_of(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::pick: return "pick";
    case DecisionKind::create: return "create";
    case DecisionKind::reject: return "reject";
  }
  return "";
}

std::string told(const ReviewItem& item) {
  const NameDecision& decision = item.decision;
  const std::string who = decision.decided_by.empty() ? "somebody" : decision.decided_by;
  if (decision.decision == "reject")
    return fmt::format("{} has decided that '{}' means nobody in {}", who, item.name, item.table);
  return fmt::format("{} has decided that '{}' means '{}' ({})", who, item.name, decision.entity_name, decision.entity);
}

Result<ReviewItem> require_item(db::Connection& connection, const Decider& decider, std::int64_t id) {
  LADE_TRY(store::lock_reviews(connection, decider.company));
  LADE_ASSIGN(auto item, store::find_review_item(connection, decider.company, id));
  if (!item)
    return fail("review_item_not_found", fmt::format("there is no question {}", id), "lade review list shows those",
                ErrorKind::invalid);
  return std::move(*item);
}

// Whether the item is as who decides has seen it.
Result<void> check_seen(const ReviewItem& item, const std::optional<std::int64_t>& revision) {
  if (item.status == "withdrawn")
    return fail("item_withdrawn",
                fmt::format("row {} of {} does not ask for '{}' any more", item.row, item.job_slug, item.name),
                "it was corrected, or what its name means is known by now", ErrorKind::invalid);
  if (revision ? *revision == item.revision : item.status == "open") return {};
  return fail("already_decided",
              item.status == "decided" ? told(item) : "somebody has decided about it, and has taken that back",
              fmt::format("look at it again; its revision is {} now", item.revision), ErrorKind::duplicate);
}

Result<steps::EntityTable> table_of(db::Connection& connection, std::int64_t job_id, const std::string& code) {
  LADE_ASSIGN(const auto job, store::job_with_id(connection, job_id));
  if (!job) return fail("job_not_found", "its job was deleted", "", ErrorKind::invalid);
  LADE_ASSIGN(const definition::Definition definition, definition_of(connection, *job));
  const auto step = std::ranges::find(definition.steps, code, &definition::Step::code);
  if (step == definition.steps.end())
    return fail("step_unknown", fmt::format("the definition has no step '{}' any more", code), "", ErrorKind::invalid);
  return steps::entity_table(*step);
}

Result<NameDecision> decision_of(db::Connection& connection, const ReviewItem& item, const Decision& wanted,
                                 const std::string& actor) {
  NameDecision decision{.decision = std::string(word_of(wanted.kind)), .decided_by = actor};
  if (wanted.kind == DecisionKind::reject) return decision;
  LADE_ASSIGN(const steps::EntityTable table, table_of(connection, item.job, item.step));
  decision.entity = wanted.entity;
  if (wanted.kind == DecisionKind::create) {
    LADE_ASSIGN(decision.entity, create_entity(connection, table, item.name, wanted.values));
  }
  LADE_ASSIGN(const auto name, find_entity(connection, table, decision.entity));
  if (!name)
    return fail("entity_not_found", fmt::format("{} has no row with the {} '{}'", table.table, table.id, wanted.entity),
                "pick another one, or create it", ErrorKind::invalid);
  decision.entity_name = *name;
  return decision;
}

// Rows that wait for nothing else go into their jobs again.
Result<void> send(db::Connection& connection, const Decider& decider, const std::vector<std::int64_t>& jobs) {
  if (!decider.sends_later) return {};
  for (const std::int64_t id : jobs) {
    LADE_ASSIGN(const auto job, store::job_with_id(connection, id));
    if (!job) continue;
    LADE_ASSIGN(const std::string queue, queue_of(connection, *job));
    LADE_TRY(send_later(connection, {id, job->company, decider.storage, queue}));
  }
  return {};
}

Result<void> lock_jobs(db::Connection& connection, const std::set<std::int64_t>& jobs) {
  for (const std::int64_t job : jobs) LADE_TRY(store::lock_sending(connection, job));
  return {};
}

// A name that means nobody, and one about which that is taken back, tell on the pages of their rows.
Result<void> mark_all(db::Connection& connection, const std::set<std::int64_t>& jobs) {
  for (const std::int64_t job : jobs) LADE_TRY(store::mark_pages(connection, job));
  return {};
}

Result<std::set<std::int64_t>> asking(db::Connection& connection, const NameKey& key) {
  LADE_ASSIGN(const auto jobs, store::jobs_that_ask(connection, key));
  return std::set<std::int64_t>(jobs.begin(), jobs.end());
}

Result<Decided> as_it_stands(db::Connection& connection, const ReviewItem& item, std::int64_t items) {
  Decided decided{.item = item, .items = items, .jobs = {}};
  LADE_ASSIGN(auto now, store::find_review_item(connection, item.company, item.id));
  if (now) decided.item = std::move(*now);
  LADE_ASSIGN(decided.jobs, store::jobs_to_send(connection, item.name_key()));
  return decided;
}

// The best candidates of open items by their names, where they are clearly the best.
struct Best {
  NameKey key;
  std::string name, entity;
  std::int64_t job = 0;
  std::string step;
};
Result<std::vector<Best>> best_candidates(db::Connection& connection, store::ReviewFilter filter) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::vector<Best> best;
  filter.limit = kItemsAtOnce;
  for (;;) {
    LADE_ASSIGN(const auto items, store::list_review_items(connection, filter));
    for (const ReviewItem& item : items) {
      const boost::json::value candidates = boost::json::parse(item.candidates);
      if (item.ambiguous || candidates.as_array().empty()) continue;
      if (!seen.emplace(item.table, item.rules, item.key).second) continue;
      best.push_back({item.name_key(), item.name, std::string(candidates.as_array().front().at("id").as_string()),
                      item.job, item.step});
    }
    if (static_cast<std::int64_t>(items.size()) < filter.limit) return best;
    filter.after = items.back().id;
  }
}

// The tables of entities by job and step: definitions are read once for all names.
using EntityTables = std::map<std::pair<std::int64_t, std::string>, steps::EntityTable>;

Result<void> accept(db::Connection& connection, const Decider& decider, const Best& best, EntityTables& tables,
                    BulkDecided& bulk) {
  auto table = tables.find({best.job, best.step});
  if (table == tables.end()) {
    LADE_ASSIGN(steps::EntityTable found, table_of(connection, best.job, best.step));
    table = tables.emplace(std::pair(best.job, best.step), std::move(found)).first;
  }
  LADE_ASSIGN(const auto name, find_entity(connection, table->second, best.entity));
  if (!name) {
    ++bulk.gone;
    return {};
  }
  const NameDecision decision{
      .decision = "pick", .entity = best.entity, .entity_name = *name, .decided_by = decider.actor};
  LADE_TRY(store::remember_name(connection, best.key, best.name, decision));
  LADE_ASSIGN(const std::int64_t items, store::decide_review_items(connection, best.key, decision));
  bulk.decided += items;
  return {};
}

}  // namespace

Result<Decided> decide(db::Connection& connection, const Decider& decider, const Decision& wanted) {
  return db::in_transaction(connection, [&]() -> Result<Decided> {
    LADE_ASSIGN(const ReviewItem item, require_item(connection, decider, wanted.item));
    LADE_TRY(check_seen(item, wanted.revision));
    LADE_ASSIGN(const auto jobs, asking(connection, item.name_key()));
    LADE_TRY(lock_jobs(connection, jobs));
    LADE_ASSIGN(const NameDecision decision, decision_of(connection, item, wanted, decider.actor));
    LADE_TRY(store::remember_name(connection, item.name_key(), item.name, decision));
    LADE_ASSIGN(const std::int64_t items, store::decide_review_items(connection, item.name_key(), decision));
    LADE_TRY(mark_all(connection, jobs));
    LADE_ASSIGN(Decided decided, as_it_stands(connection, item, items));
    LADE_TRY(send(connection, decider, decided.jobs));
    return decided;
  });
}

Result<Decided> undo_decision(db::Connection& connection, const Decider& decider, std::int64_t id) {
  return db::in_transaction(connection, [&]() -> Result<Decided> {
    LADE_ASSIGN(const ReviewItem item, require_item(connection, decider, id));
    if (item.status != "decided")
      return fail("not_decided", fmt::format("nobody has decided about '{}'", item.name), "", ErrorKind::duplicate);
    LADE_ASSIGN(const auto jobs, asking(connection, item.name_key()));
    LADE_TRY(lock_jobs(connection, jobs));
    LADE_ASSIGN(const std::int64_t sent, store::count_sent(connection, item.name_key()));
    if (sent > 0)
      return fail("decision_sent", fmt::format("{} rows were sent into their imports because of it", sent),
                  "decide otherwise for what comes later, and correct or undo what was loaded", ErrorKind::duplicate);
    LADE_TRY(store::forget_name(connection, item.name_key()));
    LADE_ASSIGN(const std::int64_t items, store::reopen_review_items(connection, item.name_key()));
    LADE_TRY(mark_all(connection, jobs));
    return as_it_stands(connection, item, items);
  });
}

Result<BulkDecided> decide_in_bulk(db::Connection& connection, const Decider& decider, store::ReviewFilter filter,
                                   bool dry_run) {
  return db::in_transaction(connection, [&]() -> Result<BulkDecided> {
    filter.company = decider.company;
    filter.status = "open";
    if (!dry_run) LADE_TRY(store::lock_reviews(connection, decider.company));
    LADE_ASSIGN(const store::ReviewCount count, store::count_review_items(connection, filter));
    BulkDecided bulk{.items = count.items, .names = count.names, .ambiguous = count.ambiguous};
    if (dry_run) return bulk;
    LADE_ASSIGN(const std::vector<Best> best, best_candidates(connection, filter));
    std::set<std::int64_t> jobs;
    for (const Best& one : best) {
      LADE_ASSIGN(const auto found, asking(connection, one.key));
      jobs.insert(found.begin(), found.end());
    }
    LADE_TRY(lock_jobs(connection, jobs));
    EntityTables tables;
    for (const Best& one : best) LADE_TRY(accept(connection, decider, one, tables, bulk));
    for (const std::int64_t job : jobs) {
      LADE_ASSIGN(const store::RowsToSend rows, store::rows_to_send(connection, job));
      if (!rows.rows.empty()) bulk.jobs.push_back(job);
    }
    LADE_TRY(send(connection, decider, bulk.jobs));
    return bulk;
  });
}

}  // namespace lade::jobs
