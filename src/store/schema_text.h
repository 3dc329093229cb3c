#pragma once

#include <string>
#include <string_view>

// Statements of migrations that both databases take, but for the types: in their text @id stands for a table's own key,
// @uuid, @time and @bytes for types.
namespace lade::store {

std::string for_sqlite(std::string_view text);
std::string for_postgresql(std::string_view text);

}  // namespace lade::store
