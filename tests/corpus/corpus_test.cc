// Reads the tables that other projects test their readers with. They are not part of the repository: the tests run
// where the folder is ($LADE_CORPORA, or shared/corpora beside the source) and say so where it is not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "csv/reader.h"
#include "csv/split.h"
#include "source/sniff.h"

namespace lade {
namespace {

namespace fs = std::filesystem;

class Corpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("LADE_CORPORA");
    const char* source = std::getenv("LADE_SOURCE_DIR");
    folder_ = given != nullptr ? fs::path(given) : fs::path(source != nullptr ? source : ".") / "../shared/corpora";
    if (!fs::is_directory(folder_)) {
      GTEST_SKIP() << "no corpora at " << folder_ << " (set LADE_CORPORA): nothing was checked";
    }
  }

  fs::path folder_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Table = std::vector<std::vector<std::string>>;

Result<Table> read_table(std::string_view text, const csv::ReaderOptions& options) {
  MemorySource source(text);
  csv::Reader reader(source, options);
  csv::Batch batch;
  Table table;
  std::string scratch;
  for (;;) {
    LADE_ASSIGN(const bool more, reader.next(batch));
    if (!more) return table;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      auto& record = table.emplace_back();
      for (std::size_t column = 0; column < batch.columns(); ++column) {
        record.emplace_back(csv::unescape(batch.field(row, column), options.dialect, scratch));
      }
    }
  }
}

// The rows of csv-spectrum's json files, with the header first. One of them is a single object.
Table expected_table(const fs::path& path) {
  boost::json::parse_options options;
  options.allow_invalid_utf8 = true;
  const auto value = boost::json::parse(content_of(path), {}, options);
  const boost::json::array rows = value.is_array() ? value.as_array() : boost::json::array{value};
  Table table(1);
  for (const auto& [name, cell] : rows.at(0).as_object()) table[0].emplace_back(name);
  for (const auto& row : rows) {
    auto& record = table.emplace_back();
    for (const auto& [name, cell] : row.as_object()) record.emplace_back(cell.as_string());
  }
  return table;
}

TEST_F(Corpus, CsvSpectrumGivesTheExpectedRows) {
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "csv-spectrum/csvs")) {
    SCOPED_TRACE(entry.path().filename());
    const std::string text = content_of(entry.path());
    Table expected = expected_table(folder_ / "csv-spectrum/json" / entry.path().stem().concat(".json"));
    // Upstream's expectation has another phone number than its table.
    if (entry.path().stem() == "location_coordinates") expected.at(1).at(0) = "2095257564";
    csv::ReaderOptions options;
    EXPECT_EQ(read_table(text, options).value(), expected);
    options.dialect = source::sniff_csv(text).value().dialect;
    EXPECT_EQ(read_table(text, options).value(), expected);
    ++cases;
  }
  EXPECT_EQ(cases, 12U);
}

bool is_table(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

// Every way of reading must give the same rows.
void expect_one_reading(const std::string& text, csv::ReaderOptions options, const Table& expected) {
  options.vectorised = false;
  EXPECT_EQ(read_table(text, options).value(), expected);
  options.vectorised = true;
  options.block_bytes = 100;
  EXPECT_EQ(read_table(text, options).value(), expected);
  MemorySource source(text);
  const auto split = csv::split(source, options, 1000);
  EXPECT_EQ(split.value().rows, static_cast<std::int64_t>(expected.size()));
}

TEST_F(Corpus, EveryTableIsReadOrRefusedClearly) {
  std::size_t read = 0;
  std::size_t rows = 0;
  std::map<std::string, std::size_t> refused;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file() || !is_table(entry.path())) continue;
    SCOPED_TRACE(entry.path());
    const std::string text = content_of(entry.path());
    const auto sniffed = source::sniff_csv(std::string_view(text).substr(0, 256 * 1024));
    if (!sniffed) {
      EXPECT_FALSE(sniffed.error().message.empty());
      EXPECT_FALSE(sniffed.error().hint.empty());
      ++refused[sniffed.error().code];
      continue;
    }
    csv::ReaderOptions options;
    options.dialect = sniffed->dialect;
    const auto table = read_table(text, options);
    if (!table) {
      EXPECT_FALSE(table.error().hint.empty());
      ++refused[table.error().code];
      continue;
    }
    expect_one_reading(text, options, *table);
    ++read;
    rows += table->size();
  }
  fmt::print("{} tables read, {} rows", read, rows);
  for (const auto& [code, count] : refused) fmt::print("; {} refused with {}", count, code);
  fmt::print("\n");
  EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace lade
