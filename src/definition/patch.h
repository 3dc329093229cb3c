#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Changing a definition by what is to be different.
namespace lade::definition {

// The text of a definition with a JSON merge patch (RFC 7386) laid over its canonical JSON; over a text with faults as
// it is written. Gives JSON, which may have faults again. Comments of the text are lost. Fails with patch_invalid when
// the patch is no JSON object, and with definition_invalid when the text cannot be read at all.
Result<std::string> patched_text(std::string_view text, std::string_view patch);

// "steps.legal_unit.priority=20" … as one merge patch. A value that is JSON is taken as that, any other as a text; null
// removes what the path names. Fails with patch_invalid.
Result<std::string> patch_of(const std::vector<std::string>& settings);

}  // namespace lade::definition
