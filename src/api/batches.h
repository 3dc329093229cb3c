#pragma once

#include <string>

#include "api/route.h"
#include "jobs/batch_metrics.h"
#include "jobs/batch_stages.h"
#include "jobs/batch_tasks.h"
#include "jobs/batches.h"

// What the routes about batches share.
namespace lade::api {

boost::json::object to_json(const jobs::RowTask& task, const store::BatchRecord& batch);
boost::json::object to_json(const jobs::BatchStage& stage, const store::BatchRecord& batch);
boost::json::object to_json(const jobs::BatchMetrics& metrics, const store::BatchRecord& batch);
boost::json::object to_json(const jobs::BatchOutcome& outcome);

// The batch that the path names, if the one who asks may see it; otherwise batch_not_found.
Result<store::BatchRecord> require_visible_batch(const Call& call);
jobs::BatchOrder batch_order(const Call& call);
// By what the query says, but for paging: status, since, until, owner.
Result<store::BatchFilter> read_batch_filter(Call& call);
std::vector<Parameter> batch_filter_parameters();

Result<jobs::RowTaskFilter> read_task_filter(Call& call);
std::vector<Parameter> task_filter_parameters();

// A form with a manifest, or JSON that names files: a batch with an import for each. `answer` tells of it.
Result<http::Reception> receive_batch(Asked asked, http::Response (*answer)(const store::BatchRecord&),
                                      bool only_manifests);

Result<http::Response> batch_errors(Call& call);
Result<http::Response> batch_export(Call& call);
Result<http::Response> batch_evidence(Call& call);

// Parts of batches (batch_parts.cc) and how they begin (batch_create.cc).
std::vector<Route> batch_part_routes();
std::vector<Route> batch_create_routes();

}  // namespace lade::api
