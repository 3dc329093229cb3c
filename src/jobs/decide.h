#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "store/review_items.h"

// People decide whom names mean (store/review_items.h). A decision holds for all open items of the company with the
// same name, looked for in the same table; it is remembered, and the rows that waited for it are sent into their jobs
// again. Each call is one transaction (the caller's when there is one).
namespace lade::jobs {

enum class DecisionKind {
  pick,    // one of the entities, a candidate or not
  create,  // a new one, which is put into the reference table
  reject,  // it means nobody: rows with it stay failed
};

struct Decision {
  std::int64_t item = 0;
  DecisionKind kind = DecisionKind::pick;
  std::string entity = {};  // of `pick`: its id
  // Of `create`: columns of the reference table and their text, nullopt is NULL. The first column of names is the name
  // as it is written, unless it is given.
  std::vector<std::pair<std::string, std::optional<std::string>>> values = {};
  // Of the item, as who decides has seen it; nullopt: it must be open.
  std::optional<std::int64_t> revision = {};
};

// Who decides, and where the files of jobs lie.
struct Decider {
  std::string actor;
  std::int64_t company = 0;
  std::string storage;
  bool sends_later = true;  // rows are sent by a task; false: the caller sends them (jobs/resend.h)
};

struct Decided {
  store::ReviewItem item;          // as it stands now
  std::int64_t items = 0;          // how many were decided with it
  std::vector<std::int64_t> jobs;  // with rows to be sent
};

// Fails, with nothing changed: review_item_not_found; already_decided, naming who has decided what, when the item is
// not as it was seen; entity_not_found; entity_refused by the database; entity_column_unknown; item_withdrawn.
Result<Decided> decide(db::Connection& connection, const Decider& decider, const Decision& decision);

// Takes back what was decided about the item's name, also for the others with it; a created entity stays. Fails with
// review_item_not_found, not_decided, and with decision_sent once rows were sent because of it.
Result<Decided> undo_decision(db::Connection& connection, const Decider& decider, std::int64_t item);

// Accepts the best candidate of all open items that the filter gives, where it is clearly the best.
struct BulkDecided {
  std::int64_t items = 0;      // that fit the filter
  std::int64_t names = 0;      // different ones
  std::int64_t ambiguous = 0;  // items left out: two candidates are about as good
  std::int64_t gone = 0;       // names left out: their best candidate is not there any more
  std::int64_t decided = 0;    // items, also such that the filter did not give; 0 of a dry run
  std::vector<std::int64_t> jobs = {};
};
Result<BulkDecided> decide_in_bulk(db::Connection& connection, const Decider& decider, store::ReviewFilter filter,
                                   bool dry_run);

}  // namespace lade::jobs
