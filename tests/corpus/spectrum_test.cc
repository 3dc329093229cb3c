// The tables of csv-spectrum, whose rows are known.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "corpus/corpus.h"
#include "csv/reader.h"
#include "source/input.h"

namespace lade {
namespace {

namespace fs = std::filesystem;

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
    const auto input = source::open_input(entry.path(), fs::temp_directory_path(), text.size());
    options.dialect = source::recognise(input.value(), {}).value().dialect;
    EXPECT_EQ(read_table(text, options).value(), expected);
    ++cases;
  }
  EXPECT_EQ(cases, 12U);
}

}  // namespace
}  // namespace lade
