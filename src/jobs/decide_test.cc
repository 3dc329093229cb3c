// People decide whom names mean: what is asked, decided, remembered, sent and taken back.
#include "jobs/decide.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "jobs/fix.h"
#include "jobs/resend.h"
#include "jobs/review_wish.h"
#include "jobs/run_decisions.h"
#include "storage/folder.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

using store::ReviewItem;
using Strings = std::vector<std::string>;
using ::testing::HasSubstr;

class DecideTest : public testing::DurableTest {
 protected:
  DecideTest() {
    EXPECT_OK(
        connection->run("CREATE TABLE composer (id integer PRIMARY KEY, name text NOT NULL UNIQUE, born integer)"));
    EXPECT_OK(
        connection->run("INSERT INTO composer VALUES (1, 'Tyāgarāja', 1767), (2, 'Muttusvāmi Dīkṣitar', 1775), (3, "
                        "'Anna Lee', NULL), (4, 'Anna  Lee', NULL)"));
    EXPECT_OK(connection->run("CREATE TABLE raga (id integer PRIMARY KEY, name text)"));
    EXPECT_OK(connection->run("INSERT INTO raga VALUES (1, 'Mohanam'), (2, 'Kalyani')"));
    EXPECT_OK(
        connection->run("CREATE TABLE work (title text PRIMARY KEY, composer_id integer, raga_id integer, "
                        "reason text)"));
  }
  static std::string yaml(const std::string& more = "", const std::string& rules = "") {
    return "columns: {title: , composer: , raga: }\n"
           "steps:\n"
           "  who: {kind: resolve, priority: 20, input: composer, table: composer, results: {composer_id: id}" +
           more +
           ",\n    columns: {composer_id: {purpose: internal, type: integer}, reason: {purpose: internal}}}\n"
           "  what: {kind: resolve, priority: 30, input: raga, table: raga, results: {raga_id: id},\n"
           "    columns: {raga_id: {purpose: internal, type: integer}}}\n"
           "load: [{table: work, key: title, columns: [title, composer_id, raga_id, reason]}]\n" +
           rules;
  }
  std::vector<ReviewItem> asked(const std::string& status = "open") {
    auto items = store::list_review_items(*connection, {.company = 1, .status = status, .limit = 1000});
    EXPECT_OK(items);
    return items.value_or(std::vector<ReviewItem>());
  }
  // "row name status", by row and step.
  Strings told(const std::string& status = "") {
    Strings lines;
    for (const ReviewItem& item : asked(status))
      lines.push_back(fmt::format("{} {} {}", item.row, item.name, item.status));
    std::ranges::sort(lines);
    return lines;
  }
  ReviewItem item_of(const std::string& name) {
    for (const ReviewItem& item : asked(""))
      if (item.name == name) return item;
    ADD_FAILURE() << "nobody asks for " << name;
    return {};
  }
  Decider decider(const std::string& who = "ada") const { return {who, 1, "", false}; }
  Result<Decided> pick(const std::string& name, const std::string& entity) {
    return decide(*connection, decider(), {.item = item_of(name).id, .entity = entity});
  }
  // Decides and carries it out, as the command line does.
  std::vector<SentJob> picked(const std::string& name, const std::string& entity) {
    Progress progress;
    auto sent = run_decisions(
        [&](db::Connection& session, const Decider& who) -> Result<std::vector<std::int64_t>> {
          LADE_ASSIGN(const Decided done, decide(session, who, {.item = item_of(name).id, .entity = entity}));
          return done.jobs;
        },
        options, progress, {});
    EXPECT_OK(sent);
    return sent.value_or(std::vector<SentJob>());
  }
  Result<Resent> send(const std::string& job) {
    const auto storage = storage::Folder::open(storage_path(options));
    return send_rows(*connection, {*storage, options}, record(job).id);
  }
  Strings works() { return content("SELECT title, composer_id, raga_id, reason FROM work"); }
};
LADE_ON_BOTH_DATABASES(DecideTest);

const std::string kFile =
    "title,composer,raga\n"
    "one,Tyagaraja,Mohanam\n"
    "two,Johann Bach,Mohana Raga\n"
    "three,Tyagarajan Swami,Kalyani\n"
    "four,TYAGARAJAN swami,Kalyani\n"
    "five,Anna Lee,Mohanam\n";

TEST_P(DecideTest, ADecidedNameLoadsItsRowsAndIsRemembered) {
  const Summary summary = import(kFile, yaml());
  EXPECT_EQ(counts(summary), "read 5 inserted 1 failed 4");
  EXPECT_EQ(told(), (Strings{"2 Johann Bach open", "2 Mohana Raga open", "3 Tyagarajan Swami open",
                             "4 TYAGARAJAN swami open", "5 Anna Lee open"}))
      << "both names of a row are asked for at once";
  EXPECT_EQ(content("SELECT DISTINCT code FROM lade_issue"), (Strings{"name_doubtful", "name_unknown"}));
  const ReviewItem item = item_of("Tyagarajan Swami");
  EXPECT_TRUE(item.blocks);
  EXPECT_THAT(item.record, HasSubstr(R"("title":"three")"));
  EXPECT_THAT(item.candidates, HasSubstr(R"("id":"1")"));
  EXPECT_GT(item.quality.score(), 0.5);
  EXPECT_TRUE(item_of("Anna Lee").ambiguous);

  const auto sent = picked("Tyagarajan Swami", "1");
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].rows, 2) << "both spellings are one name";
  EXPECT_EQ(sent[0].status, "succeeded");
  EXPECT_EQ(works(), (Strings{"four|1|2|remembered", "one|1|1|same", "three|1|2|remembered"}));
  EXPECT_EQ(told("open"), (Strings{"2 Johann Bach open", "2 Mohana Raga open", "5 Anna Lee open"}));
  EXPECT_TRUE(item_of("TYAGARAJAN swami").sent);

  // The next file needs nobody.
  EXPECT_EQ(counts(import("title,composer,raga\nsix,tyagarajan SWAMI,Kalyani\n", yaml())), "read 1 inserted 1");
  EXPECT_EQ(content("SELECT composer_id, reason FROM work WHERE title = 'six'"), Strings{"1|remembered"});
}

TEST_P(DecideTest, ARowWaitsUntilAllItsNamesAreDecided) {
  const Summary summary = import(kFile, yaml());
  EXPECT_TRUE(picked("Mohana Raga", "1").empty()) << "its composer is not known yet";
  EXPECT_EQ(picked("Johann Bach", "2").size(), 1u);
  EXPECT_EQ(content("SELECT composer_id, raga_id FROM work WHERE title = 'two'"), Strings{"2|1"});
  EXPECT_EQ(record(summary.job_id).rows[model::Outcome::failed], 3);
}

TEST_P(DecideTest, WhoComesSecondIsToldWhoHasDecidedWhat) {
  import(kFile, yaml());
  const ReviewItem item = item_of("Johann Bach");
  ASSERT_OK(decide(*connection, decider("ada"), {.item = item.id, .entity = "2", .revision = item.revision}));
  const auto late = decide(*connection, decider("bob"), {.item = item.id, .entity = "1", .revision = item.revision});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, "already_decided");
  EXPECT_THAT(late.error().message, HasSubstr("ada has decided that 'Johann Bach' means 'Muttusvāmi Dīkṣitar' (2)"));
  EXPECT_FAILS(decide(*connection, decider("bob"), {.item = item.id, .kind = DecisionKind::reject}), "already_decided");
  // Who has seen that may decide otherwise.
  const auto other = decide(*connection, decider("bob"),
                            {.item = item.id, .entity = "1", .revision = item_of("Johann Bach").revision});
  ASSERT_OK(other);
  EXPECT_EQ(other->item.decision.entity, "1");
  EXPECT_EQ(other->item.decision.decided_by, "bob");
}

TEST_P(DecideTest, TwoAtOnceOneWins) {
  import(kFile, yaml());
  const ReviewItem item = item_of("Johann Bach");
  std::atomic<int> won = 0, lost = 0;
  {
    std::vector<std::jthread> reviewers;
    for (const char* who : {"ada", "bob", "eve", "joe"})
      reviewers.emplace_back([&, who] {
        auto session = db::connect(options.database);
        const auto done =
            session ? decide(**session, decider(who), {.item = item.id, .entity = "2", .revision = item.revision})
                    : Result<Decided>(fail(session.error()));
        if (done) ++won;
        if (!done && done.error().code == "already_decided") ++lost;
      });
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 3);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_name_decision"), 1);
}

TEST_P(DecideTest, ANewEntityIsPutIntoTheTable) {
  import(kFile, yaml());
  const std::int64_t item = item_of("Johann Bach").id;
  const auto create = [&](std::vector<std::pair<std::string, std::optional<std::string>>> values) {
    return decide(*connection, decider(), {.item = item, .kind = DecisionKind::create, .values = std::move(values)});
  };
  EXPECT_FAILS(create({{"died", "1750"}}), "entity_column_unknown");
  EXPECT_FAILS(create({{"id", "9"}, {"name", std::nullopt}}), "entity_refused");
  EXPECT_FAILS(create({{"id", "9"}, {"name", "Tyāgarāja"}}), "entity_refused");
  if (!is_sqlite()) {
    EXPECT_FAILS(create({{"born", "1685"}}), "entity_incomplete");
  }
  EXPECT_EQ(integer("SELECT count(*) FROM composer"), 4) << "nothing was changed";
  const auto done = create({{"id", "9"}, {"born", "1685"}});
  ASSERT_OK(done);
  EXPECT_EQ(done->item.decision.entity, "9");
  EXPECT_EQ(content("SELECT name, born FROM composer WHERE id = 9"), Strings{"Johann Bach|1685"});
  EXPECT_FAILS(pick("Anna Lee", "77"), "entity_not_found");
  EXPECT_FAILS(pick("Anna Lee", "nobody's"), "entity_not_found");
  EXPECT_FAILS(decide(*connection, decider(), {.item = 12345, .entity = "1"}), "review_item_not_found");
  EXPECT_FAILS(decide(*connection, {"eve", 2, "", false}, {.item = item, .entity = "1"}), "review_item_not_found");
}

TEST_P(DecideTest, ARejectedNameFailsWithoutAsking) {
  import(kFile, yaml());
  ASSERT_OK(decide(*connection, decider(), {.item = item_of("Johann Bach").id, .kind = DecisionKind::reject}));
  EXPECT_EQ(counts(import("title,composer,raga\nseven,johann bach,Kalyani\n", yaml())), "read 1 failed 1");
  EXPECT_EQ(content("SELECT message FROM lade_issue WHERE value = 'johann bach'"),
            Strings{"it was decided that it means nobody in composer"});
  EXPECT_EQ(asked().size(), 4u);
}

TEST_P(DecideTest, ADecisionIsTakenBackUntilItsRowsAreSent) {
  const Summary summary = import(kFile, yaml());
  const std::int64_t item = item_of("Tyagarajan Swami").id;
  EXPECT_FAILS(undo_decision(*connection, decider(), item), "not_decided");
  ASSERT_OK(pick("Tyagarajan Swami", "2"));
  const auto undone = undo_decision(*connection, decider(), item);
  ASSERT_OK(undone);
  EXPECT_EQ(undone->items, 2);
  EXPECT_EQ(undone->item.status, "open");
  EXPECT_EQ(integer("SELECT count(*) FROM lade_name_decision"), 0);
  const auto nothing = send(summary.job_id);
  ASSERT_OK(nothing);
  EXPECT_EQ(nothing->what, Resent::What::nothing_to_send);
  picked("Tyagarajan Swami", "1");
  EXPECT_FAILS(undo_decision(*connection, decider(), item), "decision_sent");
  // What comes later can be decided otherwise; what was loaded stays.
  ASSERT_OK(
      decide(*connection, decider(), {.item = item, .entity = "2", .revision = item_of("Tyagarajan Swami").revision}));
  import("title,composer,raga\nsix,Tyagarajan Swami,Kalyani\n", yaml());
  EXPECT_EQ(content("SELECT title, composer_id FROM work WHERE title IN ('three', 'six')"),
            (Strings{"six|2", "three|1"}));
}

TEST_P(DecideTest, ATaskSendsTheRowsOnceTheJobIsAtRest) {
  const std::string job = submit(kFile, yaml());
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  const auto storage = storage::Folder::open(storage_path(options));
  const Decider server{"ada", 1, storage->id(), true};
  ASSERT_OK(decide(*connection, server, {.item = item_of("Tyagarajan Swami").id, .entity = "1"}));
  ASSERT_OK(decide(*connection, server, {.item = item_of("Anna Lee").id, .entity = "3"}));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_task WHERE kind = 'resend' AND status = 'pending'"), 1);
  run_worker();
  EXPECT_EQ(record(job).rows[model::Outcome::inserted], 4);
  EXPECT_EQ(works(), (Strings{"five|3|1|remembered", "four|1|2|remembered", "one|1|1|same", "three|1|2|remembered"}));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_task WHERE kind = 'resend' AND status <> 'succeeded'"), 0);
}

TEST_P(DecideTest, MoreRowsThanGoAtOnceAreSentOneAfterTheOther) {
  const std::string job = submit(kFile, yaml());
  run_worker();
  for (const auto& [name, entity] : {std::pair("Tyagarajan Swami", "1"), std::pair("Anna Lee", "3")})
    ASSERT_OK(decide(*connection, decider(), {.item = item_of(name).id, .entity = entity}));
  const auto waiting = [&] {
    return integer("SELECT count(*) FROM lade_task WHERE kind = 'resend' AND status = 'pending'");
  };
  ASSERT_EQ(waiting(), 0);
  const auto storage = storage::Folder::open(storage_path(options));
  const auto first = send_rows(*connection, {*storage, options}, record(job).id, 1);
  ASSERT_OK(first);
  EXPECT_EQ(first->rows, 1);
  EXPECT_EQ(waiting(), 1) << "for the others";
  run_worker();
  EXPECT_EQ(works(), (Strings{"five|3|1|remembered", "four|1|2|remembered", "one|1|1|same", "three|1|2|remembered"}));
}

TEST_P(DecideTest, WhatBreaksOnTheWayIsDoneOnce) {
  work.settings.retry.base = std::chrono::milliseconds(10);
  ASSERT_OK(arm_failpoints("stage=error:injected@1;resend=error:injected@1"));
  const std::string job = submit(kFile, yaml());
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(asked().size(), 5u);
  const auto storage = storage::Folder::open(storage_path(options));
  ASSERT_OK(
      decide(*connection, {"ada", 1, storage->id(), true}, {.item = item_of("Tyagarajan Swami").id, .entity = "1"}));
  run_worker();
  EXPECT_EQ(works(), (Strings{"four|1|2|remembered", "one|1|1|same", "three|1|2|remembered"}));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_event WHERE kind = 'fixed'"), 1);
  EXPECT_EQ(record(job).rows[model::Outcome::inserted], 3);
}

TEST_P(DecideTest, RowsOfAJobInReviewAreAnalysedAgain) {
  const std::string job = submit(kFile, yaml("", "review: on_issues\n"));
  run_worker();
  EXPECT_EQ(status(job), "waiting_for_review");
  ASSERT_OK(pick("Tyagarajan Swami", "1"));
  const auto sent = send(job);
  ASSERT_OK(sent);
  EXPECT_EQ(sent->rows, 2);
  EXPECT_EQ(status(job), "waiting_for_review");
  EXPECT_EQ(record(job).review_revision, 1);
  EXPECT_EQ(record(job).rows[model::Outcome::failed], 2);
  EXPECT_FAILS(approve_job(*connection, {job, "ada"}, 0), "revision_changed");
  ASSERT_OK(approve_job(*connection, {job, "ada"}, 1));
  run_worker();
  EXPECT_EQ(works(), (Strings{"four|1|2|remembered", "one|1|1|same", "three|1|2|remembered"}));
}

TEST_P(DecideTest, AJobThatIsNotAtRestGetsItsRowsLater) {
  const std::string job = submit(kFile, yaml());
  run_worker();
  ASSERT_OK(pick("Tyagarajan Swami", "1"));
  ASSERT_OK(send(job));
  EXPECT_EQ(status(job), "running");
  ASSERT_OK(pick("Anna Lee", "3"));
  const auto later = send(job);
  ASSERT_OK(later);
  EXPECT_EQ(later->what, Resent::What::not_at_rest);
  run_worker();
  const auto sent = send(job);
  ASSERT_OK(sent);
  EXPECT_EQ(sent->rows, 1);
  run_worker();
  EXPECT_EQ(works().size(), 4u);
}

TEST_P(DecideTest, ARowThatWasCorrectedDoesNotAsk) {
  const std::string job = submit(kFile, yaml());
  run_worker();
  const auto storage = storage::Folder::open(storage_path(options));
  std::vector<RefusedFix> refused;
  ASSERT_OK(fix_rows(*connection, {*storage, options}, {job, "bob"}, {{3, {{"composer", "Tyagaraja"}}}}, refused));
  run_worker();
  const ReviewItem item = item_of("Tyagarajan Swami");
  EXPECT_EQ(item.status, "withdrawn");
  EXPECT_FAILS(decide(*connection, decider(), {.item = item.id, .entity = "1"}), "item_withdrawn");
  ASSERT_OK(fix_rows(*connection, {*storage, options}, {job, "bob"}, {{5, {{"composer", "Anna Leo"}}}}, refused));
  run_worker();
  EXPECT_EQ(item_of("Anna Leo").row, 5) << "the same question, about another name";
}

TEST_P(DecideTest, TheBestCandidatesAreAcceptedInBulk) {
  import(
      "title,composer,raga\na,Muttusvami Diksitarr,Mohanam\nb,muttusvami diksitarr,Mohanam\nc,Anna Lee,Kalyani\n"
      "d,Nobody Atall,Kalyani\n",
      yaml(", automatic: 100"));
  const auto count = decide_in_bulk(*connection, decider(), {.min = 80}, true);
  ASSERT_OK(count);
  EXPECT_EQ(count->items, 3);
  EXPECT_EQ(count->names, 2);
  EXPECT_EQ(count->ambiguous, 1);
  EXPECT_EQ(asked().size(), 4u) << "nothing is decided by counting";
  const auto none = decide_in_bulk(*connection, decider(), {.min = 80, .table = "raga"}, false);
  ASSERT_OK(none);
  EXPECT_EQ(none->items, 0);
  const auto done = decide_in_bulk(*connection, decider(), {.min = 80}, false);
  ASSERT_OK(done);
  EXPECT_EQ(done->decided, 2);
  EXPECT_EQ(done->jobs.size(), 1u);
  EXPECT_EQ(told("open"), (Strings{"3 Anna Lee open", "4 Nobody Atall open"}));
}

TEST_P(DecideTest, NamesThatOnlyLookAlikeByOtherRulesAreKeptApart) {
  import("title,composer,raga\na,Anth,Mohanam\n", yaml(", rewrite: {th: t}"));
  ASSERT_OK(pick("Anth", "2"));
  // Without the rule it is another name.
  EXPECT_EQ(counts(import("title,composer,raga\nb,Ant,Mohanam\n", yaml())), "read 1 failed 1");
  EXPECT_EQ(counts(import("title,composer,raga\nc,Ant,Mohanam\n", yaml(", rewrite: {th: t}"))), "read 1 inserted 1");
  // Names without a letter do not become one.
  import("title,composer,raga\nd,???,Mohanam\ne,!!!,Mohanam\n", yaml());
  const auto done = pick("???", "1");
  ASSERT_OK(done);
  EXPECT_EQ(done->items, 1);
  EXPECT_EQ(item_of("!!!").status, "open");
}

TEST_P(DecideTest, SensitiveNamesAreNotPutBeforePeople) {
  std::string other = yaml();
  other.replace(other.find("composer: ,"), 11, "composer: {sensitive: true},");
  EXPECT_EQ(counts(import(kFile, other)), "read 5 inserted 1 failed 4");
  EXPECT_EQ(told(), (Strings{})) << "rows whose composer is secret and doubtful do not ask for their raga either";
}

TEST_P(DecideTest, QuestionsGoWithTheirJob) {
  const Summary summary = import(kFile, yaml());
  ASSERT_OK(delete_job(*connection, {summary.job_id, "ada"}));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_review_item"), 0);
}

TEST_P(DecideTest, FiltersAreSaidInWords) {
  const auto filter = filter_of(*connection, {.status = "all", .confidence = "medium", .min = "75.5"}, 1);
  ASSERT_OK(filter);
  EXPECT_EQ(filter->status, "");
  EXPECT_EQ(filter->min, 75.5);
  EXPECT_EQ(filter->below, 90);
  EXPECT_FAILS(filter_of(*connection, {.status = "odd"}, 1), "request_invalid");
  EXPECT_FAILS(filter_of(*connection, {.confidence = "odd"}, 1), "request_invalid");
  EXPECT_FAILS(filter_of(*connection, {.max = "101"}, 1), "request_invalid");
}

}  // namespace
}  // namespace lade::jobs
