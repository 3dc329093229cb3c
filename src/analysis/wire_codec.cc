#include "analysis/wire_codec.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace lade::analysis {
namespace {

using db::WireType;
using definition::Type;
using definition::TypeKind;

constexpr std::int64_t kEpochDays = 10957;  // PostgreSQL counts from 2000-01-01
constexpr std::int64_t kEpochMicroseconds = kEpochDays * 86'400'000'000;
constexpr std::int64_t kMicrosecondsPerDay = 86'400'000'000;
// How PostgreSQL writes its infinity.
constexpr std::int32_t kInfiniteWireDate = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInfiniteWireTimestamp = std::numeric_limits<std::int64_t>::max();

template <class Int>
char* write_number(char* at, Int value) {
  return db::write_big_endian<Int>(db::write_big_endian<std::int32_t>(at, sizeof(Int)), value);
}

template <class Int>
char* write_integer(char* at, Int128 value) {
  if (value < std::numeric_limits<Int>::min() || value > std::numeric_limits<Int>::max()) return nullptr;
  return write_number<Int>(at, static_cast<Int>(value));
}

template <class Int>
char* write_sqlite(char* at, char tag, Int bits) {
  at = db::write_big_endian<std::int32_t>(at, 1 + sizeof(Int));
  *at++ = tag;
  return db::write_big_endian<Int>(at, bits);
}

constexpr Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

constexpr Int128 kNumberLimit = power_of_ten(38);  // one more digit than a decimal may have

// Those that a double holds exactly.
constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

double to_double(Int128 value, int scale) {
  // Both numbers are exact, so their quotient is rounded once: the nearest double.
  constexpr Int128 kExact = Int128{1} << 53;
  if (value < kExact && value > -kExact && scale >= 0 && scale <= 22)
    return static_cast<double>(static_cast<std::int64_t>(value)) / kPowersOfTen[scale];
  std::string text;
  append_decimal(text, value, scale);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Cuts a number into digits of base 10,000, lowest first.
template <class Unsigned>
int cut(Unsigned number, std::uint16_t* digits) {
  int count = 0;
  for (; number != 0; number /= 10000) digits[count++] = static_cast<std::uint16_t>(number % 10000);
  return count;
}

// PostgreSQL's numeric: digits in base 10,000, no zero digits at either end.
char* write_numeric(char* at, Int128 value, int scale, int display_scale) {
  static constexpr std::uint16_t kPadding[] = {1, 10, 100, 1000};
  const int padding = (4 - scale % 4) % 4;
  const auto magnitude = static_cast<UInt128>(value < 0 ? -value : value);
  std::uint16_t digits[16];
  int count = 0;
  if (magnitude <= std::numeric_limits<std::uint64_t>::max() / 1000) {
    count = cut(static_cast<std::uint64_t>(magnitude) * kPadding[padding], digits);
  } else {  // the lowest digit takes the padding, so that the magnitude itself never overflows
    const auto low_base = static_cast<unsigned>(10000 / kPadding[padding]);
    digits[0] = static_cast<std::uint16_t>(static_cast<unsigned>(magnitude % low_base) * kPadding[padding]);
    count = 1 + cut(magnitude / low_base, digits + 1);
  }
  int low = 0;
  while (low < count && digits[low] == 0) ++low;
  const int weight = count == 0 ? 0 : count - (scale + padding) / 4 - 1;
  at = db::write_big_endian<std::int32_t>(at, 8 + 2 * (count - low));
  at = db::write_big_endian<std::int16_t>(at, static_cast<std::int16_t>(count - low));
  at = db::write_big_endian<std::int16_t>(at, static_cast<std::int16_t>(weight));
  at = db::write_big_endian<std::int16_t>(at, value < 0 ? 0x4000 : 0);
  at = db::write_big_endian<std::int16_t>(at, static_cast<std::int16_t>(display_scale));
  for (int i = count; i-- > low;) at = db::write_big_endian<std::uint16_t>(at, digits[i]);
  return at;
}

// Reads a numeric as a number with `scale` decimals; false when it has more of them, is too large, NaN or infinite.
bool read_numeric(std::string_view bytes, int scale, Int128& value) {
  if (bytes.size() < 8) return false;
  const auto count = db::read_big_endian<std::int16_t>(bytes.data());
  const auto weight = db::read_big_endian<std::int16_t>(bytes.data() + 2);
  const auto sign = db::read_big_endian<std::uint16_t>(bytes.data() + 4);
  if (sign != 0 && sign != 0x4000) return false;
  if (bytes.size() < 8u + 2u * static_cast<std::size_t>(count)) return false;
  value = 0;
  int exponent = 4 * weight + scale;  // of ten, for the digit at hand
  for (int i = 0; i < count; ++i, exponent -= 4) {
    const auto digit = db::read_big_endian<std::uint16_t>(bytes.data() + 8 + 2 * i);
    if (digit == 0) continue;
    if (exponent > 36 || exponent < -3) return false;
    if (exponent >= 0) {
      Int128 part = 0;
      if (__builtin_mul_overflow(Int128{digit}, power_of_ten(exponent), &part) ||
          __builtin_add_overflow(value, part, &value))
        return false;
    } else {
      const auto divisor = static_cast<int>(power_of_ten(-exponent));
      if (digit % divisor != 0) return false;
      value += digit / divisor;
    }
  }
  if (value >= kNumberLimit) return false;
  if (sign == 0x4000) value = -value;
  return true;
}

// What stands before the bytes of a text.
char* write_text_head(char* at, std::size_t size, WireType wire) {
  const bool tagged = wire >= WireType::sqlite_integer;
  const bool versioned = wire == WireType::jsonb;
  at = db::write_big_endian<std::int32_t>(at, static_cast<std::int32_t>(size + (tagged || versioned ? 1 : 0)));
  if (tagged) *at++ = 't';
  if (versioned) *at++ = '\1';
  return at;
}

char* write_text(char* at, std::string_view text, WireType wire) {
  at = write_text_head(at, text.size(), wire);
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

// Numbers and booleans into SQLite's numeric affinities: stored as SQLite itself would convert them.
template <class Integer>
char* write_sqlite_number(char* at, Integer value, Integer unit, int scale, WireType wire) {
  const Integer integer = value / unit;
  const bool fits =
      integer >= std::numeric_limits<std::int64_t>::min() && integer <= std::numeric_limits<std::int64_t>::max();
  if (fits && integer * unit == value && wire != WireType::sqlite_real)
    return write_sqlite<std::int64_t>(at, 'i', static_cast<std::int64_t>(integer));
  return write_sqlite<std::uint64_t>(at, 'r', std::bit_cast<std::uint64_t>(to_double(value, scale)));
}

// 128-bit division is slow, and most numbers are short.
char* write_sqlite_number(char* at, Int128 value, int scale, WireType wire) {
  const Int128 unit = power_of_ten(scale);
  const auto is_short = [](Int128 number) { return number == static_cast<std::int64_t>(number); };
  if (!is_short(value) || !is_short(unit)) return write_sqlite_number<Int128>(at, value, unit, scale, wire);
  return write_sqlite_number(at, static_cast<std::int64_t>(value), static_cast<std::int64_t>(unit), scale, wire);
}

bool is_sqlite_numeric(WireType wire) {
  return wire == WireType::sqlite_integer || wire == WireType::sqlite_real || wire == WireType::sqlite_numeric;
}

[[gnu::noinline]] char* write_as_text(char* at, const Cell& cell, const Type& type, WireType wire) {
  return write_text(at, to_text(cell, type), wire);
}

// Not inlined, like write_time(): text, the common case, then needs no stack frame.
[[gnu::noinline]] char* write_integral(char* at, const Cell& cell, const Type& type, const WireForm& form) {
  const int scale = type.kind == TypeKind::decimal ? type.scale : 0;
  const Int128 value = cell.number;
  switch (form.wire) {
    case WireType::int2: return write_integer<std::int16_t>(at, value);
    case WireType::int4: return write_integer<std::int32_t>(at, value);
    case WireType::int8: return write_integer<std::int64_t>(at, value);
    case WireType::boolean: return write_number<std::int8_t>(at, value != 0 ? 1 : 0);
    case WireType::float4:
      return write_number<std::uint32_t>(at, std::bit_cast<std::uint32_t>(static_cast<float>(to_double(value, scale))));
    case WireType::float8:
      return write_number<std::uint64_t>(at, std::bit_cast<std::uint64_t>(to_double(value, scale)));
    case WireType::numeric: return write_numeric(at, value, scale, form.scale);
    case WireType::sqlite_integer:
    case WireType::sqlite_real:
    case WireType::sqlite_numeric: return write_sqlite_number(at, value, scale, form.wire);
    case WireType::sqlite_any:
      if (type.kind == TypeKind::decimal) return write_as_text(at, cell, type, form.wire);
      return write_sqlite<std::int64_t>(at, 'i', static_cast<std::int64_t>(value));
    default: return write_as_text(at, cell, type, form.wire);
  }
}

// PostgreSQL's timestamp(p) keeps p digits of the fraction, rounded half away from its epoch.
std::int64_t rounded(std::int64_t microseconds, int digits) {
  const auto unit = static_cast<std::int64_t>(power_of_ten(6 - digits));
  const std::int64_t half = microseconds < 0 ? -unit / 2 : unit / 2;
  return (microseconds + half) / unit * unit;
}

[[gnu::noinline]] char* write_time(char* at, const Cell& cell, const Type& type, const WireForm& form) {
  const bool endless = type.kind == TypeKind::date && cell.number == kInfinityDay;
  switch (form.wire) {
    case WireType::date:
      return write_number<std::int32_t>(
          at, endless ? kInfiniteWireDate : static_cast<std::int32_t>(cell.number - kEpochDays));
    case WireType::timestamp:
    case WireType::timestamptz: {
      if (endless) return write_number<std::int64_t>(at, kInfiniteWireTimestamp);
      const Int128 microseconds = type.kind == TypeKind::date ? cell.number * kMicrosecondsPerDay : cell.number;
      return write_number<std::int64_t>(
          at, rounded(static_cast<std::int64_t>(microseconds - kEpochMicroseconds), form.scale));
    }
    default: return write_as_text(at, cell, type, form.wire);
  }
}

// A whole number, order-preserving and short: a length byte, then that many big-endian bytes.
void append_sort_number(std::string& key, Int128 value) {
  const bool negative = value < 0;
  std::size_t bytes = negative ? 1 : 0;
  for (Int128 rest = negative ? ~value >> 8 * bytes : value; rest > 0; rest >>= 8) ++bytes;
  char digits[1 + 2 * sizeof(std::uint64_t)];
  char* end = db::write_big_endian(digits + 1, static_cast<std::uint64_t>(value >> 64));
  end = db::write_big_endian(end, static_cast<std::uint64_t>(value));
  char* begin = end - bytes - 1;
  *begin = static_cast<char>(negative ? 0x80 - bytes : 0x80 + bytes);
  key.append(begin, bytes + 1);
}

}  // namespace

bool is_padded(const db::Column& column) {
  return column.wire == WireType::text && column.type.starts_with("character(");
}

std::optional<WireForm> wire_form(const Type& type, const db::Column& column) {
  const WireType wire = column.wire;
  const bool any_text = wire == WireType::text || wire == WireType::sqlite_text || wire == WireType::sqlite_any;
  WireForm form{wire, 0, is_padded(column)};
  bool fits = false;
  switch (type.kind) {
    case TypeKind::text: fits = any_text; break;
    case TypeKind::json: fits = any_text || wire == WireType::json || wire == WireType::jsonb; break;
    case TypeKind::uuid: fits = any_text || wire == WireType::uuid || wire == WireType::sqlite_numeric; break;
    case TypeKind::integer:
      fits = any_text || wire <= WireType::numeric || is_sqlite_numeric(wire);
      form.scale = column.scale;
      break;
    case TypeKind::decimal:
      fits = any_text || wire == WireType::float4 || wire == WireType::float8 || is_sqlite_numeric(wire) ||
             (wire == WireType::numeric && (column.precision == 0 || column.scale >= type.scale));
      form.scale = column.precision == 0 ? type.scale : column.scale;
      break;
    case TypeKind::boolean:
      fits = wire == WireType::boolean || wire <= WireType::int8 || is_sqlite_numeric(wire) ||
             wire == WireType::sqlite_any;
      break;
    case TypeKind::date:
      fits = any_text || wire == WireType::sqlite_numeric || (wire >= WireType::date && wire <= WireType::timestamptz);
      form.scale = column.scale;
      break;
    case TypeKind::timestamp:
      fits =
          any_text || wire == WireType::sqlite_numeric || wire == WireType::timestamp || wire == WireType::timestamptz;
      form.scale = column.scale;
      break;
  }
  if (!fits) return std::nullopt;
  return form;
}

char* write_value(char* at, const Cell& cell, const Type& type, const WireForm& form) {
  switch (type.kind) {
    case TypeKind::text:
    case TypeKind::json: return write_text(at, cell.text, form.wire);
    case TypeKind::uuid:
      if (form.wire != WireType::uuid) return write_as_text(at, cell, type, form.wire);
      at = db::write_big_endian<std::int32_t>(at, sizeof cell.uuid);
      std::memcpy(at, cell.uuid, sizeof cell.uuid);
      return at + sizeof cell.uuid;
    case TypeKind::integer:
    case TypeKind::decimal:
    case TypeKind::boolean: return write_integral(at, cell, type, form);
    case TypeKind::date:
    case TypeKind::timestamp: return write_time(at, cell, type, form);
  }
  return nullptr;
}

bool append_value(std::string& tuple, const Cell& cell, const Type& type, const WireForm& form) {
  char field[kMostBytesBesidesText];
  const bool text = is_text(type);
  const char* end = text ? write_text_head(field, cell.text.size(), form.wire) : write_value(field, cell, type, form);
  if (end == nullptr) return false;
  tuple.append(field, static_cast<std::size_t>(end - field));
  if (text) tuple.append(cell.text);
  return true;
}

namespace {

// A value given as text (SQLite's tag 't', text columns): cast it as a plain cell of the type.
bool decode_text(std::string_view text, const Type& type, TextArena& arena, Cell& cell) {
  static const NumberFormat plain_numbers = *NumberFormat::for_locale("");
  static const DateFormat iso_dates = *DateFormat::parse("");
  if (type.kind != TypeKind::text && type.kind != TypeKind::json)
    while (text.ends_with(' ')) text.remove_suffix(1);  // char(n) fills up with spaces
  switch (type.kind) {
    case TypeKind::text:
    case TypeKind::json: cell.text = arena.keep(text); return true;
    case TypeKind::uuid: return !uuid(text, cell.uuid);
    case TypeKind::decimal: return !plain_numbers.decimal(text, 38, type.scale, cell.number);
    case TypeKind::date: {
      std::int32_t days = kInfinityDay;
      if (text != kInfinityWord && iso_dates.date(text, days)) return false;
      cell.number = days;
      return true;
    }
    case TypeKind::timestamp: {
      std::int64_t microseconds = 0;
      if (iso_dates.timestamp(text, microseconds)) return false;
      cell.number = microseconds;
      return true;
    }
    case TypeKind::integer:
    case TypeKind::boolean: {
      std::int64_t number = 0;
      if (plain_numbers.integer(text, number)) return false;
      cell.number = number;
      return true;
    }
  }
  return false;
}

bool decode_integer(std::int64_t number, const Type& type, TextArena& arena, Cell& cell) {
  switch (type.kind) {
    case TypeKind::integer:
    case TypeKind::boolean: cell.number = number; return true;
    case TypeKind::decimal: cell.number = number * power_of_ten(type.scale); return true;
    case TypeKind::text: {
      char digits[24];
      const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
      cell.text = arena.keep({digits, static_cast<std::size_t>(end - digits)});
      return true;
    }
    default: return false;
  }
}

// The shortest digits that stand for the number, as the database would show it.
template <class Real>
bool decode_real(Real number, const Type& type, TextArena& arena, Cell& cell) {
  char digits[400];
  const auto format = std::abs(number) < 1e300 ? std::chars_format::fixed : std::chars_format::general;
  const auto end = std::to_chars(digits, digits + sizeof digits, number, format).ptr;
  return decode_text({digits, static_cast<std::size_t>(end - digits)}, type, arena, cell);
}

bool decode_sqlite(std::string_view bytes, const Type& type, TextArena& arena, Cell& cell) {
  if (bytes.empty()) return false;
  const char tag = bytes.front();
  bytes.remove_prefix(1);
  if (tag == 'i') return decode_integer(db::read_big_endian<std::int64_t>(bytes.data()), type, arena, cell);
  if (tag == 'r')
    return decode_real(std::bit_cast<double>(db::read_big_endian<std::uint64_t>(bytes.data())), type, arena, cell);
  return tag == 't' && decode_text(bytes, type, arena, cell);
}

}  // namespace

bool decode_value(db::WireField field, WireType wire, const Type& type, TextArena& arena, Cell& cell) {
  const std::string_view bytes = field.bytes();
  switch (wire) {
    case WireType::int2: return decode_integer(db::read_big_endian<std::int16_t>(bytes.data()), type, arena, cell);
    case WireType::int4: return decode_integer(db::read_big_endian<std::int32_t>(bytes.data()), type, arena, cell);
    case WireType::int8: return decode_integer(db::read_big_endian<std::int64_t>(bytes.data()), type, arena, cell);
    case WireType::boolean: return decode_integer(bytes.front() != '\0', type, arena, cell);
    case WireType::float4:
      return decode_real(std::bit_cast<float>(db::read_big_endian<std::uint32_t>(bytes.data())), type, arena, cell);
    case WireType::float8:
      return decode_real(std::bit_cast<double>(db::read_big_endian<std::uint64_t>(bytes.data())), type, arena, cell);
    case WireType::numeric: {
      const int scale = type.kind == TypeKind::decimal ? type.scale : 0;
      return (type.kind == TypeKind::decimal || type.kind == TypeKind::integer) &&
             read_numeric(bytes, scale, cell.number);
    }
    case WireType::date: {
      const auto days = db::read_big_endian<std::int32_t>(bytes.data());
      cell.number = days + kEpochDays;
      if (type.kind == TypeKind::date && days == kInfiniteWireDate) cell.number = kInfinityDay;
      if (type.kind == TypeKind::timestamp) cell.number *= kMicrosecondsPerDay;
      return type.kind == TypeKind::date || type.kind == TypeKind::timestamp;
    }
    case WireType::timestamp:
    case WireType::timestamptz:
      cell.number = Int128{db::read_big_endian<std::int64_t>(bytes.data())} + kEpochMicroseconds;
      if (type.kind == TypeKind::date && cell.number == Int128{kInfiniteWireTimestamp} + kEpochMicroseconds) {
        cell.number = kInfinityDay;
      } else if (type.kind == TypeKind::date) {
        if (cell.number % kMicrosecondsPerDay != 0) return false;
        cell.number /= kMicrosecondsPerDay;
      }
      return type.kind == TypeKind::date || type.kind == TypeKind::timestamp;
    case WireType::uuid:
      if (type.kind == TypeKind::uuid) {
        std::memcpy(cell.uuid, bytes.data(), sizeof cell.uuid);
        return true;
      } else {
        unsigned char value[16];
        std::memcpy(value, bytes.data(), sizeof value);
        std::string text;
        append_uuid(text, value);
        return decode_text(text, type, arena, cell);
      }
    case WireType::jsonb: return decode_text(bytes.substr(1), type, arena, cell);
    case WireType::text:
    case WireType::json: return decode_text(bytes, type, arena, cell);
    case WireType::sqlite_integer:
    case WireType::sqlite_real:
    case WireType::sqlite_numeric:
    case WireType::sqlite_text:
    case WireType::sqlite_any: return decode_sqlite(bytes, type, arena, cell);
    case WireType::bytea:
    case WireType::unsupported: return false;
  }
  return false;
}

namespace {

// SQLite's numeric affinity hides what the declared type says.
Type declared_type(std::string_view declared) {
  std::string upper(declared);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  const auto has = [&](std::string_view word) { return upper.find(word) != std::string::npos; };
  if (has("BOOL")) return {TypeKind::boolean};
  if (has("TIME")) return {TypeKind::timestamp};
  if (has("DATE")) return {TypeKind::date};
  if (has("UUID")) return {TypeKind::uuid};
  return {TypeKind::decimal, 38, 10};
}

}  // namespace

Type natural_type(const db::Column& column) {
  switch (column.wire) {
    case WireType::sqlite_real: return {TypeKind::decimal, 38, 10};
    case WireType::sqlite_numeric: return declared_type(column.type);
    case WireType::int2:
    case WireType::int4:
    case WireType::int8:
    case WireType::sqlite_integer: return {TypeKind::integer};
    case WireType::numeric:
      if (column.precision == 0) return {TypeKind::decimal, 38, 10};
      return {TypeKind::decimal, column.precision, column.scale};
    case WireType::boolean: return {TypeKind::boolean};
    case WireType::date: return {TypeKind::date};
    case WireType::timestamp:
    case WireType::timestamptz: return {TypeKind::timestamp};
    case WireType::uuid: return {TypeKind::uuid};
    case WireType::json:
    case WireType::jsonb: return {TypeKind::json};
    default: return {TypeKind::text};
  }
}

void append_sort_key(std::string& key, const Cell& cell, const Type& type, bool folds_case, bool pad) {
  switch (type.kind) {
    case TypeKind::uuid: key.append(reinterpret_cast<const char*>(cell.uuid), sizeof cell.uuid); return;
    case TypeKind::text:
    case TypeKind::json: {
      std::string_view text = cell.text;
      while (pad && text.ends_with(' ')) text.remove_suffix(1);
      const std::size_t begin = key.size();
      key.append(text);
      if (folds_case)
        for (std::size_t i = begin; i < key.size(); ++i)
          if (key[i] >= 'A' && key[i] <= 'Z') key[i] = static_cast<char>(key[i] + ('a' - 'A'));
      key.push_back('\0');  // text holds no NUL, so a shorter text sorts before a longer one
      return;
    }
    default: append_sort_number(key, cell.number); return;
  }
}

std::string to_text(const Cell& cell, const Type& type) {
  std::string text;
  switch (type.kind) {
    case TypeKind::text:
    case TypeKind::json: text = cell.text; break;
    case TypeKind::integer: append_integer(text, static_cast<std::int64_t>(cell.number)); break;
    case TypeKind::decimal: append_decimal(text, cell.number, type.scale); break;
    case TypeKind::boolean: text = cell.number != 0 ? "true" : "false"; break;
    case TypeKind::date: append_date(text, static_cast<std::int32_t>(cell.number)); break;
    case TypeKind::timestamp: append_timestamp(text, static_cast<std::int64_t>(cell.number)); break;
    case TypeKind::uuid: append_uuid(text, cell.uuid); break;
  }
  return text;
}

}  // namespace lade::analysis
