#include "analysis/locale_dates.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace lade::analysis {
namespace {

constexpr std::string_view kDotPatterns[] = {"D.M.YYYY",  "D. M. YYYY",  "D/M/YYYY",     "D-M-YYYY",
                                             "D.M.YYYY.", "D. M. YYYY.", "D. MMMM YYYY", "D MMMM YYYY"};
constexpr std::string_view kSlashPatterns[] = {"D/M/YYYY",    "D.M.YYYY",    "D-M-YYYY",
                                               "D MMMM YYYY", "D-MMMM-YYYY", "D 'de' MMMM 'de' YYYY"};
constexpr std::string_view kDashPatterns[] = {"D-M-YYYY", "D/M/YYYY", "D.M.YYYY", "D MMMM YYYY", "D-MMMM-YYYY"};
constexpr std::string_view kMonthPatterns[] = {"M/D/YYYY",     "M-D-YYYY",    "M.D.YYYY",
                                               "MMMM D, YYYY", "D-MMMM-YYYY", "D MMMM YYYY"};
constexpr std::string_view kYearDashPatterns[] = {"YYYY-M-D", "YYYY/M/D", "YYYY.M.D", "D MMMM YYYY"};
constexpr std::string_view kYearSlashPatterns[] = {"YYYY/M/D", "YYYY-M-D", "YYYY.M.D", "YYYY'年'M'月'D'日'"};
constexpr std::string_view kYearDotPatterns[] = {"YYYY. M. D.", "YYYY.M.D.", "YYYY-M-D",
                                                 "YYYY/M/D",    "YYYY.M.D",  "YYYY. MMMM D."};

constexpr DateStyle kDot = {kDotPatterns, "31.12.2024"};
constexpr DateStyle kSlash = {kSlashPatterns, "31/12/2024"};
constexpr DateStyle kDash = {kDashPatterns, "31-12-2024"};
constexpr DateStyle kMonth = {kMonthPatterns, "12/31/2024"};
constexpr DateStyle kYearDash = {kYearDashPatterns, "2024-12-31"};
constexpr DateStyle kYearSlash = {kYearSlashPatterns, "2024/12/31"};
constexpr DateStyle kYearDot = {kYearDotPatterns, "2024. 12. 31."};

struct LocaleStyle {
  std::string_view locale;
  const DateStyle* style;
};

// Sorted. Regions stand here only where they differ from their language; English has no usage of its own.
constexpr LocaleStyle kLocales[] = {
    {"af", &kYearDash},     {"az", &kDot},         {"be", &kDot},         {"bg", &kDot},       {"bn", &kSlash},
    {"bs", &kDot},          {"ca", &kSlash},       {"cs", &kDot},         {"cy", &kSlash},     {"da", &kDot},
    {"de", &kDot},          {"el", &kSlash},       {"en-at", &kDot},      {"en-au", &kSlash},  {"en-be", &kSlash},
    {"en-ch", &kDot},       {"en-de", &kDot},      {"en-dk", &kDot},      {"en-fi", &kDot},    {"en-gb", &kSlash},
    {"en-hk", &kSlash},     {"en-ie", &kSlash},    {"en-in", &kSlash},    {"en-mt", &kSlash},  {"en-nl", &kDash},
    {"en-nz", &kSlash},     {"en-ph", &kMonth},    {"en-se", &kYearDash}, {"en-sg", &kSlash},  {"en-us", &kMonth},
    {"en-za", &kYearSlash}, {"es", &kSlash},       {"es-pa", nullptr},    {"es-pr", nullptr},  {"es-us", nullptr},
    {"et", &kDot},          {"eu", &kYearSlash},   {"fi", &kDot},         {"fil", &kMonth},    {"fo", &kDot},
    {"fr", &kSlash},        {"fr-ca", &kYearDash}, {"fr-ch", &kDot},      {"ga", &kSlash},     {"gl", &kSlash},
    {"gu", &kSlash},        {"he", &kDot},         {"hi", &kSlash},       {"hr", &kDot},       {"hu", &kYearDot},
    {"hy", &kDot},          {"id", &kSlash},       {"is", &kDot},         {"it", &kSlash},     {"it-ch", &kDot},
    {"ja", &kYearSlash},    {"ka", &kDot},         {"kk", &kDot},         {"kn", &kSlash},     {"ko", &kYearDot},
    {"lb", &kDot},          {"lt", &kYearDash},    {"lv", &kDot},         {"mk", &kDot},       {"ml", &kSlash},
    {"mr", &kSlash},        {"ms", &kSlash},       {"mt", &kSlash},       {"nb", &kDot},       {"nl", &kDash},
    {"nl-be", &kSlash},     {"nn", &kDot},         {"no", &kDot},         {"pa", &kSlash},     {"pl", &kDot},
    {"pt", &kSlash},        {"rm", &kDot},         {"ro", &kDot},         {"ru", &kDot},       {"sk", &kDot},
    {"sl", &kDot},          {"sq", &kDot},         {"sr", &kDot},         {"sv", &kYearDash},  {"sv-fi", &kDot},
    {"sw", &kSlash},        {"ta", &kSlash},       {"te", &kSlash},       {"th", &kSlash},     {"tr", &kDot},
    {"uk", &kDot},          {"ur", &kSlash},       {"vi", &kSlash},       {"zh", &kYearSlash}, {"zh-hk", &kSlash},
    {"zh-mo", &kSlash},
};
static_assert(std::is_sorted(std::begin(kLocales), std::end(kLocales),
                             [](const LocaleStyle& a, const LocaleStyle& b) { return a.locale < b.locale; }));

const LocaleStyle* find(std::string_view locale) {
  const auto* at = std::lower_bound(std::begin(kLocales), std::end(kLocales), locale,
                                    [](const LocaleStyle& a, std::string_view b) { return a.locale < b; });
  return at != std::end(kLocales) && at->locale == locale ? at : nullptr;
}

}  // namespace

const DateStyle* date_style(const LocaleTag& locale) {
  const LocaleStyle* found = find(locale.name());
  if (found == nullptr) found = find(locale.language);
  return found == nullptr ? nullptr : found->style;
}

}  // namespace lade::analysis
