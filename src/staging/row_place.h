#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "staging/segment.h"

namespace lade::staging {

// Where a row stands in the source.
struct RowPlace {
  std::uint32_t row_id = 0;
  std::uint32_t line = 0;
  std::uint64_t offset = 0;
};

// The payload of a staged row: line, offset, tuple.
inline void append_payload(std::string& payload, const RowPlace& place, std::string_view tuple) {
  payload.append(reinterpret_cast<const char*>(&place.line), sizeof place.line);
  payload.append(reinterpret_cast<const char*>(&place.offset), sizeof place.offset);
  payload.append(tuple);
}

inline void stage_row(SegmentBuilder& builder, std::string_view key, const RowPlace& place, std::string_view tuple) {
  append_payload(builder.begin_record(key, place.row_id), place, tuple);
  builder.end_record();
}

// Appends the row to a range in memory; rows come in order.
inline void append_row(std::string& range, std::string_view key, const RowPlace& place, std::string_view tuple) {
  std::string payload;
  append_payload(payload, place, tuple);
  append_record(range, {key, place.row_id, payload});
}

inline RowPlace read_row(const Record& record, std::string_view& tuple) {
  RowPlace place{record.row_id, 0, 0};
  std::memcpy(&place.line, record.payload.data(), sizeof place.line);
  std::memcpy(&place.offset, record.payload.data() + sizeof place.line, sizeof place.offset);
  tuple = record.payload.substr(sizeof place.line + sizeof place.offset);
  return place;
}

}  // namespace lade::staging
