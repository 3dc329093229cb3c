// The step that docs/writing-a-step.md writes.
#include "writing_a_step.inc"

#include "steps/expand.h"
#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::steps {
namespace {

using Texts = std::vector<std::string>;

class WritingAStepTest : public testing::DatabaseTest {};
LADE_ON_BOTH_DATABASES(WritingAStepTest);

TEST_P(WritingAStepTest, ChecksDigits) {
  ASSERT_OK(connection->run("CREATE TABLE company (number text, name text)"));
  const auto definition = testing::definition_of(
      "columns: {name: {max_length: 5}}\n"
      "steps: {organisation_number: {kind: check_digit, priority: 12, column: number}}\n"
      "load: [{table: company, strategy: append}]\n");
  const definition::Step& step = definition.steps.front();
  Expansion expansion(definition, *connection, {});
  ASSERT_OK(check_digit().expand(step, expansion));
  const auto whole = std::move(expansion).finish();
  ASSERT_OK(whole);
  const std::string csv = "number,name\n915737250,a\n915737251,b\n12,c\n,d\n915737251,too long\n";
  const auto program = analysis::bind(*whole, testing::header_of(csv), *connection, {},
                                      [](const auto& each, const auto& bound, auto& session) {
                                        return check_digit().analyse_half(each, bound, {session});
                                      });
  ASSERT_OK(program);
  const auto sink = testing::analyse(**program, csv, *connection);
  EXPECT_EQ(sink.issue_texts(),
            (Texts{"2 check_digit number (915737251)", "3 check_digit number (12)", "5 too_long name (too long)"}))
      << "a row that an earlier step refused is left alone";
  EXPECT_EQ(sink.rows.size(), 2);
}

TEST_P(WritingAStepTest, NamesWhatItMisses) {
  const auto definition = testing::definition_of(
      "columns: {name: }\nsteps: {number: {kind: check_digit, priority: 1}}\nload: [{table: company, strategy: "
      "append}]\n");
  definition::Faults faults;
  check_digit().check(definition.steps.front(), definition, faults);
  EXPECT_EQ(std::move(faults).take().size(), 1);
  const auto unknown = check_steps(definition);
  ASSERT_EQ(unknown.size(), 1) << "it is not registered";
  EXPECT_THAT(unknown.front().message, ::testing::HasSubstr("there is no kind of step 'check_digit'"));
}

}  // namespace
}  // namespace lade::steps
