// A program of the user's own as a step: what it says becomes columns, and what goes wrong costs only its rows.
#include <signal.h>

#include <cstdlib>

#include "handlers/registry.h"
#include "jobs/expand.h"
#include "testing/imported.h"

namespace lade::jobs {
namespace {

using Texts = std::vector<std::string>;

class HandlerStep : public testing::ImportTest {
 protected:
  HandlerStep() {
    EXPECT_OK(connection->run("CREATE TABLE person (code text PRIMARY KEY, name text, score integer, born date)"));
    options.handlers = configured();
  }

  static std::shared_ptr<const handlers::Registry> configured() {
    const char* const root = std::getenv("LADE_SOURCE_DIR");
    const std::string folder = std::string(root == nullptr ? "." : root) + "/tests/handlers/";
    handlers::Handler people{
        .name = "people", .command = {"/usr/bin/python3", folder + "people.py"}, .folder = "/", .options = {"prefix"}};
    people.limits.batch_rows = 50;
    people.limits.batch_seconds = people.limits.row_seconds = std::chrono::seconds(20);
    return std::make_shared<const handlers::Registry>(std::vector<handlers::Handler>{people});
  }

  Error refused(const std::string& text) {
    Progress progress;
    const auto summary = run_import(write("input.csv", "code,first,last\na,A,B\n"), testing::definition_of(text), "",
                                    options, progress, {});
    return summary ? Error() : summary.error();
  }

  const std::string yaml =
      "columns: {code: , first: , last: }\n"
      "steps: {people: {kind: handler, priority: 50, handler: people, options: {prefix: Dr}, input: [first, last],\n"
      "  results: {born: birthday}, columns: {name: {purpose: internal, max_length: 20}, score: {purpose: internal, "
      "type: integer}, born: {purpose: internal, type: date}}}}\n"
      "load: [{table: person, key: code, strategy: insert_or_replace}]\n";
};
LADE_ON_BOTH_DATABASES(HandlerStep);

TEST_P(HandlerStep, ItsResultsAreLoaded) {
  const Summary summary = import(
      "code,first,last\na,Ann,Lee\nb,,Roe\nc,refuse,X\nd,die,X\ne,Eve,Ash\nf,wrong,X\ng,Maximiliana "
      "Josephine,Montgomery\n",
      yaml);
  EXPECT_EQ(summary.outcome, "succeeded");
  EXPECT_EQ(counts(summary), "read 7 inserted 3 failed 4");
  EXPECT_EQ(content("SELECT code, name, score, CAST(born AS text) FROM person"),
            (Texts{"a|Dr Ann Lee|6|2001-02-03", "b|Roe|3|NULL", "e|Dr Eve Ash|6|2001-02-03"}));
  EXPECT_EQ(content("SELECT row_id, code, column_name, message FROM lade_issue"),
            (Texts{"3|handler_failed||nobody is called refuse", "4|handler_died||it ended with exit code 9",
                   "6|not_an_integer|score|not a whole number", "7|too_long|name|longer than 20 characters"}));
}

TEST_P(HandlerStep, ItRunsInADryRunToo) {
  options.dry_run = true;
  const Summary summary = import("code,first,last\na,Ann,Lee\nc,refuse,X\n", yaml);
  EXPECT_EQ(counts(summary), "read 2 inserted 1 failed 1");
  EXPECT_EQ(content("SELECT code FROM person"), Texts{});
}

TEST_P(HandlerStep, KeysThatItMakesAreSpreadByTheirHash) {
  std::string csv = "code,first,last\n";
  for (int i = 0; i < 3000; ++i) csv += std::to_string(i) + ",F" + std::to_string(i % 1000) + ",L\n";
  options.chunk_bytes = 8000;
  options.bucket_bytes = 4000;
  const std::string by_name =
      "columns: {first: , last: }\n"
      "steps: {people: {kind: handler, priority: 50, handler: people, columns: {code: {purpose: internal}}}}\n"
      "load: [{table: person, key: code, columns: {code: code, last: name}}]\n";
  const auto whole = expanded(testing::definition_of(by_name), *connection, options);
  ASSERT_OK(whole);
  EXPECT_EQ(whole->partition, definition::Partition::hash);
  const auto other = expanded(testing::definition_of(yaml), *connection, options);
  ASSERT_OK(other);
  EXPECT_EQ(other->partition, definition::Partition::range) << "its key stands in the file";
  const Summary summary = import(csv, by_name);
  EXPECT_EQ(counts(summary), "read 3000 inserted 1000 skipped 2000") << "rows of one key meet in one bucket";
  EXPECT_EQ(content("SELECT count(*), count(DISTINCT code) FROM person"), Texts{"1000|1000"});
}

TEST_P(HandlerStep, NamesAreChecked) {
  EXPECT_EQ(refused(yaml).code, "");
  std::string other = yaml;
  other.replace(other.find("handler: people"), 15, "handler: /bin/sh");
  EXPECT_EQ(refused(other).code, "handler_unknown") << "a path is no name";
  other = yaml;
  other.replace(other.find("prefix"), 6, "suffix");
  EXPECT_EQ(refused(other).code, "handler_option_unknown");
  options.handlers = nullptr;
  EXPECT_EQ(refused(yaml).code, "handler_unknown");
}

TEST_P(HandlerStep, OneThatCannotBeStartedFailsTheJob) {
  options.handlers = std::make_shared<const handlers::Registry>(std::vector<handlers::Handler>{
      {.name = "people", .command = {"/no/such/program"}, .folder = "/", .options = {"prefix"}}});
  const Summary summary = import("code,first,last\na,Ann,Lee\n", yaml);
  EXPECT_EQ(summary.outcome, "failed");
  EXPECT_EQ(summary.error.code, "handler_not_started");
  EXPECT_EQ(content("SELECT code FROM person"), Texts{});
}

}  // namespace
}  // namespace lade::jobs
