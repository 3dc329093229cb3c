#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "definition/sections.h"
#include "definition/values.h"

namespace lade::definition {
namespace {

constexpr std::int64_t kMaxCount = 2'147'483'647;  // rows of a file
constexpr std::string_view kLimitExpected = "a count such as 5, a share such as 5%, or {count: 5, percent: 1.5}";

// 5%, or 5 where a percentage stands anyway.
std::optional<double> read_percent(const Node& node, std::string_view label, Faults& faults) {
  static const RE2 form(R"((\d+(?:\.\d+)?(?:[eE][+-]?\d+)?) *%?)");
  double value = 0;
  const bool is_number = node.is_scalar() && RE2::FullMatch(node.text, form, &value);
  if (is_number && value >= 0 && value <= 100) return value;
  if (!node.is_scalar()) {
    report_kind(node, label, "a percentage from 0 to 100", faults);
  } else {
    faults.error(
        node.place, "definition_bad_value",
        fmt::format("{}: {} is not accepted; expected a percentage from 0 to 100", label, in_quotes(node.text)));
  }
  return std::nullopt;
}

void read_aggregate(const Node& node, const std::string& label, Definition& definition, Faults& faults) {
  if (!node.is_map()) return report_kind(node, label, "a map column: aggregate such as {quantity: sum}", faults);
  for (std::size_t i = 0; i < node.size(); ++i) {
    const std::string& column = node.key(i).text;
    if (const auto aggregate = read_choice<Aggregate>(node.value(i), fmt::format("{}.{}", label, column), faults))
      definition.aggregate[column] = *aggregate;
  }
}

void read_duplicates(const Node& root, Definition& definition, Faults& faults) {
  static constexpr std::string_view kKeys[] = {"policy", "aggregate"};
  const Node* node = root.find("duplicates");
  const Node* aggregate = root.find("aggregate");
  std::string aggregate_label = "aggregate";
  if (node != nullptr && node->is_map()) {
    check_map(*node, "duplicates", kKeys, {}, faults);
    if (!read_choice_of(*node, "policy", "duplicates", definition.duplicates, faults) && !node->find("policy"))
      report_missing(node->place, "duplicates", "policy", "expected first, last, reject or merge", faults);
    if (const Node* inner = node->find("aggregate")) {
      if (aggregate != nullptr)
        faults.error(inner->place, "definition_bad_value", "duplicates.aggregate: 'aggregate' is given above as well");
      aggregate = inner;
      aggregate_label = "duplicates.aggregate";
    }
  } else if (node != nullptr) {
    definition.duplicates = read_choice<DuplicatePolicy>(*node, "duplicates", faults).value_or(definition.duplicates);
  }
  if (aggregate == nullptr) return;
  read_aggregate(*aggregate, aggregate_label, definition, faults);
  if (definition.duplicates != DuplicatePolicy::merge && aggregate->is_map() && aggregate->size() > 0)
    faults.error(aggregate->place, "definition_bad_value",
                 fmt::format("{}: is for 'duplicates: merge', but duplicates is {}", aggregate_label,
                             name_of(definition.duplicates)));
}

template <class Enumeration>
void read_top_choice(const Node& root, std::string_view key, Enumeration& into, Faults& faults) {
  if (const Node* node = root.find(key)) into = read_choice<Enumeration>(*node, key, faults).value_or(into);
}

template <class Enumeration>
void read_top_choice(const Node& root, std::string_view key, std::optional<Enumeration>& into, Faults& faults) {
  if (const Node* node = root.find(key)) into = read_choice<Enumeration>(*node, key, faults);
}

// Tables with history, also those that steps will add: a timeline is planned from what is stored, so no other job may
// write meanwhile.
bool keeps_history(const Definition& definition) {
  return !definition.steps.empty() || std::any_of(definition.load.begin(), definition.load.end(),
                                                  [](const LoadEntry& entry) { return entry.temporal.has_value(); });
}

void read_register_settings(const Node& root, Definition& definition, Faults& faults) {
  read_top_choice(root, "mode", definition.mode, faults);
  read_top_choice(root, "valid_time_from", definition.valid_time_from, faults);
  if (const Node* node = root.find("expanded"))
    definition.expanded = read_boolean(*node, "expanded", faults).value_or(false);
  if (const Node* node = root.find("strategy")) definition.strategy = read_choice<Strategy>(*node, "strategy", faults);
  if (definition.strategy == Strategy::append || definition.strategy == Strategy::replace_set)
    faults.error(root.find("strategy")->place, "definition_bad_value",
                 fmt::format("strategy: '{}' is not accepted; steps write to units that are found by their identifiers",
                             to_string(*definition.strategy)));
}

// A set that is replaced as a whole is right to the last row, unless somebody says otherwise, and is written by one job
// at a time. Where it is changed in place, that is done in one transaction.
void read_set_settings(const Node& root, Definition& definition, Faults& faults) {
  const WholeSet* set = definition.set();
  if (set == nullptr) return;
  if (!definition.max_errors.given()) definition.max_errors.count = 0;
  if (root.find("lock") == nullptr) definition.lock = Lock::target;
  if (set->version) return;
  if (root.find("commit") != nullptr && definition.commit == Commit::per_bucket)
    faults.error(root.find("commit")->place, "definition_bad_value",
                 "commit: a set without 'version' is replaced in one transaction; leave it out or say all_or_nothing");
  definition.commit = Commit::all_or_nothing;
}

}  // namespace

MaxErrors read_limit(const Node& node, std::string_view label, Faults& faults) {
  static constexpr std::string_view kKeys[] = {"count", "percent"};
  const auto below = [&](std::string_view key) { return fmt::format("{}.{}", label, key); };
  MaxErrors limit;
  if (node.is_map()) {
    check_map(node, label, kKeys, {}, faults);
    if (const Node* count = node.find("count"))
      limit.count = read_integer(*count, below("count"), 0, kMaxCount, faults);
    if (const Node* percent = node.find("percent")) limit.percent = read_percent(*percent, below("percent"), faults);
    if (node.size() == 0) report_kind(node, label, kLimitExpected, faults);
  } else if (node.is_scalar() && node.text.ends_with('%')) {
    limit.percent = read_percent(node, label, faults);
  } else if (node.is_scalar() && node.text.find_first_not_of("-0123456789") == std::string::npos) {
    limit.count = read_integer(node, label, 0, kMaxCount, faults);
  } else {
    report_kind(node, label, kLimitExpected, faults);
  }
  return limit;
}

void read_settings(const Node& root, Definition& definition, Faults& faults) {
  read_duplicates(root, definition, faults);
  read_top_choice(root, "partition", definition.partition, faults);
  read_top_choice(root, "commit", definition.commit, faults);
  read_top_choice(root, "fail_when", definition.fail_when, faults);
  if (const Node* node = root.find("max_errors")) definition.max_errors = read_limit(*node, "max_errors", faults);
  read_top_choice(root, "review", definition.review, faults);
  read_top_choice(root, "lock", definition.lock, faults);
  if (root.find("lock") == nullptr && keeps_history(definition)) definition.lock = Lock::target;
  if (const Node* node = root.find("queue"))
    definition.queue = read_slug(*node, "queue", faults).value_or(definition.queue);
  if (const Node* node = root.find("lineage"))
    definition.lineage = read_boolean(*node, "lineage", faults).value_or(false);
  read_set_settings(root, definition, faults);
  read_register_settings(root, definition, faults);
}

Result<void> set_limits(Definition& definition, const Limits& limits) {
  Faults faults;
  const auto scalar = [](const std::string& text) {
    return Node{.kind = Node::Kind::scalar, .text = text, .plain = true};
  };
  if (!limits.max_errors.empty()) definition.max_errors = read_limit(scalar(limits.max_errors), "max_errors", faults);
  if (!limits.fail_when.empty())
    definition.fail_when =
        read_choice<FailWhen>(scalar(limits.fail_when), "fail_when", faults).value_or(definition.fail_when);
  const std::vector<Fault> found = std::move(faults).take();
  if (found.empty()) return {};
  return fail("limit_invalid", found.front().message, "", ErrorKind::usage);
}

}  // namespace lade::definition
