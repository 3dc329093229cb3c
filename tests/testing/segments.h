#pragma once

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "staging/segment.h"
#include "testing/results.h"

namespace lade::testing {

using SegmentRow = std::tuple<std::string, std::uint32_t, std::string>;  // key, row id, payload

inline void add(staging::SegmentBuilder& builder, const SegmentRow& row) {
  builder.begin_record(std::get<0>(row), std::get<1>(row)).append(std::get<2>(row));
  builder.end_record();
}

// All records of the ranges as one sorted stream.
inline std::vector<SegmentRow> merged(const File& file, std::span<const staging::Range> ranges,
                                      std::size_t buffer_bytes) {
  staging::Merge merge(file, ranges, buffer_bytes);
  std::vector<SegmentRow> rows;
  staging::Record record;
  for (;;) {
    const auto more = merge.next(record);
    EXPECT_OK(more);
    if (!more || !*more) return rows;
    rows.emplace_back(record.key, record.row_id, record.payload);
  }
}

}  // namespace lade::testing
