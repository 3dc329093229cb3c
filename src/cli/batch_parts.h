#pragma once

#include "cli/commands.h"

namespace lade::cli {

// What can be seen of a batch: tasks, stages, events, metrics, errors, export.
void add_batch_part_commands(CLI::App& batches, CommonOptions& common, Action& action);

}  // namespace lade::cli
