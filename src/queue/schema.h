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
// What came later: a node says how many tasks it takes at once, and takes no further ones while it drains. The same in
// both databases.
std::string_view node_schema();

}  // namespace lade::queue
