#pragma once

#include <string>
#include <string_view>
#include <vector>

// Names of columns as files and definitions write them.
namespace lade::definition {

// Lower case (ASCII), without outer and repeated spaces: names that agree so are the same name to an import.
std::string folded_name(std::string_view name);

// The words of a name: cut at spaces, punctuation, letters beside digits and camelCase; lower case, letters without
// their accents (ß becomes ss), usual short forms spelled out (no, qty, desc …). "CustomerNo." → customer, number.
std::vector<std::string> name_words(std::string_view name);

// A name as databases and definitions like it: its words as they are, plain, joined by '_', at most 63 characters, a
// letter first. "2. Größe" → column_2_grosse; "column" when it has no letters at all.
std::string plain_name(std::string_view name);

// From 0 to 1, how likely two names mean the same column: 1 for the same name, 0.99 for the same words, 0.95 for the
// same words in another order; below that by their letters (Jaro-Winkler and Levenshtein) and by the words they share.
double name_similarity(std::string_view one, std::string_view other);

// By which a header is found again, whatever the case and the spaces of its names: a SHA-256 in hexadecimal digits.
std::string header_signature(const std::vector<std::string>& header);

}  // namespace lade::definition
