#pragma once

#include <boost/json.hpp>
#include <string>

#include "api/review_view.h"
#include "definition/match.h"
#include "definition/parse.h"
#include "jobs/diff.h"
#include "jobs/lineage.h"
#include "jobs/review.h"
#include "jobs/row_tables.h"
#include "jobs/undo.h"
#include "queue/dead_letters.h"
#include "queue/groups.h"
#include "queue/task_list.h"
#include "source/column_evidence.h"
#include "source/sniff.h"
#include "store/batch_events.h"
#include "store/batches.h"
#include "store/definitions.h"
#include "store/events.h"
#include "store/files.h"
#include "store/job_list.h"
#include "store/row_list.h"
#include "store/set_versions.h"

// The nouns as JSON: what the API answers and the command line prints with --output json.
namespace lade::api {

boost::json::object to_json(const store::JobRecord& job);
boost::json::object to_json(const store::Event& event);
boost::json::object to_json(const store::BatchRecord& batch);
boost::json::object to_json(const store::BatchEvent& event);
boost::json::object to_json(const store::FileRecord& file);
boost::json::object to_json(const store::SetVersion& version);
// Without its text.
boost::json::object to_json(const store::StoredDefinition& definition);
boost::json::object to_json(const store::ListedRow& row);
boost::json::object to_json(const jobs::ReviewedRow& row);
boost::json::object to_json(const jobs::WrittenRow& row);
boost::json::object to_json(const jobs::LineagePage& page);
boost::json::object to_json(const jobs::RowTables& tables);
// A page of the diff of a job; `filter` says of which records.
boost::json::object to_json(const jobs::DiffPage& page, const store::JobRecord& job, const load::DiffFilter& filter);
// What will be done with the rows of a job that waits for review; null: nobody has compared them.
boost::json::value comparison_json(const std::optional<model::RowCounts>& counts);
boost::json::object to_json(const jobs::UndoPreview& preview);
boost::json::object to_json(const queue::TaskCounts& tasks);
boost::json::object to_json(const queue::TaskRow& task);
boost::json::object to_json(const queue::ListedNode& node);
boost::json::object to_json(const queue::QueueRule& rule);
boost::json::object to_json(const queue::DeadLetter& letter);
// A character of a dialect: itself, tab, or none.
std::string shown(char c);
boost::json::object to_json(const source::Sniffed& sniffed);
boost::json::object to_json(const definition::HeaderMatch& match);
boost::json::object to_json(const source::ColumnEvidence& column);

// What is wrong with a definition.
boost::json::array faults_json(const std::vector<definition::Fault>& faults);

// The time by which clients reckon ages: that of this process, 2024-12-31T23:59:59.999Z.
std::string server_time();
// With that time in it.
boost::json::object stamped(boost::json::object object);

// Text that may be empty, where JSON says null.
boost::json::value text_or_null(std::string_view text);
// Text that is JSON already; null when it is not.
boost::json::value parsed_or_null(std::string_view text);

}  // namespace lade::api
