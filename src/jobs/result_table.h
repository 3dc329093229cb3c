#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "source/input.h"

namespace lade::jobs {

struct ResultCell {
  std::string text;
  bool typed = false;  // in a workbook: a number, date or boolean, not text
};

// What a result file is like, beside its source.
struct ResultStyle {
  std::string format;  // csv, xlsx
  bool bom = false;    // CSV begins with a byte order mark in any case; otherwise where the source needs one
};

// A table: CSV in the source's dialect, or a workbook with a sheet of its name.
class ResultTable {
 public:
  virtual ~ResultTable() = default;
  virtual Result<void> write(std::span<const ResultCell> cells, ByteSink& to) = 0;
  virtual Result<void> finish(ByteSink& to) = 0;
};

// `folder` takes what a workbook needs while it is written.
Result<std::unique_ptr<ResultTable>> open_result_table(const source::Layout& layout, const ResultStyle& style,
                                                       const std::vector<std::string>& names,
                                                       const std::filesystem::path& folder);

}  // namespace lade::jobs
