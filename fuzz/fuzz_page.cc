// Any bytes as a page, and its first line as a selector, a URL and a robots.txt rule. The first byte chooses the kind
// of page and of selector. What is refused must be refused by a Result; what is accepted must mean the same again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "harvest/css.h"
#include "harvest/extractor.h"
#include "harvest/html_page.h"
#include "harvest/robots.h"
#include "harvest/url.h"

namespace {

using lade::harvest::FieldRule;

constexpr const char* kTypes[] = {"text/html", "text/html; charset=utf-8", "application/json", "text/plain", ""};
constexpr FieldRule::By kSelectors[] = {FieldRule::By::css, FieldRule::By::xpath, FieldRule::By::json,
                                        FieldRule::By::regex};

void extract(std::uint8_t choice, const std::string& selector, std::string_view page) {
  const lade::harvest::ExtractLimits limits{.html = {.page_bytes = 1 << 16, .elements = 2'000, .attributes = 16},
                                            .select = {.values = 100, .bytes = 1 << 16, .operations = 100'000}};
  const std::vector<FieldRule> rules = {
      {.name = "chosen", .by = kSelectors[choice / 8 % std::size(kSelectors)], .selector = selector, .is_list = true},
      {.name = "all", .by = FieldRule::By::css, .selector = "*", .transforms = {{}}, .is_list = true},
      {.name = "links", .by = FieldRule::By::xpath, .selector = "//@*", .is_list = true, .is_required = true}};
  const auto extractor = lade::harvest::Extractor::compile(rules, limits);
  if (!extractor) return;
  const auto extracted = extractor->extract(page, kTypes[choice % std::size(kTypes)]);
  if (!extracted) return;
  LADE_ASSERT(extracted->fields.size() == rules.size());
  for (const auto& field : extracted->fields) LADE_ASSERT(field.values.size() <= limits.select.values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(0, end));
  const std::string_view page = text.substr(std::min(end + 1, text.size()));

  if (const auto xpath = lade::harvest::xpath_of_css(line)) LADE_ASSERT(lade::harvest::check_xpath(*xpath).has_value());
  if (const auto url = lade::harvest::Url::parse(line)) {
    const auto again = lade::harvest::Url::parse(url->text);
    LADE_ASSERT(again && again->text == url->text && again->host == url->host && again->port == url->port);
  }
  (void)lade::harvest::RobotsRules::parse(page, "lade").allows(line);
  extract(data[0], line, page);
  return 0;
}
