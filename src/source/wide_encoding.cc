#include "source/wide_encoding.h"

#include <simdjson.h>

#include <array>
#include <cstdint>

namespace lade::source {
namespace {

using namespace std::string_view_literals;

struct Mark {
  std::string_view bytes;
  std::string_view encoding;
};

// UTF-32 before UTF-16, whose little-endian mark it begins with.
constexpr std::array kMarks = {Mark{"\xFF\xFE\0\0"sv, "utf-32le"}, Mark{"\0\0\xFE\xFF"sv, "utf-32be"},
                               Mark{"\xFF\xFE"sv, "utf-16le"}, Mark{"\xFE\xFF"sv, "utf-16be"},
                               Mark{"\xEF\xBB\xBF"sv, "utf-8"}};

struct Wide {
  std::string_view encoding;
  std::size_t width;
  bool little;
};

constexpr std::array kWide = {Wide{"utf-32le", 4, true}, Wide{"utf-32be", 4, false}, Wide{"utf-16le", 2, true},
                              Wide{"utf-16be", 2, false}};

// What the units of a sample are when it is read in one way.
struct Units {
  std::size_t all = 0;
  std::size_t ascii = 0;       // printable, tabs and line ends
  std::size_t impossible = 0;  // other controls, halves of pairs, what is no character
};

std::uint32_t unit_at(std::string_view sample, std::size_t at, const Wide& wide) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < wide.width; ++i) {
    const std::size_t from = wide.little ? wide.width - 1 - i : i;
    value = value << 8 | static_cast<unsigned char>(sample[at + from]);
  }
  return value;
}

bool is_lead(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_trail(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

Units read_units(std::string_view sample, const Wide& wide) {
  Units units;
  std::uint32_t before = 0;
  for (std::size_t at = 0; at + wide.width <= sample.size(); at += wide.width) {
    const std::uint32_t unit = unit_at(sample, at, wide);
    ++units.all;
    const bool ascii = (unit >= 0x20 && unit < 0x7F) || unit == '\t' || unit == '\n' || unit == '\r';
    const bool pair = wide.width == 2 && is_lead(before);
    const bool half = wide.width == 4 ? is_lead(unit) || is_trail(unit) : is_trail(unit) != pair;
    units.ascii += ascii ? 1 : 0;
    units.impossible += (!ascii && unit < 0xA0) || half || (unit & 0xFFFE) == 0xFFFE || unit > 0x10FFFF ? 1 : 0;
    before = unit;
  }
  return units;
}

}  // namespace

ByteOrderMark byte_order_mark(std::string_view beginning) {
  for (const Mark& mark : kMarks)
    if (beginning.starts_with(mark.bytes)) return {mark.encoding, mark.bytes.size()};
  return {};
}

std::string_view wide_encoding(std::string_view sample) {
  // Text of one byte a character has hardly any zero bytes, wide text hardly none: its line ends alone have some.
  if (sample.find('\0') == std::string_view::npos) return {};
  const bool could_be_utf8 = simdjson::validate_utf8(sample.data(), sample.size());
  for (const Wide& wide : kWide) {
    const Units units = read_units(sample, wide);
    if (units.all < 2 || units.impossible * 20 > units.all) continue;
    // UTF-32 says enough by being possible: its first byte or two are always zero.
    if (wide.width == 4) return wide.encoding;
    // Read as UTF-16, other text is ideographs throughout: ASCII among them is the proof.
    if (units.ascii * 100 >= units.all * (could_be_utf8 ? 35 : 1) && units.ascii > 0) return wide.encoding;
  }
  return {};
}

}  // namespace lade::source
