#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "jobs/arm.h"
#include "jobs/desk.h"
#include "jobs/fix.h"
#include "queue/node.h"
#include "store/review_items.h"

// Rows that failed because nobody could say whom a name means, sent into their job again once that is decided: as fixes
// that change no cell.
namespace lade::jobs {

constexpr std::string_view kResendTask = "resend";

// Until a decision is carried out it can be taken back; those of a person who decides quickly go together.
constexpr std::chrono::seconds kSecondThoughts{3};

struct ResendOrder {
  std::int64_t job = 0;
  std::int64_t company = 0;
  std::string storage;  // where its files lie
  std::string queue;
};
// Puts the task into the queue, once however often it is asked for.
Result<void> send_later(db::Connection& connection, const ResendOrder& order);

// What became of the rows of a job that were to be sent.
struct Resent {
  enum class What { nothing_to_send, sent, not_at_rest, refused } what = What::nothing_to_send;
  std::int64_t rows = 0;
  std::string error = {};  // why they were refused; it stands with them
};
// Sends what can be sent, in one transaction (the caller's when there is one). When there is more than goes at once the
// task for the rest is put into the queue.
Result<Resent> send_rows(db::Connection& connection, const ReviewPlace& place, std::int64_t job,
                         std::int64_t most = store::kMostRowsToSend);

// The task.
Result<void> resend(queue::TaskContext& context, Desk& desk, const TaskTarget& target);

}  // namespace lade::jobs
