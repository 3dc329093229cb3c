#include "source/legacy_encoding.h"

#include <uchardet/uchardet.h>

#include <algorithm>
#include <array>
#include <memory>

#include "source/decoder.h"

namespace lade::source {
namespace {

constexpr std::ptrdiff_t kFewLetters = 2;

std::string ask_uchardet(std::string_view sample) {
  const std::unique_ptr<uchardet, void (*)(uchardet*)> detector(uchardet_new(), uchardet_delete);
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return {};
  uchardet_data_end(detector.get());
  return uchardet_get_charset(detector.get());
}

// How text of an ISO encoding is written by Windows. Where the two differ inside 0x80 to 0x9F the code page has letters
// and ISO has controls that no table holds.
struct Sibling {
  std::string_view iso;
  std::string_view windows;
  bool superset;  // the code page reads every ISO text the same
};

constexpr std::array kSiblings = {
    Sibling{"ISO-8859-1", "windows-1252", true},   Sibling{"ISO-8859-2", "windows-1250", false},
    Sibling{"ISO-8859-3", "windows-1252", false},  Sibling{"ISO-8859-6", "windows-1256", false},
    Sibling{"ISO-8859-7", "windows-1253", false},  Sibling{"ISO-8859-8", "windows-1255", false},
    Sibling{"ISO-8859-9", "windows-1254", true},   Sibling{"ISO-8859-11", "windows-874", true},
    Sibling{"ISO-8859-13", "windows-1257", false}, Sibling{"ISO-8859-15", "windows-1252", false},
    Sibling{"TIS-620", "windows-874", true},
};

struct Decoded {
  std::string text;
  std::int64_t bad_bytes = 0;
};

Decoded decoded(std::string_view sample, const std::string& encoding) {
  auto decoder = Decoder::open(encoding);
  if (!decoder) return {{}, static_cast<std::int64_t>(sample.size())};
  Decoded result;
  (*decoder)->decode(sample, true, result.text);
  result.bad_bytes = (*decoder)->bad_bytes();
  return result;
}

bool has_byte(std::string_view sample, unsigned char first, unsigned char last) {
  return std::ranges::any_of(sample, [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= first && byte <= last;
  });
}

std::string corrected(std::string_view sample, std::string answer) {
  if (answer == "UHC") answer = "windows-949";
  // The generic currency sign is in no text of this century; the euro took its place.
  if (answer == "ISO-8859-1" && has_byte(sample, 0xA4, 0xA4) && !has_byte(sample, 0x80, 0x9F)) return "iso-8859-15";
  for (const Sibling& sibling : kSiblings) {
    if (answer == sibling.iso && (sibling.superset || has_byte(sample, 0x80, 0x9F)))
      return std::string(sibling.windows);
  }
  return answer;
}

}  // namespace

std::string legacy_encoding(std::string_view sample) {
  // So few letters are no evidence for anything but the commonest encoding.
  const auto letters =
      std::ranges::count_if(sample, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
  if (letters <= kFewLetters && decoded(sample, "windows-1252").bad_bytes == 0) return "windows-1252";
  std::string answer = corrected(sample, ask_uchardet(sample));
  if (answer.empty() || answer == "ASCII" || answer == "UTF-8") return "windows-1252";
  const auto known = encoding_named(answer);
  if (!known) return answer;
  // Few letters beyond ASCII read the same in many encodings; then it is called by the commonest of them.
  const Decoded common = decoded(sample, "windows-1252");
  if (common.bad_bytes == 0 && common.text == decoded(sample, *known).text) return "windows-1252";
  return *known;
}

std::string shifting_encoding(std::string_view sample) {
  const bool escapes = sample.find("\x1b$") != std::string_view::npos || sample.find("\x1b(") != std::string_view::npos;
  if (!escapes && sample.find("~{") == std::string_view::npos) return {};
  const std::string answer = ask_uchardet(sample);
  if (!answer.starts_with("ISO-2022") && !answer.starts_with("HZ")) return {};
  if (decoded(sample, answer).bad_bytes > 0) return {};
  return encoding_named(answer).value_or("");
}

}  // namespace lade::source
