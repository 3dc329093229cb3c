#pragma once

#include <optional>
#include <string>

#include "definition/definition.h"
#include "jobs/stored_job.h"
#include "jobs/valid_time.h"
#include "store/definitions.h"

namespace lade::jobs {

// The definition of a job in the shape of Statbus' definition_snapshot (S25): a JSON object with import_definition,
// time_context (when there is one), import_step_list, import_data_column_list, import_source_column_list and
// import_mapping_list, whose entries hold the mapping with its source column and its target column.
std::string definition_snapshot(const definition::Definition& definition,
                                const std::optional<TimeContext>& time_context = std::nullopt);
std::string definition_snapshot(const store::StoredDefinition& stored,
                                const std::optional<TimeContext>& time_context = std::nullopt);
// Of a job: its own definition, which later changes of the stored one do not touch, and its time.
Result<std::string> definition_snapshot(db::Connection& connection, const store::JobRecord& job);

}  // namespace lade::jobs
