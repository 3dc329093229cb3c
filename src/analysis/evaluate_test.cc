// Checks across columns: precedence, exact numbers, blanks, dates beside literals.
#include "analysis/evaluate.h"

#include "testing/analysed.h"
#include "testing/database_test.h"

namespace lade::analysis {
namespace {

// Columns a and b are decimal(38,4), i is integer, t and u text, d date, s timestamp, f boolean, g uuid.
constexpr std::string_view kColumns =
    "columns: {key: {value: x}, a: {type: \"decimal(38,4)\"}, b: {type: \"decimal(38,4)\"}, i: {type: integer}, t: , "
    "u: , d: {type: date},"
    " s: {type: timestamp}, f: {type: boolean}, g: {type: uuid}}\nload: [{table: item, strategy: append, columns: "
    "[key]}]\n";

class Evaluate : public ::testing::Test {
 protected:
  Evaluate() { EXPECT_OK(connection->run("CREATE TABLE item (key TEXT)")); }

  // What the check says about one row.
  std::string verdict(const std::string& expression, const std::string& cells) {
    const std::string yaml = std::string(kColumns) + "checks: [{expr: \"" + expression + "\", columns: [key]}]\n";
    const std::string csv = "a,b,i,t,u,d,s,f,g\n" + cells + "\n";
    auto program = bind(testing::definition_of(yaml), testing::header_of(csv), *connection, {});
    EXPECT_OK(program);
    const auto sink = testing::analyse(**program, csv, *connection);
    std::string codes;
    for (const auto& found : sink.issues) codes += found.issue.code + " ";
    return codes.empty() ? "holds" : codes == "check_failed " ? "fails" : codes;
  }

  testing::FreshDatabase database{db::Backend::sqlite};
  std::unique_ptr<db::Connection> connection = database.connect();
};

TEST_F(Evaluate, SaysWhatHolds) {
  const std::string max = std::string(34, '9');
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      // precedence: or, and, not, comparison, + -, * /, unary minus
      {"true or false and false", ",,,,,,,,", "holds"},
      {"(true or false) and false", ",,,,,,,,", "fails"},
      {"not i = 1 or i = 2", ",,1,,,,,,", "fails"},
      {"not (i = 2 or i = 3)", ",,1,,,,,,", "holds"},
      {"i + 2 * 3 = 7", ",,1,,,,,,", "holds"},
      {"(i + 2) * 3 = 9", ",,1,,,,,,", "holds"},
      {"10 - 4 - 3 = 3", ",,,,,,,,", "holds"},
      {"100 / 10 / 5 = 2", ",,,,,,,,", "holds"},
      {"-i * 2 = -2", ",,1,,,,,,", "holds"},
      {"i - -1 = 2", ",,1,,,,,,", "holds"},
      // exact decimals
      {"a + b = 0.3", "0.1,0.2,,,,,,,", "holds"},
      {"a * b = 0.02", "0.1,0.2,,,,,,,", "holds"},
      {"a * 3 = 0.3", "0.1,,,,,,,,", "holds"},
      {"a / b = 0.5", "0.1,0.2,,,,,,,", "holds"},
      {"a = 0.10000", "0.1,,,,,,,,", "holds"},
      {"a > 0.00009", "0.0001,,,,,,,,", "holds"},
      {"a / 4 = 0.25", "1,,,,,,,,", "holds"},
      {"1 / a < 0.3334 and 1 / a > 0.3333", "3,,,,,,,,", "holds"},
      {"a >= i", "1.0000,,1,,,,,,", "holds"},
      {"a > i", "1.0000,,1,,,,,,", "fails"},
      // division by zero and overflow do not hold, nor does their opposite comparison
      {"1 / a = 0", "0,,,,,,,,", "fails"},
      {"1 / a != 0", "0,,,,,,,,", "fails"},
      {"a * b > 0", max + "," + max + ",,,,,,,", "fails"},
      {"a * b <= 0", max + "," + max + ",,,,,,,", "fails"},
      {"a + b > 0", max + "," + max + ",,,,,,,", "fails"},
      {"a - b = 0", max + "," + max + ",,,,,,,", "holds"},
      // blanks
      {"a > 0", ",,,,,,,,", "fails"},
      {"a <= 0", ",,,,,,,,", "fails"},
      {"a = b", ",,,,,,,,", "fails"},
      {"a != b", "1,,,,,,,,", "fails"},
      {"not a > 0", ",,,,,,,,", "holds"},
      {"a is blank", ",,,,,,,,", "holds"},
      {"a is not blank", ",,,,,,,,", "fails"},
      {"a > 0 or a is blank", ",,,,,,,,", "holds"},
      {"a + b = 1", "1,,,,,,,,", "fails"},
      {"a = 0", "0,,,,,,,,", "holds"},
      {"a is blank", "0,,,,,,,,", "fails"},
      // texts compare by their bytes, and not with numbers
      {"t = 'Abc'", ",,,Abc,,,,,", "holds"},
      {"t = 'abc'", ",,,Abc,,,,,", "fails"},
      {"t < u", ",,,abc,abd,,,,", "holds"},
      {"t <> u", ",,,abc,abc,,,,", "fails"},
      {"t = 'it''s'", ",,,it's,,,,,", "holds"},
      {"t = 5", ",,,5,,,,,", "fails"},
      {"i = '5'", ",,5,,,,,,", "fails"},
      // dates and times beside literals, on either side
      {"d >= '2024-01-01'", ",,,,,2024-01-01,,,", "holds"},
      {"'2024-01-01' < d", ",,,,,2024-01-02,,,", "holds"},
      {"d < '2024-01-01'", ",,,,,2024-01-01,,,", "fails"},
      {"d = 'no date'", ",,,,,2024-01-01,,,", "fails"},
      {"s < '2024-01-01T12:00:01Z'", ",,,,,,2024-01-01T12:00:00Z,,", "holds"},
      {"s = '2024-01-01T13:00:00+01:00'", ",,,,,,2024-01-01T12:00:00Z,,", "holds"},
      {"s >= '2024-01-01'", ",,,,,,2024-01-01T00:00:00Z,,", "holds"},
      // booleans
      {"f", ",,,,,,,true,", "holds"},
      {"f", ",,,,,,,false,", "fails"},
      {"f", ",,,,,,,,", "fails"},
      {"not f", ",,,,,,,,", "holds"},
      {"f = false", ",,,,,,,no,", "holds"},
      {"f = (i > 1)", ",,2,,,,,yes,", "holds"},
      // a uuid beside its text, in any spelling
      {"g = '123e4567-e89b-12d3-a456-426614174000'", ",,,,,,,,123E4567E89B12D3A456426614174000", "holds"},
      {"g != '123e4567-e89b-12d3-a456-426614174000'", ",,,,,,,,123E4567E89B12D3A456426614174000", "fails"},
      // a column that is bad already is not judged again
      {"i > 0", ",,x,,,,,,", "not_an_integer "},
      {"i > 0 or t is blank", ",,x,,,,,,", "not_an_integer "}};
  for (const auto& [expression, cells, expected] : cases)
    EXPECT_EQ(verdict(expression, cells), expected) << expression << " of " << cells;
}

}  // namespace
}  // namespace lade::analysis
