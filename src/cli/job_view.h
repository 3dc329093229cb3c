#pragma once

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "queue/groups.h"
#include "store/events.h"
#include "store/job_list.h"

// How a job is shown to people.
namespace lade::cli {

// The whole of it, in paragraphs.
// `comparison` is api::comparison_json().
void print_job(const store::JobRecord& job, const queue::TaskCounts& tasks, const boost::json::value& comparison,
               const std::vector<store::Event>& events);
// How many rows had which outcome.
void print_row_counts(const store::JobRecord& job);
void print_jobs(const std::vector<store::JobRecord>& jobs);

// Of design section 11; 0 for a job that is under way.
int exit_code(const store::JobRecord& job);

// Rows that have an outcome or, before anything is loaded, rows analysed.
std::int64_t rows_done(const store::JobRecord& job);

}  // namespace lade::cli
