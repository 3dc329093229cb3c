#pragma once

#include <boost/json.hpp>
#include <string>

#include "base/result.h"
#include "drafting/draft.h"

namespace lade::drafting {

// One field of a Table Schema as a column. `missing_values`: as YAML, of the whole schema; empty: none. Fails with
// schema_invalid.
Result<DraftColumn> draft_of_field(const boost::json::value& field, const std::string& missing_values);

// A format of strptime (%d/%m/%Y) as definitions write it; empty when it says something that they cannot.
std::string date_format(std::string_view strptime);

// A member that is a text, as it stands; empty: there is none.
std::string text_at(const boost::json::object& object, std::string_view name);

Error schema_invalid(std::string message);

}  // namespace lade::drafting
