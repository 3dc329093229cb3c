#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// A job's history: append-only, numbered from 1 without gaps. An event is seen only after all with smaller numbers, so
// who has read up to a number can go on from there.
namespace lade::store {

struct NewEvent {
  std::int64_t job = 0;
  std::string kind;         // one of event_kinds()
  std::string actor = {};   // who; empty: lade itself
  std::string data = "{}";  // JSON
};

struct Event {
  std::int64_t number = 0;
  std::string kind;
  std::string state;  // of the job, after the event
  std::string actor;
  std::string data;
  std::string created_at;
};

// The kinds of all events: those of model::JobEvent, and what happens to a job beside its states.
std::span<const std::string_view> event_kinds();

// In the caller's transaction when there is one, which then holds the job's row. Webhooks that want to know are told
// once that commits (outbox.h). Gives the event's number; fails with job_not_found.
Result<std::int64_t> append_event(db::Connection& connection, const NewEvent& event);

// Events with numbers above `after`, in order, at most `limit`.
Result<std::vector<Event>> events_of(db::Connection& connection, std::int64_t job, std::int64_t after = 0,
                                     std::int64_t limit = 1000);

// The newest event of a kind; nullopt: there is none.
Result<std::optional<Event>> last_event(db::Connection& connection, std::int64_t job, std::string_view kind);

}  // namespace lade::store
