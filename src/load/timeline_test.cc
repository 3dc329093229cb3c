// The worked examples of docs/temporal.md, and every way in which two periods can lie to each other.
#include "load/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include "analysis/cast_date.h"
#include "analysis/wire_codec.h"

namespace lade::load {
namespace {

using Texts = std::vector<std::string>;

// A slice is written "2024-01-01..2024-06-30 A 10 c1 me": its first and its last day, then a, b (both core), a comment
// (ephemeral) and who wrote it (audit). "-" is NULL, "." is kept.
class Timeline {
 public:
  explicit Timeline(bool patch = false, bool clipped = false) : patch_(patch), clipped_(clipped) {
    for (db::Column& column : columns_) column.wire = db::WireType::text;
  }
  Timeline& have(Texts slices) {
    stored_ = std::move(slices);
    return *this;
  }
  Timeline& not_null_b() {
    columns_[1].not_null = true;
    return *this;
  }
  Timeline& lasting_a() {
    lasting_ = true;
    return *this;
  }
  // The table afterwards, in the order of time.
  Texts after(const Texts& rows) {
    TimelinePlanner planner({{{&columns_[0], FieldRole::core, lasting_},
                              {&columns_[1], FieldRole::core},
                              {&columns_[2], FieldRole::ephemeral},
                              {&columns_[3], FieldRole::audit}},
                             patch_,
                             clipped_});
    std::vector<TimelineSlice> stored;
    std::vector<IncomingPeriod> incoming;
    for (const std::string& text : stored_) stored.push_back(slice_of(text));
    for (const std::string& text : rows)
      incoming.push_back({slice_of(text), static_cast<std::uint32_t>(incoming.size())});
    planner.plan(stored, incoming, incoming.size());
    edits = {};
    std::map<Day, std::string> table;
    for (std::size_t i = 0; i < stored.size(); ++i) table[stored[i].from] = stored_[i];
    for (const TimelineEdit& edit : planner.edits()) {
      static constexpr const char* kKinds[] = {"delete", "update", "insert"};
      edits += fmt::format("{}{}", edits.empty() ? "" : " ", kKinds[static_cast<std::size_t>(edit.kind)]);
      if (edit.kind == TimelineEdit::Kind::remove) {
        table.erase(edit.from);
      } else {
        table[edit.from] = text_of(edit, planner.values(edit));
      }
    }
    feedback.clear();
    for (const RowFeedback told : planner.feedback()) {
      static constexpr const char* kNames[] = {"no_target", "eclipsed", "identical", "applied"};
      feedback.emplace_back(kNames[static_cast<std::size_t>(told)]);
    }
    Texts texts;
    for (const auto& [from, text] : table) texts.push_back(text);
    return texts;
  }

  std::string edits;  // of the last call
  Texts feedback;

 private:
  static Day day_of(std::string_view text) {
    if (text == "infinity") return analysis::kInfinityDay;
    return analysis::days_from_civil(std::stoi(std::string(text.substr(0, 4))),
                                     std::stoi(std::string(text.substr(5, 2))),
                                     std::stoi(std::string(text.substr(8, 2))));
  }
  static std::string text_of(Day day) {
    std::string text;
    analysis::append_date(text, day);
    return text;
  }
  TimelineSlice slice_of(const std::string& text) {
    TimelineSlice slice;
    const auto dots = text.find(".."), space = text.find(' ');
    slice.from = day_of(text.substr(0, dots));
    const Day last = day_of(text.substr(dots + 2, space - dots - 2));
    slice.until = last == analysis::kInfinityDay ? last : last + 1;
    auto& fields = fields_.emplace_back();
    std::size_t at = space;
    for (db::WireField& field : fields) {
      const std::size_t end = at == std::string::npos ? at : text.find(' ', at + 1);
      const std::string& word = words_.emplace_back(at == std::string::npos ? "-" : text.substr(at + 1, end - at - 1));
      if (word == ".") field.length = analysis::kKeep;
      if (word != "." && word != "-") field = {static_cast<std::int32_t>(word.size()), word.data()};
      at = end;
    }
    slice.values = fields.data();
    return slice;
  }
  static std::string text_of(const TimelineEdit& edit, const db::WireField* values) {
    const Day last = edit.until == analysis::kInfinityDay ? edit.until : edit.until - 1;
    std::string text = text_of(edit.from) + ".." + text_of(last), blanks;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string word = values[i].length < 0 ? "-" : std::string(values[i].bytes());
      blanks += " " + word;
      if (word != "-") text += std::exchange(blanks, "");
    }
    return text;
  }

  const bool patch_, clipped_;
  bool lasting_ = false;
  std::array<db::Column, 4> columns_;
  Texts stored_;
  std::deque<std::array<db::WireField, 4>> fields_;
  std::deque<std::string> words_;
};

TEST(TimelineExamples, Example01AdjacentEqual) {
  Timeline timeline;
  timeline.have({"2024-01-01..2024-06-30 A 10 c1"});
  EXPECT_EQ(timeline.after({"2024-07-01..2024-12-31 A 10 c2"}), (Texts{"2024-01-01..2024-12-31 A 10 c2"}));
  EXPECT_EQ(timeline.edits, "update");
}

TEST(TimelineExamples, Example02AdjacentDifferent) {
  Timeline timeline;
  timeline.have({"2024-01-01..2024-06-30 A 10 c1"});
  EXPECT_EQ(timeline.after({"2024-07-01..2024-12-31 B 20 c2"}),
            (Texts{"2024-01-01..2024-06-30 A 10 c1", "2024-07-01..2024-12-31 B 20 c2"}));
  EXPECT_EQ(timeline.edits, "insert");
}

TEST(TimelineExamples, Example03InsideDifferent) {
  Timeline timeline;
  timeline.have({"2024-01-01..2024-12-31 A 10 c1"});
  EXPECT_EQ(
      timeline.after({"2024-04-01..2024-08-31 B 20 c2"}),
      (Texts{"2024-01-01..2024-03-31 A 10 c1", "2024-04-01..2024-08-31 B 20 c2", "2024-09-01..2024-12-31 A 10 c1"}));
  EXPECT_EQ(timeline.edits, "update insert insert");
}

TEST(TimelineExamples, Example04InsideEqual) {
  Timeline timeline;
  timeline.have({"2024-01-01..2024-12-31 A 10 c1"});
  EXPECT_EQ(timeline.after({"2024-04-01..2024-08-31 A 10 c2"}), (Texts{"2024-01-01..2024-12-31 A 10 c2"}));
  EXPECT_EQ(timeline.edits, "update");
}

TEST(TimelineExamples, Example05OverlapAtTheStart) {
  Timeline timeline;
  timeline.have({"2024-03-01..2024-12-31 A"});
  EXPECT_EQ(timeline.after({"2024-01-01..2024-05-31 B"}),
            (Texts{"2024-01-01..2024-05-31 B", "2024-06-01..2024-12-31 A"}));
  EXPECT_EQ(timeline.edits, "delete insert insert");
  EXPECT_EQ(timeline.after({"2024-01-01..2024-05-31 A"}), (Texts{"2024-01-01..2024-12-31 A"}));
}

TEST(TimelineExamples, Example06Contains) {
  Timeline timeline;
  timeline.have({"2024-04-01..2024-08-31 A"});
  EXPECT_EQ(timeline.after({"2024-01-01..2024-12-31 B"}), (Texts{"2024-01-01..2024-12-31 B"}));
}

TEST(TimelineExamples, Example07RollingOpenEnd) {
  const Texts expected{"2021-01-01..2022-12-31 A", "2023-01-01..2023-12-31 B", "2024-01-01..infinity A"};
  const Texts rows{"2021-01-01..infinity A", "2022-01-01..infinity A", "2023-01-01..infinity B",
                   "2024-01-01..infinity A"};
  Timeline at_once;
  EXPECT_EQ(at_once.after(rows), expected);
  EXPECT_EQ(at_once.feedback, (Texts{"applied", "applied", "applied", "applied"}));
  Texts table;
  for (const std::string& row : rows) table = Timeline().have(table).after({row});
  EXPECT_EQ(table, expected) << "one after the other";
}

TEST(TimelineExamples, Example08Gap) {
  Timeline timeline;
  timeline.have({"2024-07-01..2024-12-31 Later"});
  EXPECT_EQ(timeline.after({"2024-01-01..2024-03-31 Earlier"}),
            (Texts{"2024-01-01..2024-03-31 Earlier", "2024-07-01..2024-12-31 Later"}));
  EXPECT_EQ(timeline.edits, "insert");
}

TEST(TimelineExamples, Example09UpdateWithNull) {
  Timeline patch(true);
  patch.have({"2024-01-01..2024-12-31 Orig 10"});
  EXPECT_EQ(
      patch.after({"2024-04-01..2024-08-31 . 20"}),
      (Texts{"2024-01-01..2024-03-31 Orig 10", "2024-04-01..2024-08-31 Orig 20", "2024-09-01..2024-12-31 Orig 10"}));
  Timeline replace;
  replace.have({"2024-01-01..2024-12-31 Orig 10"});
  EXPECT_EQ(replace.after({"2024-04-01..2024-08-31 - 20"}),
            (Texts{"2024-01-01..2024-03-31 Orig 10", "2024-04-01..2024-08-31 - 20", "2024-09-01..2024-12-31 Orig 10"}));
}

TEST(TimelineExamples, Example10NewEntityWithAGap) {
  Timeline timeline;
  EXPECT_EQ(timeline.after({"2023-01-02..2023-06-30 A 10", "2023-07-02..2023-12-31 A 20"}),
            (Texts{"2023-01-02..2023-06-30 A 10", "2023-07-02..2023-12-31 A 20"}));
  EXPECT_EQ(timeline.edits, "insert insert");
}

TEST(TimelineExamples, Example11ExistingOnly) {
  const Texts have{"2024-01-01..2024-02-29 A 10", "2024-04-01..2024-12-31 A 10"};
  Timeline clipped(false, true);
  EXPECT_EQ(clipped.have(have).after({"2024-02-10..2024-02-20 B 20"}),
            (Texts{"2024-01-01..2024-02-09 A 10", "2024-02-10..2024-02-20 B 20", "2024-02-21..2024-02-29 A 10",
                   "2024-04-01..2024-12-31 A 10"}));
  EXPECT_EQ(clipped.after({"2024-03-01..2024-03-31 C 30"}), have) << "the gap stays";
  EXPECT_EQ(clipped.feedback, (Texts{"no_target"}));
  EXPECT_EQ(clipped.after({"2023-12-01..2024-01-31 C 30"}).front(), "2024-01-01..2024-01-31 C 30") << "is clipped";
  EXPECT_EQ(clipped.have({}).after({"2024-01-01..2024-12-31 C 30"}), Texts{}) << "an unknown unit";
  EXPECT_EQ(clipped.feedback, (Texts{"no_target"}));
  EXPECT_EQ(Timeline().have(have).after({"2024-03-01..2024-03-31 C 30"}),
            (Texts{"2024-01-01..2024-02-29 A 10", "2024-03-01..2024-03-31 C 30", "2024-04-01..2024-12-31 A 10"}));
}

TEST(Timeline, AGapWithEqualNeighboursBecomesOneSlice) {
  Timeline timeline;
  timeline.have({"2024-01-01..2024-02-29 A 10", "2024-04-01..2024-12-31 A 10"});
  EXPECT_EQ(timeline.after({"2024-03-01..2024-03-31 A 10"}), (Texts{"2024-01-01..2024-12-31 A 10"}));
  EXPECT_EQ(timeline.edits, "delete update");
}

TEST(Timeline, TheSameAgainIsIdentical) {
  Timeline timeline;
  timeline.have({"2024-01-01..2024-12-31 A 10 c1 me"});
  timeline.after({"2024-01-01..2024-12-31 A 10 c1 you"});
  EXPECT_EQ(timeline.edits, "") << "who wrote it is no reason to write";
  EXPECT_EQ(timeline.feedback, (Texts{"identical"}));
  EXPECT_EQ(timeline.after({"2024-01-01..2024-12-31 A 10 c2 you"}), (Texts{"2024-01-01..2024-12-31 A 10 c2 you"}));
  EXPECT_EQ(timeline.feedback, (Texts{"applied"})) << "a comment is";
}

TEST(Timeline, LaterRowsEclipseEarlierOnesUnlessTheyArePatches) {
  const Texts rows{"2024-03-01..2024-04-30 A 10", "2024-01-01..2024-03-31 B .", "2024-04-01..2024-12-31 B ."};
  Timeline replace;
  EXPECT_EQ(replace.after(rows), (Texts{"2024-01-01..2024-12-31 B"}));
  EXPECT_EQ(replace.feedback, (Texts{"eclipsed", "applied", "applied"}));
  Timeline patch(true);
  EXPECT_EQ(patch.after(rows),
            (Texts{"2024-01-01..2024-02-29 B", "2024-03-01..2024-04-30 B 10", "2024-05-01..2024-12-31 B"}));
  EXPECT_EQ(patch.feedback, (Texts{"applied", "applied", "applied"}));
}

TEST(Timeline, NullNeverReplacesAValueThatTheTableWants) {
  Timeline timeline;
  timeline.not_null_b().have({"2024-01-01..2024-12-31 A 10"});
  EXPECT_EQ(timeline.after({"2024-01-01..2024-12-31 - -"}), (Texts{"2024-01-01..2024-12-31 - 10"}));
}

TEST(Timeline, WhatLastsGoesOnBeyondTheTimeline) {
  Timeline timeline;
  timeline.lasting_a().have({"2024-01-01..2024-06-30 E1 10", "2024-07-01..2024-12-31 E2 10"});
  EXPECT_EQ(timeline.after({"2023-01-01..2025-12-31 . 10"}),
            (Texts{"2023-01-01..2024-06-30 E1 10", "2024-07-01..2025-12-31 E2 10"}));
  EXPECT_EQ(timeline.after({"2025-01-01..2025-12-31 E3 10"}).back(), "2025-01-01..2025-12-31 E3 10") << "unless given";
  EXPECT_EQ(Timeline().lasting_a().after({"2025-01-01..2025-12-31 . 10"}), (Texts{"2025-01-01..2025-12-31 - 10"}));
}

TEST(Timeline, SlicesThatNoRowTouchesStayAsTheyAre) {
  Timeline timeline;
  timeline.have({"2020-01-01..2020-12-31 A", "2021-01-01..2021-12-31 A", "2023-01-01..2023-12-31 A"});
  EXPECT_EQ(timeline.after({"2022-06-01..2022-06-30 B"}),
            (Texts{"2020-01-01..2020-12-31 A", "2021-01-01..2021-12-31 A", "2022-06-01..2022-06-30 B",
                   "2023-01-01..2023-12-31 A"}));
  EXPECT_EQ(timeline.edits, "insert");
}

TEST(Timeline, OneDayIsAPeriod) {
  Timeline timeline;
  timeline.have({"2024-01-01..2024-12-31 A"});
  EXPECT_EQ(timeline.after({"2024-12-31..2024-12-31 B"}),
            (Texts{"2024-01-01..2024-12-30 A", "2024-12-31..2024-12-31 B"}));
}

// X is the row, Y what is stored; the table of promises: what is left of Y and X, equal and different.
struct Relation {
  const char* name;
  const char* row;
  Texts equal, different;
};

class Allen : public ::testing::TestWithParam<Relation> {};

TEST_P(Allen, RowAndStoredSlice) {
  const Relation& relation = GetParam();
  const std::string stored = "2024-03-01..2024-06-30 A 1 old";
  EXPECT_EQ(Timeline().have({stored}).after({std::string(relation.row) + " A 1 new"}), relation.equal);
  EXPECT_EQ(Timeline().have({stored}).after({std::string(relation.row) + " B 2 new"}), relation.different);
}

INSTANTIATE_TEST_SUITE_P(
    Relations, Allen,
    ::testing::Values(
        Relation{
            "equals", "2024-03-01..2024-06-30", {"2024-03-01..2024-06-30 A 1 new"}, {"2024-03-01..2024-06-30 B 2 new"}},
        Relation{
            "during",
            "2024-04-01..2024-04-30",
            {"2024-03-01..2024-06-30 A 1 new"},
            {"2024-03-01..2024-03-31 A 1 old", "2024-04-01..2024-04-30 B 2 new", "2024-05-01..2024-06-30 A 1 old"}},
        Relation{"starts",
                 "2024-03-01..2024-03-31",
                 {"2024-03-01..2024-06-30 A 1 new"},
                 {"2024-03-01..2024-03-31 B 2 new", "2024-04-01..2024-06-30 A 1 old"}},
        Relation{"finishes",
                 "2024-06-01..2024-06-30",
                 {"2024-03-01..2024-06-30 A 1 new"},
                 {"2024-03-01..2024-05-31 A 1 old", "2024-06-01..2024-06-30 B 2 new"}},
        Relation{"overlaps",
                 "2024-01-01..2024-04-30",
                 {"2024-01-01..2024-06-30 A 1 new"},
                 {"2024-01-01..2024-04-30 B 2 new", "2024-05-01..2024-06-30 A 1 old"}},
        Relation{"overlapped_by",
                 "2024-05-01..2024-08-31",
                 {"2024-03-01..2024-08-31 A 1 new"},
                 {"2024-03-01..2024-04-30 A 1 old", "2024-05-01..2024-08-31 B 2 new"}},
        Relation{"meets",
                 "2024-01-01..2024-02-29",
                 {"2024-01-01..2024-06-30 A 1 new"},
                 {"2024-01-01..2024-02-29 B 2 new", "2024-03-01..2024-06-30 A 1 old"}},
        Relation{"met_by",
                 "2024-07-01..2024-08-31",
                 {"2024-03-01..2024-08-31 A 1 new"},
                 {"2024-03-01..2024-06-30 A 1 old", "2024-07-01..2024-08-31 B 2 new"}},
        Relation{"contains",
                 "2024-01-01..2024-12-31",
                 {"2024-01-01..2024-12-31 A 1 new"},
                 {"2024-01-01..2024-12-31 B 2 new"}},
        Relation{"started_by",
                 "2024-03-01..2024-12-31",
                 {"2024-03-01..2024-12-31 A 1 new"},
                 {"2024-03-01..2024-12-31 B 2 new"}},
        Relation{"finished_by",
                 "2024-01-01..2024-06-30",
                 {"2024-01-01..2024-06-30 A 1 new"},
                 {"2024-01-01..2024-06-30 B 2 new"}},
        Relation{"precedes",
                 "2024-01-01..2024-01-31",
                 {"2024-01-01..2024-01-31 A 1 new", "2024-03-01..2024-06-30 A 1 old"},
                 {"2024-01-01..2024-01-31 B 2 new", "2024-03-01..2024-06-30 A 1 old"}},
        Relation{"preceded_by",
                 "2024-09-01..2024-09-30",
                 {"2024-03-01..2024-06-30 A 1 old", "2024-09-01..2024-09-30 A 1 new"},
                 {"2024-03-01..2024-06-30 A 1 old", "2024-09-01..2024-09-30 B 2 new"}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lade::load
