// The planner against a model that goes through time day by day, on random timelines. A failing case is made as small
// as possible before it is shown. LADE_TIMELINES and LADE_TIMELINE_SEED say how many and which.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>

#include "analysis/wire_codec.h"
#include "load/timeline.h"

namespace lade::load {
namespace {

using analysis::kKeep;

constexpr int kDays = 12;           // the model's time; its last day stands for all that follow
constexpr std::size_t kFields = 4;  // a, b: core, b is NOT NULL; c: ephemeral; w: who wrote it
constexpr std::size_t kCore = 2, kCounting = 3;

// A field is one digit, blank (NULL) or kept.
constexpr char kNullValue = '-', kKeptValue = '.';
using Values = std::array<char, kFields>;

struct Piece {
  int from = 0, until = 0;
  Values values{};
  bool operator==(const Piece&) const = default;
};

struct Case {
  std::vector<Piece> stored, rows;
  bool patch = false, clipped = false;
};

std::string text_of(const Values& values) {
  return {values.begin(), values.end()};
}

std::string text_of(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += fmt::format(" [{},{}) {}", piece.from, piece.until, text_of(piece.values));
  return text;
}

std::string text_of(const Case& at) {
  return fmt::format("{}{}\n  stored:{}\n  rows:  {}", at.patch ? "patch" : "replace", at.clipped ? ", clipped" : "",
                     text_of(at.stored), text_of(at.rows));
}

struct Outcome {
  std::vector<Piece> timeline;  // without w
  std::vector<RowFeedback> feedback;
  bool operator==(const Outcome&) const = default;
};

// The rules, said for each day.
class Model {
 public:
  explicit Model(const Case& at) : case_(at) {
    for (std::size_t s = 0; s < at.stored.size(); ++s)
      for (int day = at.stored[s].from; day < at.stored[s].until; ++day) {
        before_[day] = at.stored[s].values;
        slice_[day] = static_cast<int>(s);
      }
    for (int day = 0; day < kDays; ++day) apply(day);
  }

  Outcome outcome() {
    Outcome result;
    result.feedback.assign(case_.rows.size(), RowFeedback::no_target);
    for (int day = 0; day < kDays; ++day)
      for (std::size_t row = 0; row < case_.rows.size(); ++row)
        if (holds(row, day)) result.feedback[row] = RowFeedback::eclipsed;
    for (int first = 0; first < kDays;) {
      if (!after_[first]) {
        ++first;
        continue;
      }
      int until = first + 1;
      while (until < kDays && is_joined(until)) ++until;
      result.timeline.push_back(run(first, until, result.feedback));
      first = until;
    }
    return result;
  }

 private:
  struct Say {
    std::size_t row;
    bool changes;
  };
  bool holds(std::size_t row, int day) const {
    return case_.rows[row].from <= day && day < case_.rows[row].until && (before_[day] || !case_.clipped);
  }
  void apply(int day) {
    after_[day] = before_[day];
    for (std::size_t row = 0; row < case_.rows.size(); ++row) {
      if (!holds(row, day)) continue;
      if (!case_.patch) says_[day].clear(), after_[day] = before_[day];
      const std::optional<Values> old = after_[day];
      Values next = old.value_or(Values{kNullValue, kNullValue, kNullValue, kNullValue});
      for (std::size_t i = 0; i < kFields; ++i) {
        const char value = case_.rows[row].values[i];
        const bool forbidden = i == 1 && value == kNullValue && next[i] != kNullValue;
        if (value != kKeptValue && !forbidden) next[i] = value;
      }
      after_[day] = next;
      says_[day].push_back({row, !old || !equal(*old, next, kCounting)});
    }
  }
  static bool equal(const Values& left, const Values& right, std::size_t fields) {
    return std::equal(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(fields), right.begin());
  }
  bool is_dirty(int day) const { return !before_[day] || !equal(*before_[day], *after_[day], kCore); }
  bool is_joined(int day) const {
    if (!after_[day] || !equal(*after_[day - 1], *after_[day], kCore)) return false;
    return is_dirty(day - 1) || is_dirty(day) || slice_[day - 1] == slice_[day];
  }
  Piece run(int first, int until, std::vector<RowFeedback>& feedback) {
    Piece piece{first, until, *after_[first]};
    char comment = kNullValue;
    std::optional<std::size_t> giver;
    for (int day = first; day < until; ++day) {
      if (before_[day] && !giver) comment = (*before_[day])[2];
      for (const Say& say : says_[day]) {
        const char value = case_.rows[say.row].values[2];
        if (value != kKeptValue && (!giver || say.row >= *giver)) giver = say.row, comment = value;
      }
    }
    piece.values[2] = comment;
    piece.values[3] = kNullValue;
    for (int day = first; day < until; ++day)
      for (const Say& say : says_[day]) {
        const bool differs = !before_[day] || !equal(*before_[day], piece.values, kCounting);
        feedback[say.row] =
            std::max(feedback[say.row], differs && say.changes ? RowFeedback::applied : RowFeedback::identical);
      }
    return piece;
  }

  const Case& case_;
  std::array<std::optional<Values>, kDays> before_, after_;
  std::array<int, kDays> slice_{};
  std::array<std::vector<Say>, kDays> says_;
};

db::WireField field_of(const char& value) {
  if (value == kKeptValue) return {kKeep, nullptr};
  if (value == kNullValue) return {};
  return {1, &value};
}

// Plans a case and does what the plan says; why that is wrong, or nothing.
class Planned {
 public:
  Planned() {
    for (std::size_t i = 0; i < kFields; ++i) columns_[i].wire = db::WireType::text;
    columns_[1].not_null = true;
  }
  std::optional<std::string> run(const Case& at, Outcome& outcome) {
    TimelineRules rules{{{&columns_[0], FieldRole::core},
                         {&columns_[1], FieldRole::core},
                         {&columns_[2], FieldRole::ephemeral},
                         {&columns_[3], FieldRole::audit}},
                        at.patch,
                        at.clipped};
    TimelinePlanner planner(rules);
    read(at);
    planner.plan(stored_, incoming_, at.rows.size());
    outcome.feedback.assign(planner.feedback().begin(), planner.feedback().end());
    return execute(at, planner, outcome.timeline);
  }

 private:
  void read(const Case& at) {
    fields_.clear();
    fields_.reserve((at.stored.size() + at.rows.size()) * kFields);
    stored_.clear();
    incoming_.clear();
    const auto slice = [&](const Piece& piece) {
      const std::size_t begin = fields_.size();
      for (const char& value : piece.values) fields_.push_back(field_of(value));
      return TimelineSlice{piece.from, piece.until, fields_.data() + begin};
    };
    for (const Piece& piece : at.stored) stored_.push_back(slice(piece));
    for (const Piece& piece : at.rows)
      incoming_.push_back({slice(piece), static_cast<std::uint32_t>(incoming_.size())});
  }
  std::optional<std::string> execute(const Case& at, const TimelinePlanner& planner, std::vector<Piece>& timeline) {
    std::map<int, Piece> table;
    for (const Piece& piece : at.stored) table[piece.from] = piece;
    for (const TimelineEdit& edit : planner.edits()) {
      if (edit.kind == TimelineEdit::Kind::remove) {
        table.erase(at.stored[edit.stored].from);
        continue;
      }
      Piece piece{edit.from, edit.until, {}};
      for (std::size_t i = 0; i < kFields; ++i) {
        const db::WireField& value = planner.values(edit)[i];
        if (value.length == kKeep) return "a value that is kept is to be written";
        piece.values[i] = value.length < 0 ? kNullValue : *value.data;
      }
      const auto found = table.find(edit.from);
      const bool is_update = edit.kind == TimelineEdit::Kind::update;
      if (is_update != (found != table.end())) return "an insert over a stored row, or an update of none";
      if (is_update && equal_but_audit(found->second, piece)) return "an update that changes nothing";
      table[edit.from] = piece;
      for (auto it = table.begin(); it != table.end() && std::next(it) != table.end(); ++it)
        if (it->second.until > std::next(it)->second.from) return "two rows hold for the same day";
    }
    for (const auto& [from, piece] : table) timeline.push_back(piece);
    return std::nullopt;
  }
  static bool equal_but_audit(const Piece& left, const Piece& right) {
    return left.until == right.until &&
           std::equal(left.values.begin(), left.values.begin() + kCounting, right.values.begin());
  }

  std::array<db::Column, kFields> columns_;
  std::vector<db::WireField> fields_;
  std::vector<TimelineSlice> stored_;
  std::vector<IncomingPeriod> incoming_;
};

std::string names_of(const std::vector<RowFeedback>& feedback) {
  static constexpr const char* kNames[] = {"no_target", "eclipsed", "identical", "applied"};
  std::string text;
  for (const RowFeedback told : feedback) text += fmt::format(" {}", kNames[static_cast<std::size_t>(told)]);
  return text;
}

std::vector<Piece> without_audit(std::vector<Piece> pieces) {
  for (Piece& piece : pieces) piece.values[3] = kNullValue;
  return pieces;
}

// What is wrong with the planner's answer; nothing: it is right.
std::optional<std::string> fault_of(const Case& at) {
  const Outcome expected = Model(at).outcome();
  Outcome found;
  Planned planned;
  if (auto fault = planned.run(at, found)) return fault;
  if (without_audit(found.timeline) != expected.timeline)
    return fmt::format("found:   {}\n  expected:{}", text_of(found.timeline), text_of(expected.timeline));
  if (found.feedback != expected.feedback)
    return fmt::format("told:    {}\n  expected:{}", names_of(found.feedback), names_of(expected.feedback));
  // The same file again changes nothing.
  Outcome again;
  Case repeated = at;
  repeated.stored = found.timeline;
  if (auto fault = planned.run(repeated, again)) return "again: " + *fault;
  if (again.timeline != found.timeline)
    return fmt::format("once:    {}\n  twice:   {}", text_of(found.timeline), text_of(again.timeline));
  if (std::find(again.feedback.begin(), again.feedback.end(), RowFeedback::applied) != again.feedback.end())
    return fmt::format("twice:   {}", names_of(again.feedback));
  return std::nullopt;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}
  Case make() {
    Case made;
    made.patch = below(2) == 0;
    made.clipped = below(4) == 0;
    for (int day = below(3); day < kDays - 1;) {
      const int until = std::min(kDays, day + 1 + below(5));
      made.stored.push_back({day, until, values(false)});
      day = until + (below(2) == 0 ? 0 : below(4));
      if (below(4) == 0) break;
    }
    for (int count = 1 + below(4); count > 0; --count) {
      const int from = below(kDays);
      made.rows.push_back({from, from + 1 + below(kDays - from), values(true)});
    }
    return made;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  Values values(bool row) {
    Values made{};
    for (std::size_t i = 0; i < kFields; ++i) {
      const int kind = below(8);
      made[i] = kind < 6 || (!row && i == 1) ? static_cast<char>('0' + below(2))
                : kind == 6 || !row          ? kNullValue
                                             : kKeptValue;
    }
    return made;
  }
  std::mt19937_64 random_;
};

// Every case that is a little smaller.
std::vector<Case> smaller(const Case& at) {
  std::vector<Case> cases;
  for (const auto member : {&Case::stored, &Case::rows}) {
    for (std::size_t i = 0; i < (at.*member).size(); ++i) {
      const auto with = [&](const std::function<bool(Piece&)>& change) {
        Case next = at;
        if (change((next.*member)[i])) cases.push_back(std::move(next));
      };
      cases.push_back(at);
      (cases.back().*member).erase((cases.back().*member).begin() + static_cast<std::ptrdiff_t>(i));
      with([](Piece& piece) { return --piece.until > piece.from; });
      with([](Piece& piece) { return ++piece.from < piece.until; });
      for (std::size_t f = 0; f < kFields; ++f)
        with([&](Piece& piece) { return std::exchange(piece.values[f], '0') != '0'; });
    }
  }
  for (const auto flag : {&Case::patch, &Case::clipped})
    if (at.*flag) cases.push_back(at), cases.back().*flag = false;
  return cases;
}

Case shrunk(Case failing) {
  for (bool found = true; found;) {
    found = false;
    for (const Case& candidate : smaller(failing)) {
      if (!fault_of(candidate)) continue;
      failing = candidate;
      found = true;
      break;
    }
  }
  return failing;
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(TimelineProperty, ThePlannerDoesWhatTheRulesSayForEachDay) {
  const std::uint64_t count = from_environment("LADE_TIMELINES", 20'000);
  const std::uint64_t seed = from_environment("LADE_TIMELINE_SEED", 6);
  RecordProperty("seed", static_cast<int>(seed));
  Maker maker(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Case made = maker.make();
    if (!fault_of(made)) continue;
    const Case least = shrunk(made);
    FAIL() << "timeline " << i << " of seed " << seed << ", shrunk: " << text_of(least) << "\n  " << *fault_of(least);
  }
}

}  // namespace
}  // namespace lade::load
