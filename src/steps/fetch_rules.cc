#include "steps/fetch_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "definition/values.h"
#include "steps/expansion.h"

namespace lade::steps {
namespace {

using definition::Definition;
using definition::Faults;
using definition::Node;
using definition::Step;

constexpr std::size_t kMostFields = 500;
constexpr double kMostPerMinute = 100'000'000;
constexpr std::int64_t kMostAtOnce = 10'000, kMostRetries = 100;
constexpr double kLongest = 86'400;  // seconds
constexpr std::int64_t kMostBytes = 64 << 20;
// A page is held in memory while it is taken apart.
constexpr std::uint64_t kUsualBytes = 16 << 20;
constexpr std::string_view kSelectors[] = {"css", "xpath", "json", "regex"};

std::optional<double> number_of(const Node& node, double least, double most) {
  double value = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto read = std::from_chars(node.text.data(), end, value);
  if (!node.is_scalar() || read.ec != std::errc() || read.ptr != end || value < least || value > most)
    return std::nullopt;
  return value;
}

// Reads numbers of a map of options; what is wrong with them goes to `faults`, when there are some.
class Numbers {
 public:
  Numbers(const Node& map, std::string label, Faults* faults) : map_(map), label_(std::move(label)), faults_(faults) {}

  std::optional<double> number(std::string_view key, double least, double most) const {
    const Node* const node = map_.find(key);
    if (node == nullptr) return std::nullopt;
    const auto value = number_of(*node, least, most);
    if (!value) wrong(*node, key, fmt::format("expected a number from {} to {}", least, most));
    return value;
  }
  std::optional<std::int64_t> whole(std::string_view key, std::int64_t least, std::int64_t most) const {
    const auto value = number(key, static_cast<double>(least), static_cast<double>(most));
    if (!value) return std::nullopt;
    if (*value == static_cast<double>(static_cast<std::int64_t>(*value))) return static_cast<std::int64_t>(*value);
    wrong(*map_.find(key), key, "expected a whole number");
    return std::nullopt;
  }
  std::optional<std::chrono::milliseconds> seconds(std::string_view key, double least) const {
    const auto value = number(key, least, kLongest);
    if (!value) return std::nullopt;
    return std::chrono::milliseconds(static_cast<std::int64_t>(*value * 1000));
  }
  void only(std::initializer_list<std::string_view> keys) const {
    for (std::size_t i = 0; faults_ != nullptr && i < map_.size(); ++i)
      if (std::ranges::find(keys, map_.key(i).text) == keys.end())
        faults_->error(map_.key(i).place, "definition_unknown_key",
                       fmt::format("{}: unknown key {}{}", label_, definition::in_quotes(map_.key(i).text),
                                   definition::suggestion(map_.key(i).text, std::vector<std::string_view>(keys))));
  }
  void wrong(const Node& node, std::string_view key, std::string_view what) const {
    if (faults_ != nullptr)
      faults_->error(node.place, "definition_bad_value", fmt::format("{}.{}: {}", label_, key, what));
  }

 private:
  const Node& map_;
  const std::string label_;
  Faults* const faults_;
};

const Node* map_of(const Step& step, std::string_view key, Faults* faults) {
  const Node* const node = step.options.find(key);
  if (node == nullptr || node->is_map()) return node;
  if (faults != nullptr)
    faults->error(node->place, "definition_wrong_kind", fmt::format("steps.{}.{}: expected a map", step.code, key));
  return nullptr;
}

FetchRules read_fetch(const Step& step, Faults* faults) {
  FetchRules rules;
  const std::string label = "steps." + step.code;
  rules.url = option(step, "url");
  rules.key = option(step, "key");
  if (const Node* host = map_of(step, "per_host", faults)) {
    const Numbers numbers(*host, label + ".per_host", faults);
    numbers.only({"per_minute", "at_once", "burst"});
    rules.host_per_minute = numbers.number("per_minute", 0, kMostPerMinute);
    rules.host_at_once = numbers.whole("at_once", 1, kMostAtOnce);
    rules.host_burst = numbers.whole("burst", 1, kMostAtOnce);
  }
  if (const Node* total = map_of(step, "total", faults)) {
    const Numbers numbers(*total, label + ".total", faults);
    numbers.only({"per_minute", "at_once"});
    rules.total_per_minute = numbers.number("per_minute", 0, kMostPerMinute);
    rules.total_at_once = numbers.whole("at_once", 1, kMostAtOnce);
  }
  const Numbers numbers(step.options, label, faults);
  rules.retries = numbers.whole("retries", 0, kMostRetries);
  rules.backoff = numbers.seconds("backoff", 0);
  rules.limits.body_bytes = rules.limits.wire_bytes = kUsualBytes;
  if (const auto timeout = numbers.seconds("timeout", 0.001)) {
    rules.limits.total = *timeout;
    rules.limits.connect = std::min(rules.limits.connect, *timeout);
    rules.limits.first_byte = std::min(rules.limits.first_byte, *timeout);
  }
  if (const auto bytes = numbers.whole("max_bytes", 1, kMostBytes))
    rules.limits.body_bytes = rules.limits.wire_bytes = static_cast<std::uint64_t>(*bytes);
  if (const auto redirects = numbers.whole("redirects", 0, 20))
    rules.limits.redirects = static_cast<std::size_t>(*redirects);
  rules.respect_robots = option(step, "robots", "respect") == "respect";
  if (const Node* const conditional = step.options.find("conditional")) {
    if (!conditional->boolean()) numbers.wrong(*conditional, "conditional", "expected true or false");
    rules.conditional = conditional->boolean().value_or(true);
  }
  return rules;
}

// `trim`, or one of {regex: …}, {replace: [pattern, text]}, {split: …}, {join: …}.
std::optional<harvest::Transform> read_transform(const Node& node) {
  using Kind = harvest::Transform::Kind;
  if (node.is_scalar()) return node.text == "trim" ? std::optional(harvest::Transform{Kind::trim}) : std::nullopt;
  if (!node.is_map() || node.size() != 1) return std::nullopt;
  const std::string& name = node.key(0).text;
  const Node& value = node.value(0);
  if (name == "replace") {
    if (!value.is_list() || value.size() != 2) return std::nullopt;
    return harvest::Transform{Kind::replace, value.items[0].text, value.items[1].text};
  }
  if (!value.is_scalar()) return std::nullopt;
  if (name == "regex") return harvest::Transform{Kind::regex, value.text};
  if (name == "split") return harvest::Transform{Kind::split, value.text};
  if (name == "join") return harvest::Transform{Kind::join, value.text};
  return std::nullopt;
}

class FieldReader {
 public:
  FieldReader(const Step& step, Faults* faults) : step_(step), faults_(faults) {}

  void read(PageRules& rules) const {
    const Node* const fields = step_.options.find("fields");
    if (fields == nullptr || !fields->is_map() || fields->size() == 0 || fields->size() > kMostFields) {
      if (faults_ != nullptr)
        faults_->error(fields == nullptr ? definition::Place{step_.line, 1} : fields->place,
                       fields == nullptr ? "definition_missing_key" : "definition_bad_value",
                       fmt::format("steps.{}.fields: a map of 1 to {} fields is needed", step_.code, kMostFields));
      return;
    }
    for (std::size_t i = 0; i < fields->size(); ++i) read_field(fields->key(i), fields->value(i), rules);
  }

 private:
  void wrong(const Node& node, const std::string& field, std::string_view what) const {
    if (faults_ != nullptr)
      faults_->error(node.place, "definition_bad_value",
                     fmt::format("steps.{}.fields.{}: {}", step_.code, field, what));
  }

  void read_field(const Node& key, const Node& node, PageRules& rules) const {
    harvest::FieldRule rule{.name = key.text};
    FieldCell cell{.name = key.text};
    if (key.text.starts_with("_page_")) wrong(key, key.text, "names that begin with _page_ are lade's own");
    if (!node.is_map()) return wrong(node, key.text, "expected a map with css, xpath, json or regex");
    int selectors = 0;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string& name = node.key(i).text;
      const Node& value = node.value(i);
      const auto selector = std::ranges::find(kSelectors, name);
      if (selector != std::end(kSelectors)) {
        rule.by = static_cast<harvest::FieldRule::By>(selector - std::begin(kSelectors));
        rule.selector = value.text;
        ++selectors;
      } else if (name == "attribute" && value.is_scalar()) {
        rule.attribute = value.text;
      } else if (name == "list" && value.boolean()) {
        rule.is_list = cell.is_list = *value.boolean();
      } else if (name == "required" && value.boolean()) {
        rule.is_required = *value.boolean();
      } else if (name == "separator" && value.is_scalar()) {
        cell.separator = value.text;
      } else if (name == "transforms" && value.is_list()) {
        read_transforms(value, key.text, rule);
      } else {
        wrong(node.key(i), key.text, fmt::format("{} is not understood here", definition::in_quotes(name)));
      }
    }
    if (selectors != 1) wrong(key, key.text, "exactly one of css, xpath, json and regex finds it");
    if (cell.separator && !cell.is_list) wrong(key, key.text, "a separator is for a list");
    // What the selector itself lacks is told with its place in it.
    if (faults_ != nullptr && selectors == 1)
      if (const auto compiled = harvest::Extractor::compile({rule}); !compiled)
        wrong(key, key.text, compiled.error().message);
    rules.fields.push_back(std::move(rule));
    rules.cells.push_back(std::move(cell));
  }

  void read_transforms(const Node& list, const std::string& field, harvest::FieldRule& rule) const {
    for (const Node& item : list.items) {
      if (auto transform = read_transform(item))
        rule.transforms.push_back(std::move(*transform));
      else
        wrong(item, field, "a transform is trim, {regex: …}, {replace: [pattern, text]}, {split: …} or {join: …}");
    }
  }

  const Step& step_;
  Faults* const faults_;
};

const Step* find_step(const Definition& definition, std::string_view kind) {
  const auto found = std::ranges::find(definition.steps, kind, &Step::kind);
  return found == definition.steps.end() ? nullptr : &*found;
}

void only_one(const Step& step, const Definition& definition, Faults& faults) {
  if (find_step(definition, step.kind)->code != step.code)
    faults.error({step.line, 1}, "definition_bad_value",
                 fmt::format("steps.{}: a definition has one step of kind {}", step.code, step.kind));
}

}  // namespace

bool fetches_pages(const Definition& definition) {
  return find_step(definition, "fetch") != nullptr;
}

PageRules page_rules(const Definition& definition) {
  PageRules rules;
  const Step* const fetch = find_step(definition, "fetch");
  LADE_ASSERT(fetch != nullptr);
  rules.fetch = read_fetch(*fetch, nullptr);
  if (const Step* const extract = find_step(definition, "extract")) FieldReader(*extract, nullptr).read(rules);
  return rules;
}

void check_fetch(const Step& step, const Definition& definition, Faults& faults) {
  only_one(step, definition, faults);
  if (option(step, "url").empty())
    faults.error({step.line, 1}, "definition_missing_key",
                 fmt::format("steps.{}.url: name the column of the file that has the pages' addresses", step.code));
  if (const std::string robots = option(step, "robots", "respect"); robots != "respect" && robots != "ignore")
    faults.error(step.options.find("robots")->place, "definition_bad_value",
                 fmt::format("steps.{}.robots: respect or ignore", step.code));
  if (definition.set() != nullptr)
    faults.error(
        {step.line, 1}, "definition_bad_value",
        fmt::format("steps.{}: pages that cannot be fetched would be missing in a set that is replaced as a whole",
                    step.code));
  read_fetch(step, &faults);
}

void check_extract(const Step& step, const Definition& definition, Faults& faults) {
  only_one(step, definition, faults);
  const Step* const fetch = find_step(definition, "fetch");
  if (fetch == nullptr || fetch->priority > step.priority)
    faults.error({step.line, 1}, "definition_bad_value",
                 fmt::format("steps.{}: fields are taken out of pages that a step of kind fetch, of a lower priority, "
                             "has fetched",
                             step.code));
  PageRules rules;
  FieldReader(step, &faults).read(rules);
}

std::vector<std::string> page_columns() {
  using namespace page_column;
  return {std::string(kError), std::string(kIssues), std::string(kUrl), std::string(kChecksum),
          std::string(kFetchedAt)};
}

}  // namespace lade::steps
