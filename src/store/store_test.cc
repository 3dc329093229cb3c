// lade's own tables: versions of definitions, their columns and mappings, the record of jobs.
#include "store/definitions.h"
#include "store/job_changes.h"
#include "store/jobs.h"
#include "store/schema.h"
#include "testing/database_test.h"

namespace lade::store {
namespace {

using model::JobEvent;
using model::Outcome;

class Store : public testing::DatabaseTest {
 protected:
  Store() { EXPECT_OK(migrate(*connection)); }

  static StoredDefinition prices(std::string text) {
    StoredDefinition definition;
    definition.slug = "prices";
    definition.name = "Prices";
    definition.note = "of ärticles; it's \"quoted\"";
    definition.strategy = "insert_or_update";
    definition.source_text = std::move(text);
    definition.snapshot = "{}";
    definition.valid = true;
    definition.source_columns = {"Code", "Price", "Preis"};
    definition.data_columns = {{"code", "text", "source_input", false, std::nullopt, true},
                               {"price", "decimal(10,2)", "source_input", true, "0", false},
                               {"loaded_at", "timestamp", "source_input", true, std::nullopt, false},
                               {"kind", "text", "source_input", true, std::nullopt, false},
                               {"item_id", "integer", "internal", true, std::nullopt, false}};
    definition.mappings = {{"Code", {}, {}, "code"},
                           {"Price", {}, {}, "price"},
                           {"Preis", {}, {}, "price"},
                           {{}, {}, "now", "loaded_at"},
                           {{}, "", {}, "kind"}};
    return definition;
  }
  StoredDefinition saved(StoredDefinition definition) {
    EXPECT_OK(save_definition(*connection, definition));
    return definition;
  }
  std::int64_t count(const std::string& table) { return integer("SELECT count(*) FROM " + table); }
};
LADE_ON_BOTH_DATABASES(Store);

TEST_P(Store, MigratingAgainDoesNothing) {
  const auto again = migrate(*connection);
  ASSERT_OK(again);
  EXPECT_EQ(*again, 0);
}

TEST_P(Store, ADefinitionComesBackAsItWasSaved) {
  const StoredDefinition in = saved(prices("lade: 1 …"));
  EXPECT_EQ(in.version, 1);
  const auto out = find_definition(*connection, "prices");
  ASSERT_OK(out);
  ASSERT_TRUE(*out);
  const StoredDefinition& found = **out;
  EXPECT_EQ(found.id, in.id);
  EXPECT_EQ(found.slug, "prices");
  EXPECT_EQ(found.version, 1);
  EXPECT_EQ(found.name, in.name);
  EXPECT_EQ(found.note, in.note);
  EXPECT_EQ(found.strategy, in.strategy);
  EXPECT_EQ(found.source_text, in.source_text);
  EXPECT_EQ(found.snapshot, in.snapshot);
  EXPECT_TRUE(found.valid);
  EXPECT_EQ(found.validation_error, "");
}

// S7: the expected file columns in their order; S10: one source of each kind per mapping.
TEST_P(Store, ColumnsAndMappingsKeepTheirOrderAndKind) {
  saved(prices("a"));
  const auto out = find_definition(*connection, "prices");
  ASSERT_OK(out);
  const StoredDefinition& found = **out;
  EXPECT_EQ(found.source_columns, (std::vector<std::string>{"Code", "Price", "Preis"}));
  ASSERT_EQ(found.data_columns.size(), 5u);
  const StoredDefinition expected = prices("a");
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(found.data_columns[i].name, expected.data_columns[i].name);
    EXPECT_EQ(found.data_columns[i].type, expected.data_columns[i].type);
    EXPECT_EQ(found.data_columns[i].purpose, expected.data_columns[i].purpose);
    EXPECT_EQ(found.data_columns[i].nullable, expected.data_columns[i].nullable);
    EXPECT_EQ(found.data_columns[i].default_value, expected.data_columns[i].default_value);
    EXPECT_EQ(found.data_columns[i].identifying, expected.data_columns[i].identifying);
  }
  ASSERT_EQ(found.mappings.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(found.mappings[i].source_column, expected.mappings[i].source_column);
    EXPECT_EQ(found.mappings[i].source_value, expected.mappings[i].source_value);
    EXPECT_EQ(found.mappings[i].source_expression, expected.mappings[i].source_expression);
    EXPECT_EQ(found.mappings[i].data_column, expected.mappings[i].data_column);
  }
}

// S1, S5, S6, S8: steps of the company, linked to the definition; columns that belong to one, and metadata.
TEST_P(Store, StepsComeBackInTheOrderOfTheirPriorities) {
  StoredDefinition in = prices("a");
  in.mode = "legal_unit";
  in.valid_time_from = "job_provided";
  in.steps = {{"legal_unit", "Legal unit", 20, "table", {}, {}, R"({"prefix":"x_"})"},
              {"valid_time", "Period", 10, "valid_time", "admin.analyse", "admin.process", "{}"}};
  in.data_columns[0].step = "legal_unit";
  in.data_columns.push_back({"state", "TEXT", "metadata", true, std::nullopt, false});
  saved(in);
  const auto out = find_definition(*connection, "prices");
  ASSERT_OK(out);
  const StoredDefinition& found = **out;
  EXPECT_EQ(found.mode, "legal_unit");
  EXPECT_EQ(found.valid_time_from, "job_provided");
  ASSERT_EQ(found.steps.size(), 2U);
  EXPECT_EQ(found.steps[0].code, "valid_time");
  EXPECT_EQ(found.steps[0].analyse_procedure, "admin.analyse");
  EXPECT_EQ(found.steps[0].process_procedure, "admin.process");
  EXPECT_EQ(found.steps[1].name, "Legal unit");
  EXPECT_EQ(found.steps[1].kind, "table");
  EXPECT_EQ(found.steps[1].priority, 20);
  EXPECT_EQ(found.steps[1].analyse_procedure, std::nullopt);
  EXPECT_EQ(found.steps[1].options, R"({"prefix":"x_"})");
  EXPECT_EQ(found.data_columns[0].step, "legal_unit");
  EXPECT_EQ(found.data_columns[1].step, "");
  EXPECT_EQ(found.data_columns[5].purpose, "metadata");
}

TEST_P(Store, AStepThatAnotherDefinitionUsesStaysAsItIs) {
  const auto with_step = [](std::string slug, std::int64_t priority, std::string kind) {
    StoredDefinition definition = prices(slug + std::to_string(priority) + kind);
    definition.slug = std::move(slug);
    definition.steps = {{"unit", "Unit", priority, std::move(kind), {}, {}}};
    return definition;
  };
  saved(with_step("one", 20, "table"));
  saved(with_step("one", 30, "table"));  // nobody else uses it
  saved(with_step("two", 30, "table"));
  EXPECT_EQ(count("lade_step"), 1) << "shared by both";
  EXPECT_EQ(count("lade_definition_step"), 3);
  StoredDefinition moved = with_step("two", 40, "table"), other = with_step("three", 30, "sql");
  const auto refused = save_definition(*connection, moved);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "step_conflict");
  EXPECT_EQ(refused.error().message, "step 'unit' has priority 30, not 40 in the definition 'one'");
  const auto unlike = save_definition(*connection, other);
  ASSERT_FALSE(unlike);
  EXPECT_EQ(unlike.error().message, "step 'unit' has kind table, not sql in the definition 'one'");
  EXPECT_EQ(count("lade_definition"), 3) << "what is refused leaves nothing behind";
  StoredDefinition without = prices("none");
  without.slug = "one";
  saved(without);
  EXPECT_OK(save_definition(*connection, moved)) << "older versions of 'one' do not hold it";
  EXPECT_EQ(integer("SELECT priority FROM lade_step"), 40);
}

TEST_P(Store, AMappingHasExactlyOneSource) {
  StoredDefinition two = prices("two");
  two.mappings = {{"Code", "fixed", {}, "code"}};
  EXPECT_FALSE(save_definition(*connection, two));
  StoredDefinition none = prices("none");
  none.mappings = {{{}, {}, {}, "code"}};
  EXPECT_FALSE(save_definition(*connection, none));
  StoredDefinition unknown = prices("unknown");
  unknown.mappings = {{{}, {}, "random()", "code"}};
  EXPECT_FALSE(save_definition(*connection, unknown));
  EXPECT_EQ(count("lade_definition"), 0) << "a refused definition leaves nothing behind";
  EXPECT_EQ(count("lade_source_column"), 0);
}

TEST_P(Store, AChangedTextIsANewVersionAndAnEqualOneIsNot) {
  const StoredDefinition first = saved(prices("one"));
  const StoredDefinition same = saved(prices("one"));
  EXPECT_EQ(same.id, first.id);
  EXPECT_EQ(same.version, 1);
  EXPECT_EQ(saved(prices("two")).version, 2);
  EXPECT_EQ(saved(prices("one")).version, 3) << "going back is a change too";
  EXPECT_EQ(count("lade_definition"), 3);
  EXPECT_EQ(count("lade_mapping"), 15);
  for (const auto& [version, text] : {std::pair(1, "one"), {2, "two"}, {3, "one"}}) {
    const auto found = find_definition(*connection, "prices", version);
    ASSERT_OK(found);
    ASSERT_TRUE(*found);
    EXPECT_EQ((*found)->source_text, text);
  }
  const auto newest = find_definition(*connection, "prices");
  ASSERT_OK(newest);
  EXPECT_EQ((*newest)->version, 3);
}

TEST_P(Store, WhatIsNotThereIsNotFound) {
  saved(prices("one"));
  for (const auto& [slug, version] : {std::pair<const char*, std::optional<std::int64_t>>("other", std::nullopt),
                                      {"prices", 2},
                                      {"PRICES", std::nullopt},
                                      {"price%", std::nullopt}}) {
    const auto found = find_definition(*connection, slug, version);
    ASSERT_OK(found);
    EXPECT_FALSE(*found) << slug;
  }
}

TEST_P(Store, AnInvalidDefinitionIsStoredWithItsFaults) {
  StoredDefinition invalid;
  invalid.slug = "broken";
  invalid.source_text = "lade: 2";
  invalid.validation_error = "line 1: …";
  saved(invalid);
  const auto found = find_definition(*connection, "broken");
  ASSERT_OK(found);
  ASSERT_TRUE(*found);
  EXPECT_FALSE((*found)->valid);
  EXPECT_EQ((*found)->validation_error, "line 1: …");
  EXPECT_EQ((*found)->snapshot, "");
}

TEST_P(Store, TheListShowsTheNewestOfEachBySlug) {
  saved(prices("one"));
  saved(prices("two"));
  StoredDefinition other = prices("x");
  other.slug = "articles";
  saved(other);
  const auto list = list_definitions(*connection);
  ASSERT_OK(list);
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ((*list)[0].slug, "articles");
  EXPECT_EQ((*list)[1].slug, "prices");
  EXPECT_EQ((*list)[1].version, 2);
}

TEST_P(Store, AJobIsRecordedFromStartToEnd) {
  const StoredDefinition definition = saved(prices("one"));
  const std::string uuid = "01890000-0000-7000-8000-000000000001";
  const auto id = create_job(*connection, {uuid, definition.id, "{\"a\":1}", "prices.csv", 5'000'000'000});
  ASSERT_OK(id);
  EXPECT_EQ(value("SELECT state FROM lade_job"), db::Value("preparing_data"));
  EXPECT_EQ(value("SELECT CAST(uuid AS text) FROM lade_job"), db::Value(uuid));
  EXPECT_EQ(value("SELECT snapshot FROM lade_job"), db::Value("{\"a\":1}"));
  EXPECT_EQ(integer("SELECT file_bytes FROM lade_job"), 5'000'000'000);
  ASSERT_OK(change_job(*connection, *id, {.event = JobEvent::planned}));
  EXPECT_EQ(value("SELECT state FROM lade_job"), db::Value("analysing_data"));
  model::RowCounts rows;
  rows.read = 28;
  std::int64_t next = 1;
  for (const Outcome outcome : model::kOutcomes) rows[outcome] = next++;
  rows.removed = 8;
  ASSERT_TRUE(rows.conserved());
  ASSERT_OK(change_job(*connection, *id, {.event = JobEvent::analysed}));
  ASSERT_OK(save_bill(*connection, *id, {rows}));
  ASSERT_OK(change_job(*connection, *id, {.event = JobEvent::completed}));
  EXPECT_EQ(value("SELECT state || ' ' || outcome FROM lade_job"), db::Value("finished succeeded"));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_job WHERE rows_read = 28 AND rows_inserted = 1 AND rows_updated = 2 AND "
                    "rows_unchanged = 3 AND rows_failed = 4 AND rows_skipped = 5 "
                    "AND rows_unprocessed = 6 AND rows_deleted = 7 AND rows_removed = 8 AND finished_at IS NOT NULL "
                    "AND error IS NULL"),
            1);
}

TEST_P(Store, AFailedJobAlwaysSaysWhy) {
  const StoredDefinition definition = saved(prices("one"));
  const auto id = create_job(*connection, {"01890000-0000-7000-8000-000000000001", definition.id, "{}", "f", 1});
  ASSERT_OK(id);
  EXPECT_FALSE(change_job(*connection, *id, {.event = JobEvent::failed}));
  EXPECT_OK(change_job(*connection, *id, {.event = JobEvent::failed, .error = "the disk is full"}));
  EXPECT_EQ(value("SELECT error FROM lade_job"), db::Value("the disk is full"));
}

}  // namespace
}  // namespace lade::store
