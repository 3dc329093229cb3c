#include <algorithm>
#include <string>

#include "analysis/cast_number.h"
#include "analysis/locale_tag.h"

namespace lade::analysis {
namespace {

constexpr std::string_view kNoBreakSpace = "\u00A0";
constexpr std::string_view kThinSpace = "\u2009";
constexpr std::string_view kNarrowNoBreakSpace = "\u202F";
constexpr std::string_view kRightQuote = "\u2019";

constexpr NumberStyle kComma = {'.', {","}, 3, "1,234.56"};
constexpr NumberStyle kPoint = {',', {"."}, 3, "1.234,56"};
constexpr NumberStyle kPointOrSpace = {',', {".", " ", kNoBreakSpace, kNarrowNoBreakSpace}, 3, "1.234,56"};
constexpr NumberStyle kSpace = {',', {" ", kNoBreakSpace, kThinSpace, kNarrowNoBreakSpace}, 3, "1 234,56"};
constexpr NumberStyle kApostrophe = {'.', {"'", kRightQuote}, 3, "1'234.56"};
constexpr NumberStyle kIndian = {'.', {","}, 2, "12,34,567.89"};

struct LocaleStyle {
  std::string_view locale;
  const NumberStyle* style;
};

// Sorted. Regions stand here only where they differ from their language.
constexpr LocaleStyle kLocales[] = {
    {"af", &kSpace},           {"az", &kPoint},         {"be", &kSpace},           {"bg", &kSpace},
    {"bn", &kIndian},          {"bs", &kPoint},         {"ca", &kPoint},           {"cs", &kSpace},
    {"cy", &kComma},           {"da", &kPoint},         {"de", &kPoint},           {"de-at", &kPointOrSpace},
    {"de-ch", &kApostrophe},   {"de-li", &kApostrophe}, {"el", &kPoint},           {"en", &kComma},
    {"en-at", &kPointOrSpace}, {"en-ch", &kApostrophe}, {"en-de", &kPoint},        {"en-in", &kIndian},
    {"en-za", &kSpace},        {"es", &kPoint},         {"es-do", &kComma},        {"es-gt", &kComma},
    {"es-hn", &kComma},        {"es-mx", &kComma},      {"es-ni", &kComma},        {"es-pa", &kComma},
    {"es-pe", &kComma},        {"es-pr", &kComma},      {"es-sv", &kComma},        {"es-us", &kComma},
    {"et", &kSpace},           {"eu", &kPoint},         {"fi", &kSpace},           {"fil", &kComma},
    {"fo", &kPoint},           {"fr", &kSpace},         {"fr-lu", &kPointOrSpace}, {"ga", &kComma},
    {"gl", &kPoint},           {"gu", &kIndian},        {"he", &kComma},           {"hi", &kIndian},
    {"hr", &kPoint},           {"hu", &kSpace},         {"hy", &kSpace},           {"id", &kPoint},
    {"is", &kPoint},           {"it", &kPoint},         {"it-ch", &kApostrophe},   {"ja", &kComma},
    {"ka", &kSpace},           {"kk", &kSpace},         {"kn", &kIndian},          {"ko", &kComma},
    {"lb", &kPoint},           {"lt", &kSpace},         {"lv", &kSpace},           {"mk", &kPoint},
    {"ml", &kIndian},          {"mr", &kIndian},        {"ms", &kComma},           {"mt", &kComma},
    {"nb", &kSpace},           {"nl", &kPoint},         {"nn", &kSpace},           {"no", &kSpace},
    {"pa", &kIndian},          {"pl", &kSpace},         {"pt", &kPoint},           {"pt-pt", &kPointOrSpace},
    {"rm", &kApostrophe},      {"ro", &kPoint},         {"ru", &kSpace},           {"sk", &kSpace},
    {"sl", &kPoint},           {"sq", &kSpace},         {"sr", &kPoint},           {"sv", &kSpace},
    {"sw", &kComma},           {"ta", &kIndian},        {"te", &kIndian},          {"th", &kComma},
    {"tr", &kPoint},           {"uk", &kSpace},         {"ur", &kIndian},          {"vi", &kPoint},
    {"zh", &kComma},
};
static_assert(std::is_sorted(std::begin(kLocales), std::end(kLocales),
                             [](const LocaleStyle& a, const LocaleStyle& b) { return a.locale < b.locale; }));

const NumberStyle* find(std::string_view locale) {
  const auto* at = std::lower_bound(std::begin(kLocales), std::end(kLocales), locale,
                                    [](const LocaleStyle& a, std::string_view b) { return a.locale < b; });
  return at != std::end(kLocales) && at->locale == locale ? at->style : nullptr;
}

}  // namespace

const NumberStyle* number_style(std::string_view locale) {
  const auto tag = parse_locale_tag(locale);
  if (!tag) return nullptr;
  const NumberStyle* exact = find(tag->name());
  return exact != nullptr ? exact : find(tag->language);
}

}  // namespace lade::analysis
