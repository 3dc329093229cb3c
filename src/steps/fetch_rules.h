#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.h"
#include "definition/faults.h"
#include "harvest/extractor.h"
#include "harvest/fetch.h"

// What the steps `fetch` and `extract` of a definition say: the rows of its files name pages, which are fetched and
// taken apart before anything is analysed.
namespace lade::steps {

// What a definition leaves open is decided by the operator's settings.
struct FetchRules {
  std::string url;  // the source column with the pages' addresses
  std::string key;  // the source column with what they are called; empty: their addresses
  std::optional<double> host_per_minute = {}, total_per_minute = {};  // requests; 0: no limit
  std::optional<std::int64_t> host_at_once = {}, total_at_once = {};
  std::optional<std::int64_t> host_burst = {};
  std::optional<std::int64_t> retries = {};
  std::optional<std::chrono::milliseconds> backoff = {};  // before the first retry
  harvest::FetchLimits limits = {};
  bool respect_robots = true;
  bool conditional = true;  // a page that an earlier job has kept is only asked whether it has changed
};

// How the values of a field become one cell.
struct FieldCell {
  std::string name;
  bool is_list = false;
  std::optional<std::string> separator = {};  // between the values of a list; without one they are a JSON array
};

struct PageRules {
  FetchRules fetch;
  std::vector<harvest::FieldRule> fields;  // empty: pages are only kept
  std::vector<FieldCell> cells;            // of the same fields
};

// Whether rows of the definition's files name pages.
bool fetches_pages(const definition::Definition& definition);
// The rules of such a definition, which passed check_fetch() and check_extract().
PageRules page_rules(const definition::Definition& definition);

void check_fetch(const definition::Step& step, const definition::Definition& definition, definition::Faults& faults);
void check_extract(const definition::Step& step, const definition::Definition& definition, definition::Faults& faults);

// Columns that records get beside the fields: what became of the row's page.
namespace page_column {
constexpr std::string_view kError = "_page_error";    // JSON: why there is none; empty: it was fetched
constexpr std::string_view kIssues = "_page_issues";  // JSON: what is wrong with its fields
constexpr std::string_view kUrl = "_page_url";        // that was answered, after redirects
constexpr std::string_view kChecksum = "_page_checksum";
constexpr std::string_view kFetchedAt = "_page_fetched_at";
}  // namespace page_column
// All of them, in this order.
std::vector<std::string> page_columns();

}  // namespace lade::steps
