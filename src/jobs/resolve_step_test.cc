// Names in a file that mean entities of a table, however they are spelt.
#include "jobs/expand.h"
#include "jobs/import.h"
#include "testing/imported.h"

namespace lade::jobs {
namespace {

using Texts = std::vector<std::string>;

class ResolveStep : public testing::ImportTest {
 protected:
  ResolveStep() {
    EXPECT_OK(connection->run("CREATE TABLE composer (id integer PRIMARY KEY, name text, other_name text)"));
    EXPECT_OK(
        connection->run("INSERT INTO composer VALUES (1, 'Tyāgarāja', NULL), (2, 'Muttusvāmi Dīkṣitar', "
                        "'Guruguha'), (3, 'Śyāma Śāstri', NULL), (4, 'Anna Lee', NULL), (5, 'Anna Lee', NULL)"));
    EXPECT_OK(connection->run(
        "CREATE TABLE work (title text PRIMARY KEY, composer_id integer, sure numeric(5,2), spelt text)"));
  }
  static std::string yaml(const std::string& more = "") {
    return "columns: {title: , composer: }\n"
           "steps: {who: {kind: resolve, priority: 20, input: composer, table: composer, names: [name, other_name],\n"
           "  rewrite: {th: t, sh: s, y: i, w: v, aa: a}, results: {composer_id: id, sure: confidence, spelt: name}" +
           more +
           ",\n  columns: {composer_id: {purpose: internal, type: integer}, sure: {purpose: internal, type: "
           "\"decimal(5,2)\"}, spelt: {purpose: internal}}}}\n"
           "load: [{table: work, key: title, columns: [title, composer_id, sure, spelt]}]\n";
  }
  std::string fault(const std::string& step) {
    const auto parsed = read_definition(
        "lade: 1\ndefinition: d\ncolumns: {title: , composer: , year: {type: integer}}\nsteps: {who: {priority: 20, " +
        step + "}}\nload: [{table: work, key: title}]\n");
    return parsed.faults.empty() ? "" : parsed.faults.front().code + " " + parsed.faults.front().message;
  }
};
LADE_ON_BOTH_DATABASES(ResolveStep);

const std::string kFile =
    "title,composer\nendaro,Thyagaraja\nvatapi,Muthuswamy Dikshithar\nsri,Guruguha\namba,Johann Bach\nnobody,\n"
    "song,Anna Lee\nagain,Thyagaraja\n";

TEST_P(ResolveStep, FillsInWhoIsMeant) {
  const Summary summary = import(kFile, yaml());
  EXPECT_EQ(counts(summary), "read 7 inserted 5 failed 2");
  EXPECT_EQ(content("SELECT title, composer_id, spelt FROM work"),
            (Texts{"again|1|Tyāgarāja", "endaro|1|Tyāgarāja", "nobody|NULL|NULL", "sri|2|Muttusvāmi Dīkṣitar",
                   "vatapi|2|Muttusvāmi Dīkṣitar"}));
  EXPECT_EQ(integer("SELECT CAST(sure AS integer) FROM work WHERE title = 'endaro'"), 100);
  EXPECT_EQ(content("SELECT row_id, code, column_name, message FROM lade_issue"),
            (Texts{"4|name_unknown|composer|nobody in composer is called so",
                   "6|name_doubtful|composer|it may mean 'Anna Lee' (100), 'Anna Lee' (100)"}));
}

TEST_P(ResolveStep, DoubtfulNamesCanStayBlank) {
  const Summary summary = import(kFile, yaml(", doubtful: blank"));
  EXPECT_EQ(counts(summary), "read 7 inserted 7");
  EXPECT_EQ(integer("SELECT count(*) FROM work WHERE composer_id IS NULL"), 3);
  EXPECT_EQ(summary.issues.size(), 2u) << "they are warned of";
}

TEST_P(ResolveStep, HowSureIsSureIsTheDefinitionsToSay) {
  EXPECT_EQ(counts(import("title,composer\na,Muthuswamy Dikshitharr\n", yaml(", automatic: 100"))), "read 1 failed 1");
  EXPECT_EQ(counts(import("title,composer\na,Muthuswamy Dikshitharr\n", yaml(", automatic: 80"))), "read 1 inserted 1");
}

TEST_P(ResolveStep, WrongOptionsAreNamed) {
  const std::string right = "kind: resolve, input: composer, table: composer";
  EXPECT_EQ(fault(right), "");
  EXPECT_THAT(fault("kind: resolve, input: composer"), ::testing::HasSubstr("steps.who.table: name the table"));
  EXPECT_THAT(fault("kind: resolve, input: composer, table: lade_job"), ::testing::HasSubstr("no entities"));
  EXPECT_THAT(fault("kind: resolve, input: year, table: composer"), ::testing::HasSubstr("a column of type text"));
  EXPECT_THAT(fault(right + ", automatic: 101"), ::testing::HasSubstr("a number from 0 to 100"));
  EXPECT_THAT(fault(right + ", doubtful: maybe"), ::testing::HasSubstr("error or blank"));
  EXPECT_THAT(fault(right + ", rewrite: {É: e}"), ::testing::HasSubstr("small letters"));
  EXPECT_THAT(fault(right + ", results: {title: id}"), ::testing::HasSubstr("is no column of the step"));
  EXPECT_THAT(fault(right + ", columns: {x: {purpose: internal}}"), ::testing::HasSubstr("say in `results` what goes"));
  EXPECT_THAT(fault(right + ", columns: {x: {purpose: internal}}, results: {x: age}"),
              ::testing::HasSubstr("there is no 'age'"));
}

TEST_P(ResolveStep, TablesThatCannotBeUsed) {
  Progress progress;
  ASSERT_OK(connection->run("CREATE TABLE many (id integer, name text, other_name text)"));
  ASSERT_OK(connection->run(is_sqlite()
                                ? "INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
                                  "n LIMIT 1000001) SELECT i, 'a', 'b' FROM n"
                                : "INSERT INTO many SELECT i, 'a', 'b' FROM generate_series(1, 1000001) AS i"));
  for (const auto& [table, code] : {std::pair("table: nobody", "table_not_found"),
                                    {"table: work", "column_not_found"},
                                    {"table: many", "entities_too_many"}}) {
    std::string other = yaml();
    other.replace(other.find("table: composer"), 15, table);
    EXPECT_FAILS(run_import(write("input.csv", kFile), testing::definition_of(other), other, options, progress, {}),
                 code);
  }
}

}  // namespace
}  // namespace lade::jobs
