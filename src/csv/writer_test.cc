#include "csv/writer.h"

#include <gtest/gtest.h>

#include <random>

#include "csv/reader.h"

namespace lade::csv {
namespace {

std::string written(std::vector<std::string_view> fields, const Dialect& dialect = {}) {
  std::string out;
  append_record(out, fields, dialect);
  return out;
}

TEST(Writer, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(written({"a", "b c", ""}), "a,b c,\r\n");
  EXPECT_EQ(written({"a,b", "say \"hi\"", "x\ny", "x\ry"}), "\"a,b\",\"say \"\"hi\"\"\",\"x\ny\",\"x\ry\"\r\n");
  EXPECT_EQ(written({" a", "b ", "\tc"}), "\" a\",\"b \",\"\tc\"\r\n");
}

TEST(Writer, ARecordOfOneEmptyFieldIsNoBlankLine) {
  EXPECT_EQ(written({""}), "\"\"\r\n");
}

TEST(Writer, TakesTheDialectsCharacters) {
  const Dialect dialect{.delimiter = ';', .quote = '\'', .escape = '\\'};
  EXPECT_EQ(written({"a;b", "it's", "c\\d", "e,f"}, dialect), "'a;b';'it\\'s';c\\d;e,f\r\n");
}

std::string random_text(std::mt19937_64& random, const Dialect& dialect) {
  const std::string bytes = {dialect.delimiter,
                             dialect.quote,
                             dialect.escape,
                             dialect.comment,
                             '\r',
                             '\n',
                             '\0',
                             ' ',
                             'x',
                             '\xEF',
                             '\xBB',
                             '\xBF'};
  std::string text;
  for (std::size_t count = random() % 8; count > 0; --count) text += bytes[random() % bytes.size()];
  return random() % 20 == 0 ? "\xEF\xBB\xBF" + text : text;
}

TEST(Writer, ReaderGivesBackWhatWasWritten) {
  std::mt19937_64 random(11);
  const Dialect dialects[] = {
      {}, {.delimiter = ';', .quote = '\'', .escape = '\''}, {.escape = '\\'}, {.lone_cr = true}, {.comment = '#'}};
  for (int turn = 0; turn < 2000; ++turn) {
    const Dialect& dialect = dialects[turn % 5];
    const std::size_t columns = 1 + random() % 5;
    std::vector<std::vector<std::string>> table(1 + random() % 12, std::vector<std::string>(columns));
    std::string text;
    for (auto& record : table) {
      for (std::string& field : record) field = random_text(random, dialect);
      append_record(text, std::vector<std::string_view>(record.begin(), record.end()), dialect);
    }
    SCOPED_TRACE(::testing::Message() << "turn " << turn << ": " << ::testing::PrintToString(text));
    MemorySource source(text);
    ReaderOptions options;
    options.dialect = dialect;
    Reader reader(source, options);
    Batch batch;
    ASSERT_TRUE(reader.next(batch).value());
    ASSERT_EQ(batch.rows(), table.size());
    EXPECT_TRUE(batch.ragged().empty());
    EXPECT_TRUE(batch.faults().empty());
    std::string scratch;
    for (std::size_t row = 0; row < table.size(); ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        ASSERT_EQ(unescape(batch.field(row, column), dialect, scratch), table[row][column]);
      }
    }
  }
}

}  // namespace
}  // namespace lade::csv
