#pragma once

#include <string_view>

namespace lade::queue {

// The queue's tables (lade_node, lade_queue, lade_task_group, lade_stage, lade_task, lade_dead_letter) as the
// statements of one migration.
struct Schema {
  std::string_view sqlite;
  std::string_view postgresql;
};
const Schema& schema();

}  // namespace lade::queue
