#pragma once

#include <optional>
#include <string>
#include <string_view>

// How text stands in a cell of a workbook that lade writes.
namespace lade::xlsx {

// The number that a reader shows as exactly this text: plain digits with an optional minus and fraction, no leading or
// trailing zeros that it would lose, at most 15 digits. Nullopt for all other text.
std::optional<double> written_number(std::string_view text);

// The serial number (1900 date system) of YYYY-MM-DD, also with THH:MM:SS. Nullopt for all other text and for days
// before March 1900, of which Excel has another opinion.
std::optional<double> written_date(std::string_view text);

// What is written so that it reads back as the same text: control characters and what looks like their escape (_x0041_)
// are escaped, bytes that are no UTF-8 become U+FFFD, at most 32,767 characters. Kept in `scratch`.
const std::string& written_text(std::string_view text, std::string& scratch);

// A name that a sheet may have: at most 31 characters, without []:*?/\ and without an apostrophe at its ends.
std::string sheet_name(std::string_view wanted);

}  // namespace lade::xlsx
