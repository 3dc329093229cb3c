#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"

// The kinds of errors by name, for those who are told of them over a wire.
namespace lade {

constexpr std::pair<ErrorKind, std::string_view> kErrorKinds[] = {
    {ErrorKind::failed, "failed"},       {ErrorKind::usage, "usage"},
    {ErrorKind::invalid, "invalid"},     {ErrorKind::cannot_connect, "cannot_connect"},
    {ErrorKind::cancelled, "cancelled"}, {ErrorKind::duplicate, "duplicate"}};

constexpr std::string_view to_string(ErrorKind kind) {
  for (const auto& [known, name] : kErrorKinds)
    if (known == kind) return name;
  return "failed";
}

constexpr std::optional<ErrorKind> error_kind_of(std::string_view name) {
  for (const auto& [kind, known] : kErrorKinds)
    if (known == name) return kind;
  return std::nullopt;
}

}  // namespace lade
