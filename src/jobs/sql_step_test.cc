// Procedures of a user's own as a step: what they say about rows counts like everything else.
#include "testing/imported.h"

namespace lade::jobs {
namespace {

using Texts = std::vector<std::string>;

class SqlStep : public testing::ImportTest {
 protected:
  SqlStep() {
    EXPECT_OK(connection->run(R"sql(
CREATE TABLE item (code text PRIMARY KEY, amount integer, note text);
CREATE TABLE seen (row_id integer, code text);
CREATE SCHEMA own;
CREATE PROCEDURE own.analyse(job integer, row_ids integer[], step text) LANGUAGE plpgsql AS $$
DECLARE slug text;
BEGIN
  SELECT j.slug INTO slug FROM lade_job j WHERE j.id = job;
  EXECUTE format('UPDATE %I SET note = code || '' by '' || $2 WHERE row_id = ANY ($1)', slug || '_data') USING row_ids, step;
  EXECUTE format('UPDATE %I SET error = jsonb_build_object(''amount'', ''odd''), state = ''error'', action = ''skip'' WHERE row_id = ANY ($1) AND amount::integer %% 2 = 1', slug || '_data') USING row_ids;
  EXECUTE format('UPDATE %I SET invalid_codes = jsonb_build_object(''amount'', amount) WHERE row_id = ANY ($1) AND amount = ''66''', slug || '_data') USING row_ids;
END $$;
CREATE PROCEDURE own.process(job integer, row_ids integer[], step text) LANGUAGE plpgsql AS $$
DECLARE slug text;
BEGIN
  SELECT j.slug INTO slug FROM lade_job j WHERE j.id = job;
  EXECUTE format('INSERT INTO seen SELECT d.row_id, d.code FROM %I d JOIN item USING (code) WHERE d.row_id = ANY ($1)', slug || '_data') USING row_ids;
  IF EXISTS (SELECT FROM seen WHERE code = 'bang') THEN RAISE EXCEPTION 'no bang, please'; END IF;
  EXECUTE format('UPDATE %I SET state = ''error'', error = jsonb_build_object(''code'', ''too late'') WHERE row_id = ANY ($1) AND code = ''late''', slug || '_data') USING row_ids;
END $$;
)sql"));
  }
  const std::string yaml =
      "columns: {code: , amount: {type: integer}}\n"
      "steps: {own_step: {kind: sql, priority: 50, analyse_procedure: own.analyse, process_procedure: own.process, "
      "columns: {note: {purpose: internal}}}}\n"
      "load: [{table: item, key: code, strategy: insert_or_replace}]\n";
};
LADE_ON_POSTGRESQL(SqlStep);

TEST_P(SqlStep, ItsWordsCountLikeAllOthers) {
  const Summary summary = import("code,amount\na,2\nb,3\nc,66\nbang,4\nlate,6\nd,x\ne,8\n", yaml);
  EXPECT_EQ(summary.outcome, "succeeded");
  EXPECT_EQ(counts(summary), "read 7 inserted 3 failed 4");
  EXPECT_EQ(content("SELECT code, amount, note FROM item"),
            (Texts{"a|2|a by own_step", "c|NULL|c by own_step", "e|8|e by own_step"}));
  EXPECT_EQ(content("SELECT row_id, code FROM seen"), (Texts{"1|a", "3|c", "7|e"})) << "refused rows are taken back";
  EXPECT_EQ(content("SELECT DISTINCT code FROM lade_issue"), (Texts{"invalid_code", "not_an_integer", "sql_step"}));
  EXPECT_EQ(content("SELECT row_id, severity, code, column_name, message FROM lade_issue"),
            (Texts{"2|error|sql_step|amount|odd", "3|warning|invalid_code|amount|the step does not know this code",
                   "4|error|sql_step||no bang, please", "5|error|sql_step|code|too late",
                   "6|error|not_an_integer|amount|not a whole number"}));
}

TEST_P(SqlStep, AnUnknownProcedureIsNamed) {
  jobs::Progress progress;
  const auto definition = testing::definition_of(
      "columns: {code: }\nsteps: {own_step: {kind: sql, priority: 50, analyse_procedure: own.none}}\n"
      "load: [{table: item, key: code}]\n");
  const auto summary = run_import(write("input.csv", "code\na\n"), definition, "", options, progress, {});
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, "procedure_not_found");
}

}  // namespace
}  // namespace lade::jobs
