#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/connection.h"
#include "queue/task.h"

// How often something may be done and how much of it at the same time, by all nodes together: pages of one web host,
// calls of one service. A bucket of tokens for each key is kept in the database; its clock counts.
namespace lade::queue {

struct RateLimit {
  double per_second = 1;     // tokens that come back
  std::int64_t burst = 1;    // that a bucket holds
  std::int64_t at_once = 0;  // permits in use at the same time; 0: no limit
};

struct Permits {
  std::int64_t granted = 0;
  Duration wait{0};  // when less was granted than wanted: ask again after it
};

// Takes up to `wanted` permits for the node; each costs a token and is in use until it is given back. Fails with
// rate_limit_invalid when nothing could ever be granted. Those in use by a node that has died count no more.
Result<Permits> take_permits(db::Connection& connection, const std::string& key, const RateLimit& limit,
                             const std::string& node, std::int64_t wanted, Now now = {});
Result<void> give_back_permits(db::Connection& connection, const std::string& key, const std::string& node,
                               std::int64_t permits);

// How many buckets whose names begin with `prefix` were asked within that time; `key`, which asks now, is one of them.
Result<std::int64_t> count_asking(db::Connection& connection, const std::string& prefix, const std::string& key,
                                  Duration within, Now now = {});

// Nobody may do it before: a server has said so (Retry-After). A later time that was said before stays.
Result<void> block_until(db::Connection& connection, const std::string& key, Duration from_now, Now now = {});

// Forgets buckets that nobody has asked for a day, and permits of nodes that are gone.
Result<void> tidy_rates(db::Connection& connection, Now now = {});

// The tables, as the statements of one migration for both databases.
std::string_view rate_schema();

}  // namespace lade::queue
