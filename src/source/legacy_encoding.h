#pragma once

#include <string>
#include <string_view>

namespace lade::source {

// The encoding of a text that is neither UTF-8 nor wide, or that shifts by escape sequences (ISO-2022, HZ): what
// uchardet says, corrected where the bytes themselves contradict it. A name that ICU knows; or one that it does not
// know, when uchardet is sure of something rare; never empty.
std::string legacy_encoding(std::string_view sample);

// An encoding of 7-bit bytes that the text uses (it is valid UTF-8 as well), or nothing.
std::string shifting_encoding(std::string_view sample);

}  // namespace lade::source
