#pragma once

#include <boost/json.hpp>
#include <exception>
#include <string>

#include "base/result.h"
#include "jobs/batches.h"
#include "queue/dead_letters.h"
#include "queue/groups.h"
#include "queue/task_list.h"
#include "staging/issue_log.h"
#include "store/batches.h"
#include "store/definitions.h"
#include "store/events.h"
#include "store/job_list.h"
#include "store/row_list.h"

// The nouns read back from the JSON of api/views.h. What JSON does not carry stays as it is by default; what is derived
// from counts that it does not carry (a job's progress, a batch's status) comes out as the server said.
namespace lade::remote {

// These throw what Boost.JSON throws when something is missing or of another type; see read().
void read_into(const boost::json::value& value, store::JobRecord& job);
void read_into(const boost::json::value& value, store::Event& event);
void read_into(const boost::json::value& value, store::BatchRecord& batch);
void read_into(const boost::json::value& value, jobs::BatchOutcome& outcome);
void read_into(const boost::json::value& value, store::StoredDefinition& definition);
void read_into(const boost::json::value& value, store::ListedRow& row);
void read_into(const boost::json::value& value, queue::TaskCounts& tasks);
void read_into(const boost::json::value& value, queue::TaskRow& task);
void read_into(const boost::json::value& value, queue::ListedNode& node);
void read_into(const boost::json::value& value, queue::QueueRule& rule);
void read_into(const boost::json::value& value, queue::DeadLetter& letter);
void read_into(const boost::json::value& value, staging::IssueCounts& counts);

// Fails with server_answer_invalid.
template <class Record>
Result<Record> read(const boost::json::value& value) {
  try {
    Record record;
    read_into(value, record);
    return record;
  } catch (const std::exception& error) {
    return fail("server_answer_invalid", std::string("the server's answer is not understood: ") + error.what(),
                "is it another version of lade?");
  }
}

}  // namespace lade::remote
