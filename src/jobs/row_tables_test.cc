#include "jobs/row_tables.h"

#include "jobs/job.h"
#include "jobs/submit.h"
#include "storage/folder.h"
#include "testing/durable.h"

namespace lade::jobs {
namespace {

class RowTablesTest : public testing::DurableTest {
 protected:
  Result<RowTables> make(const std::string& job, const std::string& schema = "") {
    const auto storage = storage::Folder::open(storage_path(options));
    return make_row_tables(*connection, {*storage, options}, record(job), schema);
  }
};
LADE_ON_BOTH_DATABASES(RowTablesTest);

using Strings = std::vector<std::string>;

const std::string kRows =
    "Code,name,State,amount\n1,one,x,1\n2,\"two, too\",,bad\nx,three,y,worse\n2,zwei,z,2\n4,\"\",z,99999\n";
const std::string kYaml =
    "columns: {code: {from: Code, type: integer}, name: , state: {from: State}, amount: {type: integer, max: 1000, "
    "severity: warning}}\n"
    "load: [{table: item, key: code, columns: {code: code, name: name, amount: amount}}]\n";

TEST_P(RowTablesTest, ShowTheFileAndWhatBecameOfEachRow) {
  const std::string job = submit(kRows, kYaml);
  run_worker();
  ASSERT_EQ(status(job), "succeeded");
  const std::string slug = record(job).slug;
  const auto tables = make(job);
  ASSERT_OK(tables);
  EXPECT_EQ(tables->rows, 5);
  EXPECT_EQ(tables->data, "\"" + slug + "_data\"");
  EXPECT_EQ(content("SELECT row_id, \"Code\", name, \"State\", amount FROM " + tables->upload),
            (Strings{"1|1|one|x|1", "2|2|two, too|NULL|bad", "3|x|three|y|worse", "4|2|zwei|z|2", "5|4||z|99999"}));
  const auto shown = [&](const std::string& columns) {
    return content("SELECT row_id, " + columns + " FROM " + tables->data);
  };
  EXPECT_EQ(shown("code, typed_code, name, state_2, amount, typed_amount"),
            (Strings{"1|1|1|one|x|1|1", "2|2|2|two, too|NULL|bad|NULL", "3|x|NULL|three|y|worse|NULL",
                     "4|2|2|zwei|z|2|2", "5|4|4||z|99999|NULL"}));
  EXPECT_EQ(shown("operation, action, state, last_completed_priority, merge_status"),
            (Strings{"1|insert|insert|processed|200|APPLIED", "2|NULL|skip|processed|200|SKIPPED_ECLIPSED",
                     "3|NULL|skip|error|100|ERROR", "4|insert|insert|processed|200|APPLIED",
                     "5|insert|insert|processed|200|APPLIED"}));
  const std::string text = pick("error", "CAST(error AS text)"),
                    codes = pick("invalid_codes", "CAST(invalid_codes AS text)");
  EXPECT_EQ(content("SELECT " + pick("json_extract(error, '$.code')", "error ->> 'code'") + ", " +
                    pick("json_extract(invalid_codes, '$.amount')", "invalid_codes ->> 'amount'") + " FROM " +
                    tables->data + " WHERE row_id = 3"),
            (Strings{"not a whole number|worse"}));
  EXPECT_EQ(content("SELECT count(*) FROM " + tables->data + " WHERE " + text + " IS NULL AND " + codes + " IS NULL"),
            Strings{"2"});
}

TEST_P(RowTablesTest, ShowAJobInReviewWithItsCorrections) {
  const std::string job = submit(kRows, kYaml + "review: always\n");
  run_worker();
  ASSERT_EQ(status(job), "waiting_for_review");
  const auto storage = storage::Folder::open(storage_path(options));
  ASSERT_OK(correct_row(*connection, {*storage, options}, {job, "ada"}, {3, {{"Code", "33"}, {"amount", "3"}}}));
  const auto tables = make(job);
  ASSERT_OK(tables);
  EXPECT_EQ(content("SELECT row_id, code, typed_code, typed_amount, state, action, merge_status FROM " + tables->data +
                    " WHERE row_id >= 3"),
            (Strings{"3|33|33|3|analysed|NULL|NULL", "4|2|2|2|analysed|NULL|NULL", "5|4|4|NULL|analysed|NULL|NULL"}));
  EXPECT_EQ(content("SELECT \"Code\" FROM " + tables->upload + " WHERE row_id = 3"), Strings{"x"})
      << "the file stays what it is";
}

TEST_P(RowTablesTest, AreMadeAnewAndGoWithTheirJob) {
  const std::string job = submit(file(1000));
  run_worker();
  ASSERT_OK(make(job));
  const auto again = make(job);
  ASSERT_OK(again);
  EXPECT_EQ(integer("SELECT count(*) FROM " + again->data), 1000);
  EXPECT_EQ(integer("SELECT count(*) FROM " + again->data + " WHERE state = 'error'"), 20);
  EXPECT_EQ(integer("SELECT count(*) FROM " + again->upload), 1000);
  ASSERT_OK(delete_job(*connection, {job, "ada"}));
  EXPECT_FALSE(connection->query("SELECT 1 FROM " + again->data));
  EXPECT_FALSE(connection->query("SELECT 1 FROM " + again->upload));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_job_table"), 0);
}

TEST_P(RowTablesTest, TouchNoTableThatLadeDidNotMake) {
  const std::string job = submit(file(20));
  run_worker();
  const std::string name = db::Connection::quote_name(record(job).slug + "_data");
  ASSERT_OK(connection->run("CREATE TABLE " + name + " (mine integer)"));
  EXPECT_FAILS(make(job), "table_name_taken");
  EXPECT_EQ(integer("SELECT count(*) FROM " + name), 0);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_job_table"), 0) << "nor is the other one made";
  EXPECT_FAILS(make(job, "nowhere"), "schema_not_found");
  ASSERT_OK(delete_job(*connection, {job, "ada"}));
  EXPECT_EQ(integer("SELECT count(*) FROM " + name), 0);
}

TEST_P(RowTablesTest, HaveNamesThatEveryDatabaseTakes) {
  const std::string job = submit(file(20));
  run_worker();
  ASSERT_OK(connection->run("UPDATE lade_job SET slug = '" + std::string(60, 'd') + "'"));
  EXPECT_FAILS(make(job), "table_name_too_long");
}

TEST_P(RowTablesTest, LieInTheSchemaThatIsNamed) {
  if (connection->backend() == db::Backend::sqlite) return;
  ASSERT_OK(connection->run("CREATE SCHEMA inspected"));
  const std::string job = submit(file(20));
  run_worker();
  const auto tables = make(job, "inspected");
  ASSERT_OK(tables);
  EXPECT_EQ(tables->upload, "\"inspected\"." + db::Connection::quote_name(record(job).slug + "_upload"));
  EXPECT_EQ(integer("SELECT count(*) FROM " + tables->upload), 20);
  ASSERT_OK(connection->run("DROP SCHEMA inspected CASCADE"));
}

TEST_P(RowTablesTest, ShowBytesThatAreNoTextAsSuch) {
  const std::string job = submit("code,name,amount\n1,a\xff,1\n2,b,2\n", kItems + "source: {encoding: utf-8}\n");
  run_worker();
  const auto tables = make(job);
  ASSERT_OK(tables);
  EXPECT_EQ(content("SELECT name FROM " + tables->upload), (Strings{"a\uFFFD", "b"}));
}

TEST_P(RowTablesTest, AreNotMadeBeforeTheFileIsPlanned) {
  EXPECT_FAILS(make(submit(file(20))), "results_not_ready");
}

}  // namespace
}  // namespace lade::jobs
