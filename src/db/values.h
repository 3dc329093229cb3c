#pragma once

#include <string>
#include <utility>

#include "db/connection.h"

namespace lade::db {

// What a query gave; NULL is 0 or empty.
inline std::int64_t integer_of(const Value& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer == nullptr ? 0 : *integer;
}
inline std::string text_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

// What a statement takes: empty is NULL.
inline Value text_or_null(std::string text) {
  return text.empty() ? Value() : Value(std::move(text));
}

}  // namespace lade::db
