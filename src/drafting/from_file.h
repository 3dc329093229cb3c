#pragma once

#include <string>
#include <vector>

#include "drafting/draft.h"
#include "source/column_evidence.h"

namespace lade::drafting {

// Drafts a definition from what the columns of a file show. What a column does not decide stays text, with a comment
// that says between what to decide. `table` empty: named like the file.
Draft draft_from_file(const source::Input& input, const source::Layout& layout,
                      const std::vector<source::ColumnEvidence>& columns, const std::string& table);

}  // namespace lade::drafting
