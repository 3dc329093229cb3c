#include "csv/reader.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <optional>

#include "csv/scan.h"
#include "testing/naive_csv.h"

namespace lade::csv {
namespace {

using ::lade::testing::CsvGenerator;
using ::lade::testing::NaiveField;
using ::lade::testing::NaiveFile;
using ::lade::testing::NaiveRecord;
using ::lade::testing::read_naively;

// Delivers at most `step` bytes a call.
class SlowSource final : public ByteSource {
 public:
  SlowSource(std::string_view bytes, std::size_t step) : source_(bytes), step_(step) {}
  Result<std::size_t> read(std::span<char> into) override {
    return source_.read(into.first(std::min(into.size(), step_)));
  }

 private:
  MemorySource source_;
  std::size_t step_;
};

class BrokenSource final : public ByteSource {
 public:
  Result<std::size_t> read(std::span<char>) override { return fail("disk_gone", "no disk"); }
};

struct Reading {
  std::vector<NaiveRecord> records;
  std::vector<std::size_t> field_counts;
  std::int64_t rows = 0;
  std::int64_t end_line = 0;
  std::uint64_t end_offset = 0;
  std::optional<Error> error;
};

std::string_view fault_of(const Batch& batch, std::size_t row) {
  for (const RecordFault& fault : batch.faults()) {
    if (fault.row == row) return fault.code;
  }
  return {};
}

std::size_t field_count(const Batch& batch, std::size_t row) {
  for (const RaggedRecord& ragged : batch.ragged()) {
    if (ragged.row == row) return ragged.fields;
  }
  return batch.columns();
}

void collect(const Batch& batch, const Dialect& dialect, Reading& reading) {
  std::string scratch;
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    EXPECT_EQ(batch.row_id(row), static_cast<std::int64_t>(reading.records.size()) + 1);
    NaiveRecord record;
    for (std::size_t column = 0; column < batch.columns(); ++column) {
      const Field field = batch.field(row, column);
      record.fields.push_back({std::string(unescape(field, dialect, scratch)), field.quoted});
    }
    record.as_written = batch.record(row);
    record.fault = fault_of(batch, row);
    record.offset = batch.offset(row);
    record.line = batch.line(row);
    reading.records.push_back(std::move(record));
    reading.field_counts.push_back(field_count(batch, row));
  }
}

Reading read_all(ByteSource& source, const ReaderOptions& options) {
  Reading reading;
  Reader reader(source, options);
  Batch batch;
  for (;;) {
    const Result<bool> more = reader.next(batch);
    if (!more) reading.error = more.error();
    if (!more || !*more) break;
    EXPECT_GT(batch.rows(), 0U);
    collect(batch, options.dialect, reading);
  }
  reading.rows = reader.row() - options.first_row;
  reading.end_line = reader.line();
  reading.end_offset = reader.offset();
  return reading;
}

Reading read_text(std::string_view text, const ReaderOptions& options = {}) {
  MemorySource source(text);
  return read_all(source, options);
}

// What the naive reader's records look like in a table of a fixed width.
std::vector<NaiveRecord> fitted(std::vector<NaiveRecord> records, std::size_t columns) {
  for (NaiveRecord& record : records) record.fields.resize(columns);
  return records;
}

std::vector<std::string> texts(const NaiveRecord& record) {
  std::vector<std::string> result;
  for (const NaiveField& field : record.fields) result.push_back(field.text);
  return result;
}

using Texts = std::vector<std::string>;

void expect_same(const std::string& text, const ReaderOptions& options, const NaiveFile& expected) {
  const Reading reading = read_text(text, options);
  ASSERT_FALSE(reading.error) << reading.error->message;
  const std::size_t columns = expected.records.empty() ? 0 : expected.records[0].fields.size();
  ASSERT_EQ(reading.records.size(), expected.records.size());
  const auto fitting = fitted(expected.records, columns);
  for (std::size_t row = 0; row < fitting.size(); ++row) {
    SCOPED_TRACE(row);
    EXPECT_EQ(texts(reading.records[row]), texts(fitting[row]));
    EXPECT_EQ(reading.records[row].as_written, fitting[row].as_written);
    EXPECT_EQ(reading.records[row].offset, fitting[row].offset);
    EXPECT_EQ(reading.records[row].line, fitting[row].line);
    EXPECT_EQ(reading.records[row].fault, fitting[row].fault);
    ASSERT_EQ(reading.records[row], fitting[row]);
    ASSERT_EQ(reading.field_counts[row], expected.records[row].fields.size());
  }
  EXPECT_EQ(reading.rows, static_cast<std::int64_t>(expected.records.size()));
  EXPECT_EQ(reading.end_line, expected.end_line);
  EXPECT_EQ(reading.end_offset, text.size());
}

TEST(Reader, ReadsQuotesDoubledQuotesAndInnerLineEnds) {
  const Reading reading = read_text("a,b\n\"x,y\",\"say \"\"hi\"\"\"\r\n\"two\nlines\",\n");
  ASSERT_EQ(reading.records.size(), 3U);
  EXPECT_EQ(texts(reading.records[1]), (Texts{"x,y", "say \"hi\""}));
  EXPECT_EQ(texts(reading.records[2]), (Texts{"two\nlines", ""}));
  EXPECT_EQ(reading.records[2].line, 3);
  EXPECT_EQ(reading.end_line, 5);
}

TEST(Reader, SkipsByteOrderMarkOnlyAtTheStartOfTheFile) {
  const std::string text = "\xEF\xBB\xBF\"a\",b\n";
  const Reading whole = read_text(text);
  EXPECT_EQ(texts(whole.records.at(0)), (Texts{"a", "b"}));
  EXPECT_EQ(whole.records.at(0).offset, 3U);
  ReaderOptions later;
  later.first_offset = 100;
  const Reading part = read_text(text, later);
  EXPECT_EQ(part.records.at(0).fault, "stray_quote");
  EXPECT_EQ(part.records.at(0).offset, 100U);
}

TEST(Reader, BlankLinesAreNoRecordsButAQuotedEmptyFieldIs) {
  const Reading reading = read_text("\n\r\na\n\n\"\"\n\r\nb");
  ASSERT_EQ(reading.records.size(), 3U);
  EXPECT_EQ(reading.records[0].line, 3);
  EXPECT_EQ(reading.records[1].line, 5);
  EXPECT_TRUE(reading.records[1].fields[0].quoted);
  EXPECT_EQ(reading.records[2].line, 7);
}

TEST(Reader, CommentsAreNoRecordsButCountAsLines) {
  ReaderOptions options;
  options.dialect.comment = '#';
  const std::string text = "# \"open,1\na,b\n#\n\n##,,\"\r\n1,#2\n\"#3\",\"x\n# no comment\"\n# the end";
  for (const bool vectorised : {true, false}) {
    for (const std::size_t block : {1, 7, 20, 1000}) {
      options.vectorised = vectorised;
      options.block_bytes = block;
      const Reading reading = read_text(text, options);
      ASSERT_EQ(reading.records.size(), 3U);
      EXPECT_EQ(texts(reading.records[0]), (Texts{"a", "b"}));
      EXPECT_EQ(reading.records[0].line, 2);
      EXPECT_EQ(texts(reading.records[1]), (Texts{"1", "#2"}));
      EXPECT_EQ(reading.records[1].line, 6);
      EXPECT_EQ(texts(reading.records[2]), (Texts{"#3", "x\n# no comment"}));
      EXPECT_EQ(reading.end_line, 9);
      EXPECT_EQ(reading.end_offset, text.size());
    }
  }
  options.dialect.comment = 0;
  EXPECT_EQ(read_text("#a,b\n1,2\n", options).records.size(), 2U);
}

TEST(Reader, ACommentMayBeLongerThanAnyRecord) {
  for (const std::string line_end : {"\n", "\r\n"}) {
    for (const std::size_t block : {1, 64, 1000}) {
      ReaderOptions options;
      options.dialect.comment = '#';
      options.block_bytes = block;
      options.max_record_bytes = 20;
      const std::string comment = "#" + std::string(500, 'x') + line_end;
      const Reading reading = read_text(comment + "a,b" + line_end + comment + "1,2" + line_end + comment, options);
      EXPECT_FALSE(reading.error);
      ASSERT_EQ(reading.records.size(), 2U);
      EXPECT_EQ(reading.records[1].line, 4);
    }
  }
}

TEST(Reader, LineEndsInsideQuotesAreNoLinesWhereRowsAre) {
  ReaderOptions options;
  options.dialect.rows_are_lines = true;
  for (const bool vectorised : {true, false}) {
    options.vectorised = vectorised;
    const Reading reading = read_text("a,\"b\nc\"\r\n\r\n\"d\n\n\",e\r\nf,g\r\n", options);
    ASSERT_EQ(reading.records.size(), 3U);
    EXPECT_EQ(reading.records[1].line, 3);
    EXPECT_EQ(reading.records[2].line, 4);
    EXPECT_EQ(reading.end_line, 5);
  }
}

TEST(Reader, RaggedRecordsKeepTheirWidthAndText) {
  const Reading reading = read_text("a,b,c\n1\n1,2,3,4\n1,2,3\n");
  EXPECT_EQ(reading.field_counts, (std::vector<std::size_t>{3, 1, 4, 3}));
  EXPECT_EQ(texts(reading.records[1]), (Texts{"1", "", ""}));
  EXPECT_EQ(texts(reading.records[2]), (Texts{"1", "2", "3"}));
  EXPECT_EQ(reading.records[2].as_written, "1,2,3,4");
}

TEST(Reader, FaultsAreNamedAndStayInTheirRecord) {
  const Reading reading = read_text("a,b\n5\" pipe,1\n\"x\"y,2\n3,4\n\"open,5\n");
  ASSERT_EQ(reading.records.size(), 5U);
  EXPECT_EQ(reading.records[1].fault, "stray_quote");
  EXPECT_EQ(texts(reading.records[1]), (Texts{"5\" pipe", "1"}));
  EXPECT_EQ(reading.records[2].fault, "text_after_quote");
  EXPECT_EQ(texts(reading.records[2]), (Texts{"\"x\"y", "2"}));
  EXPECT_EQ(reading.records[3].fault, "");
  EXPECT_EQ(reading.records[4].fault, "unterminated_quote");
  EXPECT_EQ(reading.records[4].fields[0].text, "open,5\n");
  EXPECT_EQ(reading.records[4].as_written, "\"open,5\n");
}

TEST(Reader, EmptyAndBlankInputsHaveNoRecords) {
  for (const std::string text : {"", "\n", "\r\n\r\n", "\xEF\xBB\xBF", "\r"}) {
    const Reading reading = read_text(text);
    EXPECT_TRUE(reading.records.empty()) << text;
    EXPECT_EQ(reading.end_offset, text.size());
  }
}

TEST(Reader, NulIsAnOrdinaryByte) {
  const std::string text("a\0b,\0\n", 6);
  const Reading reading = read_text(text);
  EXPECT_EQ(texts(reading.records.at(0)), (Texts{std::string("a\0b", 3), std::string(1, '\0')}));
}

TEST(Reader, PositionsCountFromTheGivenStart) {
  ReaderOptions options;
  options.first_row = 70;
  options.first_line = 90;
  options.first_offset = 5000;
  MemorySource source("a,b\n\nc,d\n");
  Reader reader(source, options);
  Batch batch;
  ASSERT_TRUE(reader.next(batch).value());
  EXPECT_EQ(batch.row_id(1), 71);
  EXPECT_EQ(batch.line(1), 92);
  EXPECT_EQ(batch.offset(1), 5005U);
  EXPECT_EQ(batch.block(), "a,b\n\nc,d\n");
  EXPECT_EQ(reader.row(), 72);
  EXPECT_EQ(reader.line(), 93);
  EXPECT_EQ(reader.offset(), 5009U);
  EXPECT_FALSE(reader.next(batch).value());
}

TEST(Reader, RefusesARecordThatIsTooLongWhateverTheBlock) {
  const std::string text = "a,b\n1,2\n\n3,\"never\nclosed" + std::string(500, 'x');
  for (const std::size_t block : {1, 10, 100, 1000, 100000}) {
    ReaderOptions options;
    options.block_bytes = block;
    options.max_record_bytes = 100;
    const Reading reading = read_text(text, options);
    ASSERT_TRUE(reading.error);
    EXPECT_EQ(reading.records.size(), 2U);
    EXPECT_EQ(reading.error->code, "record_too_long");
    EXPECT_EQ(
        reading.error->message,
        "the record that starts on line 4 (row 3, byte 9) is longer than 100 bytes: the quote opened on line 4 is "
        "not closed before that");
  }
}

TEST(Reader, TheLongestRecordMayBeAsLongAsTheLimit) {
  for (const std::string end : {"", "\n", "\r\n", "\r"}) {
    for (const std::size_t length : {99, 100, 101}) {
      for (const std::size_t block : {1, 64, 101, 1000}) {
        ReaderOptions options;
        options.block_bytes = block;
        options.max_record_bytes = 100;
        EXPECT_EQ(read_text(std::string(length, 'x') + end, options).error.has_value(), length > 100);
        EXPECT_EQ(read_text("h\n" + std::string(length, 'x') + end, options).error.has_value(), length > 100);
      }
    }
  }
}

TEST(Reader, RefusesTooManyColumns) {
  for (const std::size_t block : {1, 100000}) {
    ReaderOptions options;
    options.block_bytes = block;
    const Reading reading = read_text("\n" + std::string(9999, ',') + "\n", options);
    ASSERT_TRUE(reading.error);
    EXPECT_EQ(reading.error->code, "too_many_columns");
    EXPECT_EQ(reading.error->message, "the first record (line 2) has 10000 fields; at most 4096 are accepted");
  }
}

TEST(Reader, RefusesADialectThatCannotBeTold) {
  for (const Dialect dialect :
       {Dialect{.delimiter = '\n'}, Dialect{.delimiter = '"'}, Dialect{.quote = '\r'}, Dialect{.escape = ','},
        Dialect{.escape = '\n'}, Dialect{.comment = '\n'}, Dialect{.comment = ','}, Dialect{.comment = '"'}}) {
    ReaderOptions options;
    options.dialect = dialect;
    const Reading reading = read_text("a\n", options);
    ASSERT_TRUE(reading.error);
    EXPECT_EQ(reading.error->code, "dialect_invalid");
  }
}

TEST(Reader, PassesOnTheErrorOfItsSourceAndEnds) {
  BrokenSource source;
  Reader reader(source, {});
  Batch batch;
  EXPECT_EQ(reader.next(batch).error().code, "disk_gone");
  EXPECT_FALSE(reader.next(batch).value());
}

TEST(Reader, ShortWideRecordsDoNotMultiplyMemory) {
  std::string text = std::string(4000, ',') + "\n";
  for (int line = 0; line < 20000; ++line) text += "x\n";
  MemorySource source(text);
  Reader reader(source, {});
  Batch batch;
  std::size_t rows = 0;
  while (reader.next(batch).value()) {
    EXPECT_LE(batch.rows() * batch.columns(), 256U * 1024);
    rows += batch.rows();
  }
  EXPECT_EQ(rows, 20001U);
}

TEST(Reader, ASourceThatDeliversLittleChangesNothing) {
  CsvGenerator generator(7);
  const std::string text = generator.text({}, 200);
  SlowSource source(text, 3);
  EXPECT_EQ(read_all(source, {}).records, read_text(text).records);
}

// Every block size cuts the text at other places.
TEST(Reader, AgreesWithTheNaiveReaderForEveryBlockSize) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CsvGenerator generator(seed);
    const Dialect dialect = generator.dialect();
    const std::string text = generator.text(dialect, 12);
    const NaiveFile expected = read_naively(text, dialect);
    for (std::size_t block = 1; block <= 200; ++block) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " block " << block);
      ReaderOptions options;
      options.dialect = dialect;
      options.block_bytes = block;
      options.vectorised = block % 3 != 0;
      ASSERT_NO_FATAL_FAILURE(expect_same(text, options, expected));
    }
  }
}

TEST(Reader, AgreesWithTheNaiveReaderOnManyTexts) {
  for (std::uint64_t seed = 1000; seed < 3000; ++seed) {
    CsvGenerator generator(seed);
    ReaderOptions options;
    options.dialect = generator.dialect();
    if (seed % 2 == 0) options.dialect = {};
    options.block_bytes = 1 + seed % 5000;
    const std::string text = generator.text(options.dialect, seed % 60);
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    ASSERT_NO_FATAL_FAILURE(expect_same(text, options, read_naively(text, options.dialect)));
  }
}

// The same machine plays older ones: the compiled instruction sets are switched off one by one, best first.
TEST(Reader, AgreesWithTheNaiveReaderOnEveryInstructionSet) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t left = all; left != 0; left &= left - 1) {
    // Asking for the supported targets chooses among all of them in this version: choose afterwards.
    hwy::GetChosenTarget().Update(left);
    SCOPED_TRACE(hwy::TargetName(left & -left));
    EXPECT_EQ(can_scan(), (left & -left & (HWY_SCALAR | HWY_EMU128)) == 0);
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      CsvGenerator generator(seed);
      ReaderOptions options;
      if (seed % 8 == 0) options.dialect.quote = 0;
      if (seed % 5 == 0) options.dialect.comment = '#';
      options.dialect.rows_are_lines = seed % 7 == 0;
      options.block_bytes = 1 + seed * 50;
      const std::string text = generator.text(options.dialect, 50);
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      ASSERT_NO_FATAL_FAILURE(expect_same(text, options, read_naively(text, options.dialect)));
    }
  }
  hwy::GetChosenTarget().Update(all);
}

}  // namespace
}  // namespace lade::csv
