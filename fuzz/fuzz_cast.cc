#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cast.h"
#include "base/assert.h"

// The first byte chooses a cast and its format, the rest is the cell. Whatever is accepted must be accepted again, as
// the same value, in its canonical text.
namespace {

using lade::analysis::BooleanFormat;
using lade::analysis::DateFormat;
using lade::analysis::Int128;
using lade::analysis::NumberFormat;

using Formats = std::vector<std::string>;

const NumberFormat& number_format(unsigned choice) {
  static const NumberFormat formats[] = {NumberFormat{},
                                         *NumberFormat::for_locale("de-DE"),
                                         *NumberFormat::for_locale("fr"),
                                         *NumberFormat::for_locale("en-IN"),
                                         *NumberFormat::for_locale("de-CH"),
                                         *NumberFormat::for_locale("", Formats{"currency", "accounting", "percent"}),
                                         *NumberFormat::for_locale("sv-SE", Formats{"currency(SEK)"}),
                                         *NumberFormat::for_locale("de-DE", Formats{"accounting", "percent"})};
  return formats[choice % std::size(formats)];
}

const DateFormat& date_format(unsigned choice) {
  static const DateFormat formats[] = {DateFormat{},
                                       *DateFormat::parse("D.M.YY h:mm:ss.SSS a"),
                                       *DateFormat::parse("MMMM D, YYYY HH:mm Z"),
                                       *DateFormat::parse("", "Europe/Berlin"),
                                       *DateFormat::parse(Formats{"D/M/YYYY", "M/D/YYYY", "excel"}, "", ""),
                                       *DateFormat::parse(Formats{"excel1904", "iso"}, "", "Europe/Berlin"),
                                       *DateFormat::parse(Formats{}, "de-DE", ""),
                                       *DateFormat::parse(Formats{}, "es-ES", "Europe/Madrid"),
                                       *DateFormat::parse(Formats{"D MMM. YYYY", "D-MMM-YY"}, "ru", "")};
  return formats[choice % std::size(formats)];
}

void try_integer(std::string_view text, unsigned choice) {
  std::int64_t value = 0;
  std::int64_t again = 0;
  if (number_format(choice).integer(text, value)) return;
  std::string canonical;
  lade::analysis::append_integer(canonical, value);
  LADE_ASSERT(!NumberFormat{}.integer(canonical, again) && again == value);
}

void try_decimal(std::string_view text, unsigned choice) {
  const int precision = 1 + static_cast<int>(choice % 38);
  const int scale = static_cast<int>(choice / 5) % (precision + 1);
  Int128 value = 0;
  Int128 again = 0;
  if (number_format(choice).decimal(text, precision, scale, value)) return;
  std::string canonical;
  lade::analysis::append_decimal(canonical, value, scale);
  LADE_ASSERT(!NumberFormat{}.decimal(canonical, precision, scale, again) && again == value);
}

void try_date(std::string_view text, unsigned choice) {
  std::int32_t days = 0;
  std::int32_t again = 0;
  if (date_format(choice).date(text, days)) return;
  std::string canonical;
  lade::analysis::append_date(canonical, days);
  LADE_ASSERT(!DateFormat{}.date(canonical, again) && again == days);
}

void try_timestamp(std::string_view text, unsigned choice) {
  std::int64_t microseconds = 0;
  std::int64_t again = 0;
  if (date_format(choice).timestamp(text, microseconds)) return;
  std::string canonical;
  lade::analysis::append_timestamp(canonical, microseconds);
  LADE_ASSERT(!DateFormat{}.timestamp(canonical, again) && again == microseconds);
}

void try_words(std::string_view text) {
  static const BooleanFormat words = *BooleanFormat::parse("ja,j,ÄÖ/nein,n,-");
  bool truth = false;
  static_cast<void>(BooleanFormat{}.boolean(text, truth));
  static_cast<void>(words.boolean(text, truth));
  static_cast<void>(lade::analysis::json(text));
  unsigned char bytes[16];
  unsigned char again[16];
  if (lade::analysis::uuid(text, bytes)) return;
  std::string canonical;
  lade::analysis::append_uuid(canonical, bytes);
  LADE_ASSERT(!lade::analysis::uuid(canonical, again) && std::equal(bytes, bytes + 16, again));
}

void try_formats(std::string_view text) {
  static_cast<void>(NumberFormat::for_locale(text));
  static_cast<void>(NumberFormat::for_locale("", Formats{std::string(text)}));
  static_cast<void>(DateFormat::parse(Formats{}, text, ""));
  static_cast<void>(BooleanFormat::parse(text));
  if (const auto format = DateFormat::parse(text)) {
    std::int64_t microseconds = 0;
    static_cast<void>(format->timestamp("2024-02-29T12:34:56", microseconds));
    static_cast<void>(format->readings("1/2/2024"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = data[0] / 6;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0: try_integer(text, choice); break;
    case 1: try_decimal(text, choice); break;
    case 2: try_date(text, choice); break;
    case 3: try_timestamp(text, choice); break;
    case 4: try_words(text); break;
    default: try_formats(text); break;
  }
  return 0;
}
