#include "analysis/fold_case.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>

#include <algorithm>

namespace lade::analysis {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::string folded_case(std::string_view text) {
  std::string out;
  if (!is_ascii(text)) {
    UErrorCode problem = U_ZERO_ERROR;
    icu::StringByteSink<std::string> sink(&out, static_cast<std::int32_t>(text.size()));
    icu::CaseMap::utf8Fold(0, {text.data(), static_cast<std::int32_t>(text.size())}, sink, nullptr, problem);
    if (U_SUCCESS(problem)) return out;
  }
  out.assign(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool folds_to(std::string_view text, std::string_view folded) {
  if (!is_ascii(text)) return folded_case(text) == folded;
  return text.size() == folded.size() &&
         std::equal(text.begin(), text.end(), folded.begin(), [](char a, char b) { return lower(a) == b; });
}

}  // namespace lade::analysis
