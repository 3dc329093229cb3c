#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "xlsx/number_format.h"
#include "xlsx/workbook.h"

// The texts of values, as workbook.h promises them.
namespace lade::xlsx {

// Digits that Excel keeps.
constexpr std::size_t kSignificantDigits = 15;

// Whether a number can be delivered as it is written: plain digits, or a decimal of at most 15 significant ones.
bool plain_as_written(std::string_view written);

// A decimal without an exponent, rounded to 15 significant digits, without a detour; 0 when it is another kind of
// number. Gives the bytes written.
constexpr std::size_t kRoundedBytes = 40;
std::size_t rounded_decimal(std::string_view written, char (&to)[kRoundedBytes]);

// Any other number, without an exponent and rounded to 15 significant digits; nothing when it is no number, or one
// beyond what a spreadsheet can hold.
std::optional<std::string> plain_number(std::string_view written);

// A moment, and what it is.
struct MomentText {
  CellKind kind = CellKind::number;  // number: it is none
  std::size_t length = 0;
  char text[40];
};

// The number of a date or time, shown as `kind` says, to the millisecond. Whole days without a date (0.5) are a time.
MomentText moment_text(double serial, FormatKind kind, bool from_1904);

// What an ISO 8601 text of a cell of type d is; text when it is none.
CellKind iso_kind(std::string_view text);

// Resolves _xHHHH_, which stands for a character that XML cannot hold.
bool has_escape(std::string_view text);
void append_unescaped(std::string_view text, std::string& to);

}  // namespace lade::xlsx
