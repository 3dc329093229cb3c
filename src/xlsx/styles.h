#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "xlsx/number_format.h"

namespace lade::xlsx {

// The cell formats of a workbook, as far as they say what a number means.
class Styles {
 public:
  // Only the format "General".
  Styles();
  // Refuses with workbook_too_large when there are absurdly many.
  static Result<Styles> read(ByteSource& source, const std::string& part);

  // A style that does not exist is the first one.
  FormatKind kind(std::uint32_t style) const { return formats_[format_of(style)].kind; }
  std::string_view code(std::uint32_t style) const { return formats_[format_of(style)].code; }
  const ZeroPattern& zeros(std::uint32_t style) const { return formats_[format_of(style)].zeros; }

 private:
  struct Format {
    std::string code;
    FormatKind kind = FormatKind::number;
    ZeroPattern zeros;
  };
  friend class StylesReader;
  std::uint32_t format_of(std::uint32_t style) const {
    return style < format_of_style_.size() ? format_of_style_[style] : 0;
  }

  std::vector<std::uint32_t> format_of_style_;
  std::vector<Format> formats_;  // the first is General
};

}  // namespace lade::xlsx
