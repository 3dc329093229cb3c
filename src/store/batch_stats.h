#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/connection.h"

// What the tasks and pages of a batch's jobs add up to. Each of these is one statement.
namespace lade::store {

// A job of a batch, and whether its row tasks are pages.
struct JobWithTasks {
  std::int64_t job = 0;
  bool fetches = false;
};
struct JobsWithTasks {
  std::int64_t batch = 0;
  std::int64_t first = 0;   // only jobs from this id on
  std::string status = {};  // only those that have pages or tasks like that; empty: all
  std::int64_t limit = 200;
};
// Oldest first.
Result<std::vector<JobWithTasks>> jobs_with_tasks(db::Connection& connection, const JobsWithTasks& wanted);

// Tasks of one kind of one job that stand alike.
struct KindTally {
  std::int64_t job = 0;
  std::string kind;
  std::string status;
  std::int64_t tasks = 0;
  std::int64_t failures = 0;     // failed attempts
  std::int64_t retried = 0;      // tasks with any
  std::int64_t started_at = 0;   // of the first; microseconds since 1970; 0: none
  std::int64_t finished_at = 0;  // of the last
};
// Of the jobs with ids above `after`, at most `jobs` of them.
Result<std::vector<KindTally>> tally_tasks(db::Connection& connection, std::int64_t batch, std::int64_t after = 0,
                                           std::int64_t jobs = 1'000'000'000);

// Pages of one job that stand alike.
struct PageTally {
  std::int64_t job = 0;
  std::string status;
  std::string error_code;
  std::string error_reason;
  std::int64_t pages = 0;
  std::int64_t tries = 0;
  std::int64_t retried = 0;  // pages that were tried more than once
  std::int64_t started_at = 0;
  std::int64_t completed_at = 0;
};
Result<std::vector<PageTally>> tally_pages(db::Connection& connection, std::int64_t batch, std::int64_t after = 0,
                                           std::int64_t jobs = 1'000'000'000);

// How long what has ended took, in milliseconds.
struct Durations {
  std::int64_t count = 0;
  std::int64_t median_ms = 0;
  std::int64_t p95_ms = 0;
};
struct KindDurations {
  std::string kind;
  Durations durations;
};
// Of the queue's tasks that succeeded, by kind.
Result<std::vector<KindDurations>> task_durations(db::Connection& connection, std::int64_t batch);
// Of fetching pages, and of taking fields out of them.
Result<Durations> fetch_durations(db::Connection& connection, std::int64_t batch);
Result<Durations> enrich_durations(db::Connection& connection, std::int64_t batch);

// How often which issue failed rows, without those of rows whose pages have not succeeded.
struct FailureCount {
  std::string code;
  std::int64_t count = 0;
};
Result<std::vector<FailureCount>> row_failures(db::Connection& connection, std::int64_t batch);

// Issues that failed rows, without those of rows whose pages have failed or are blocked.
struct RowErrorPlace {
  std::int64_t job = 0;
  std::int64_t row = 0;
  bool operator==(const RowErrorPlace&) const = default;
};
struct RowError {
  RowErrorPlace place;
  std::string job;  // slug
  std::int64_t line = 0;
  std::string code, column, value, message;
};
struct RowErrorPage {
  std::vector<RowError> errors;  // in the order of jobs and rows; a row comes with all its issues
  bool more = false;             // there are further ones after the last of these
};
Result<RowErrorPage> row_errors(db::Connection& connection, std::int64_t batch, const RowErrorPlace& after);

}  // namespace lade::store
