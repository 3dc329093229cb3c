#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "xlsx/string_table.h"
#include "xlsx/workbook.h"
#include "xlsx/xml_reader.h"

namespace lade::xlsx {

struct SharedStringOptions {
  std::size_t block_bytes = 128 * 1024;
  bool fast = true;  // false: the general tokenizer alone, which must give the same
};

// Reads the part of shared strings into the table, whatever it says about their number.
Result<void> read_shared_strings(ByteSource& source, const std::string& part, const Limits& limits, StringTable& table,
                                 const SharedStringOptions& options = {});

}  // namespace lade::xlsx
