#include <charconv>
#include <cstring>

#include "analysis/cast.h"
#include "analysis/cast_date.h"

namespace lade::analysis {
namespace {

constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr std::int64_t kMicrosecondsPerDay = 86'400 * kMicrosecondsPerSecond;
constexpr std::uint64_t kLimb = 1'000'000'000'000'000'000;  // 10^18
constexpr int kLimbDigits = 18;
constexpr int kMostDecimalText = 40;  // 39 digits of Int128, and room

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The last `count` digits of `value`, with leading zeros, written before `end`.
char* write_padded(char* end, std::uint64_t value, int count) {
  for (int at = 0; at < count; ++at, value /= 10) *--end = static_cast<char>('0' + value % 10);
  return end;
}

char* write_digits(char* end, std::uint64_t value) {
  do {
    *--end = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return end;
}

// 128-bit division is slow: values of more than 18 digits are rare and take it once per 18 digits.
char* write_digits(char* end, UInt128 value) {
  while (value >= kLimb) {
    end = write_padded(end, static_cast<std::uint64_t>(value % kLimb), kLimbDigits);
    value /= kLimb;
  }
  return write_digits(end, static_cast<std::uint64_t>(value));
}

void append_padded(std::string& out, std::int64_t value, int count) {
  char buffer[kLimbDigits];
  write_padded(buffer + count, static_cast<std::uint64_t>(value), count);
  out.append(buffer, static_cast<std::size_t>(count));
}

char* write_pair(char* end, int value) {
  *--end = static_cast<char>('0' + value % 10);
  *--end = static_cast<char>('0' + value / 10);
  return end;
}

}  // namespace

CastFault uuid(std::string_view text, unsigned char (&value)[16]) {
  constexpr CastFault kFault{"not_a_uuid"};
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') text = text.substr(1, text.size() - 2);
  const bool dashed = text.size() == 36;
  if (!dashed && text.size() != 32) return kFault;
  std::size_t at = 0;
  for (int byte = 0; byte < 16; ++byte) {
    const bool dash_due = byte == 4 || byte == 6 || byte == 8 || byte == 10;
    if (dashed && dash_due && text[at++] != '-') return kFault;
    const int high = hex_value(text[at++]);
    const int low = hex_value(text[at++]);
    if (high < 0 || low < 0) return kFault;
    value[byte] = static_cast<unsigned char>(high << 4 | low);
  }
  return {};
}

void append_integer(std::string& out, std::int64_t value) {
  char buffer[24];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, written.ptr);
}

void append_decimal(std::string& out, Int128 value, int scale) {
  char buffer[kMostDecimalText + 2];
  char* const end = buffer + sizeof buffer;
  const bool negative = value < 0;
  const auto magnitude = negative ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
  char* begin = write_digits(end, magnitude);
  while (end - begin <= scale) *--begin = '0';
  if (negative) out.push_back('-');
  const auto whole = static_cast<std::size_t>(end - begin - scale);
  out.append(begin, whole);
  if (scale == 0) return;
  out.push_back('.');
  out.append(begin + whole, static_cast<std::size_t>(scale));
}

void append_date(std::string& out, std::int32_t days) {
  if (days == kInfinityDay) {
    out += kInfinityWord;
    return;
  }
  const WrittenDate written = civil_from_days(days);
  char text[] = "YYYY-MM-DD";
  write_pair(text + 10, written.day);
  write_pair(text + 7, written.month);
  if (written.year >= 0 && written.year <= 9999) {
    write_pair(write_pair(text + 4, written.year % 100), written.year / 100);
    out.append(text, 10);
    return;
  }
  if (written.year < 0) out.push_back('-');
  const int year = written.year < 0 ? -written.year : written.year;
  append_padded(out, year, year > 9999 ? 7 : 4);
  out.append(text + 4, 6);
}

void append_timestamp(std::string& out, std::int64_t microseconds) {
  std::int64_t days = microseconds / kMicrosecondsPerDay;
  std::int64_t rest = microseconds % kMicrosecondsPerDay;
  if (rest < 0) {
    rest += kMicrosecondsPerDay;
    --days;
  }
  append_date(out, static_cast<std::int32_t>(days));
  const std::int64_t seconds = rest / kMicrosecondsPerSecond;
  out.push_back('T');
  append_padded(out, seconds / 3600, 2);
  out.push_back(':');
  append_padded(out, seconds / 60 % 60, 2);
  out.push_back(':');
  append_padded(out, seconds % 60, 2);
  if (const std::int64_t fraction = rest % kMicrosecondsPerSecond; fraction != 0) {
    out.push_back('.');
    append_padded(out, fraction, 6);
  }
  out.push_back('Z');
}

void append_uuid(std::string& out, const unsigned char (&value)[16]) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (int byte = 0; byte < 16; ++byte) {
    if (byte == 4 || byte == 6 || byte == 8 || byte == 10) out.push_back('-');
    out.push_back(kDigits[value[byte] >> 4]);
    out.push_back(kDigits[value[byte] & 15]);
  }
}

}  // namespace lade::analysis
