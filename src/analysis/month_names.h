#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/locale_tag.h"

namespace lade::analysis {

// The names of the months in a language, long and short, as in a date and alone (CLDR's, by ICU), and their first three
// letters where these name one month only. Made when a definition is bound; reading needs no ICU for ASCII text.
class MonthNames {
 public:
  static std::shared_ptr<const MonthNames> of(const LocaleTag& locale);

  // Takes a name from the front of `rest`, in any case; `month` from 1 on.
  bool take(std::string_view& rest, int& month) const;

 private:
  void add(std::string name, int month);
  void add_beginnings();

  std::vector<std::pair<std::string, int>> names_;  // without case and point; longest first
};

}  // namespace lade::analysis
