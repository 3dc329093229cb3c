#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// Rows travel to and from the database as tuples: fields one after another, each a big-endian int32 length (-1: NULL)
// and that many bytes in the form the database itself takes. For PostgreSQL the bytes are the type's binary format, so
// a tuple can be copied into a COPY stream as it is; for SQLite they are one tag byte and the value. Two tuples of the
// same canonical form are equal when their bytes are.
namespace lade::db {

enum class WireType : std::uint8_t {
  // PostgreSQL
  int2,
  int4,
  int8,
  float4,
  float8,
  numeric,
  text,  // text, varchar, char(n), citext, name, enums
  boolean,
  date,       // days since 2000-01-01
  timestamp,  // microseconds since 2000-01-01
  timestamptz,
  uuid,
  json,
  jsonb,  // version byte 1, then text
  bytea,
  // SQLite, by column affinity: tag 'i' + int64, 'r' + float64 (both big-endian), 't' + text, 'b' + blob
  sqlite_integer,
  sqlite_real,
  sqlite_numeric,
  sqlite_text,
  sqlite_any,  // no affinity (BLOB): stored as given
  unsupported,
};

constexpr std::int32_t kNull = -1;

// Writes the number at `at` and gives the place behind it.
template <std::integral Int>
char* write_big_endian(char* at, Int value) {
  if constexpr (std::endian::native == std::endian::little && sizeof(Int) > 1) {
    if constexpr (sizeof(Int) == 2) value = static_cast<Int>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
    if constexpr (sizeof(Int) == 4) value = static_cast<Int>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
    if constexpr (sizeof(Int) == 8) value = static_cast<Int>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  }
  std::memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

template <std::integral Int>
void append_big_endian(std::string& out, Int value) {
  char bytes[sizeof value];
  write_big_endian(bytes, value);
  out.append(bytes, sizeof bytes);
}

template <std::integral Int>
Int read_big_endian(const char* at) {
  Int value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (sizeof(Int) == 2) value = static_cast<Int>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  if constexpr (sizeof(Int) == 4) value = static_cast<Int>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  if constexpr (sizeof(Int) == 8) value = static_cast<Int>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  return value;
}

inline void append_null(std::string& tuple) {
  append_big_endian<std::int32_t>(tuple, kNull);
}
inline void append_field(std::string& tuple, std::string_view bytes) {
  append_big_endian<std::int32_t>(tuple, static_cast<std::int32_t>(bytes.size()));
  tuple.append(bytes);
}

// The fields of SQLite's tuples.
inline void append_sqlite_integer(std::string& tuple, std::int64_t value) {
  append_big_endian<std::int32_t>(tuple, 1 + sizeof value);
  tuple.push_back('i');
  append_big_endian(tuple, value);
}
inline void append_sqlite_real(std::string& tuple, double value) {
  append_big_endian<std::int32_t>(tuple, 1 + sizeof value);
  tuple.push_back('r');
  append_big_endian(tuple, std::bit_cast<std::int64_t>(value));
}
inline void append_sqlite_bytes(std::string& tuple, char tag, std::string_view bytes) {
  append_big_endian<std::int32_t>(tuple, static_cast<std::int32_t>(1 + bytes.size()));
  tuple.push_back(tag);
  tuple.append(bytes);
}
inline void append_sqlite_text(std::string& tuple, std::string_view text) {
  append_sqlite_bytes(tuple, 't', text);
}
inline void append_sqlite_blob(std::string& tuple, std::string_view blob) {
  append_sqlite_bytes(tuple, 'b', blob);
}

// One field of a tuple; a negative length is a NULL (or, inside lade, a value that is not written).
struct WireField {
  std::int32_t length = kNull;
  const char* data = nullptr;
  std::string_view bytes() const { return {data, length < 0 ? 0 : static_cast<std::size_t>(length)}; }
};

// Takes the next field off the front of `tuple`.
inline WireField take_field(std::string_view& tuple) {
  WireField field;
  field.length = read_big_endian<std::int32_t>(tuple.data());
  field.data = tuple.data() + sizeof(std::int32_t);
  tuple.remove_prefix(sizeof(std::int32_t) + field.bytes().size());
  return field;
}

}  // namespace lade::db
