#pragma once

#include <string>
#include <string_view>

// Statements of migrations that both databases take, but for the types: in their text @id stands for a table's own key,
// @uuid, @time and @bytes for types.
namespace lade::store {

std::string for_sqlite(std::string_view text);
std::string for_postgresql(std::string_view text);

// Triggers that keep a table as it was written: nothing of it is changed or deleted. SQLite has one for each; their
// names end so.
std::string append_only_in_sqlite(std::string_view table, std::string_view no_update, std::string_view no_delete);
std::string append_only_in_postgresql(std::string_view table);

}  // namespace lade::store
