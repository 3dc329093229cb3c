#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::analysis {

// What may stand around the digits of a number because its column says so.
struct NumberSigns {
  bool accounting = false;        // (12.50) and 12- are negative
  bool percent = false;           // 19 % is 0.19; a number without the sign is itself
  bool currency = false;          // € 12, 12 kr, USD 12, at most one sign or code, before or after
  std::array<char, 3> code = {};  // only this currency; zeros: any
  bool any() const { return accounting || percent || currency; }

  // "accounting", "percent", "currency", "currency(EUR)". Refuses with format_invalid.
  static Result<NumberSigns> parse(std::span<const std::string> formats);
};

// A number without what stood around it.
struct BareNumber {
  std::string_view digits = {};  // without a sign
  bool negative = false;
  bool percent = false;
  std::string_view currency = {};  // as written
};

// Takes everything off that `signs` allows, each thing once, with the spaces between. False when what is left cannot be
// a number without a sign.
bool take_signs(std::string_view text, const NumberSigns& signs, BareNumber& bare);

// Whether a sign or code, as written in a cell, can stand for a currency ("$" for USD, CAD and others).
bool means_currency(std::string_view sign, std::string_view code);

}  // namespace lade::analysis
