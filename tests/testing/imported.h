#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "jobs/import.h"
#include "testing/analysed.h"
#include "testing/database_test.h"
#include "testing/naive_csv.h"
#include "testing/temporary_folder.h"

namespace lade::testing {

// Whole imports by the API, in a folder of their own.
class ImportTest : public DatabaseTest {
 protected:
  ImportTest() {
    options.database = database.url();
    options.data = folder / "data";
    options.results_folder = folder / "results";
    options.workers = 2;
  }

  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return (folder / name).string();
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Runs the import; the counts always add up.
  jobs::Summary import(std::string_view csv, std::string_view yaml, std::stop_token stop = {}) {
    jobs::Progress progress;
    auto summary = jobs::run_import(write("input.csv", csv), definition_of(yaml), std::string(yaml), options, progress,
                                    std::move(stop));
    EXPECT_OK(summary);
    if (!summary) return {};
    EXPECT_TRUE(summary->rows.conserved()) << jobs::to_json(*summary);
    return std::move(*summary);
  }
  // "read 3 inserted 2 failed 1": what is not zero.
  static std::string counts(const jobs::Summary& summary) {
    std::string text = "read " + std::to_string(summary.rows.read);
    using model::Outcome;
    for (const Outcome outcome : {Outcome::inserted, Outcome::updated, Outcome::unchanged, Outcome::skipped,
                                  Outcome::failed, Outcome::unprocessed})
      if (summary.rows[outcome] != 0)
        text += " " + std::string(model::to_string(outcome)) + " " + std::to_string(summary.rows[outcome]);
    return text;
  }
  // Every row of a query as text, joined by '|', sorted.
  std::vector<std::string> content(const std::string& sql) {
    auto rows = connection->query(sql);
    EXPECT_OK(rows);
    std::vector<std::string> lines;
    if (!rows) return lines;
    for (const db::Row& row : *rows) {
      std::string& line = lines.emplace_back();
      for (const db::Value& value : row) {
        if (&value != &row.front()) line += '|';
        if (const auto* text = std::get_if<std::string>(&value)) line += *text;
        if (const auto* number = std::get_if<std::int64_t>(&value)) line += std::to_string(*number);
        if (const auto* real = std::get_if<double>(&value)) line += std::to_string(*real);
        if (std::holds_alternative<std::monostate>(value)) line += "NULL";
      }
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  // The records of a result file by the row they stand for, without header and the columns that lade adds.
  static std::map<std::int64_t, std::vector<std::string>> records(const std::string& path) {
    std::map<std::int64_t, std::vector<std::string>> found;
    if (path.empty()) return found;
    const NaiveFile file = read_naively(text_of(path), {});
    for (std::size_t i = 1; i < file.records.size(); ++i) {
      std::vector<std::string> fields;
      for (const NaiveField& field : file.records[i].fields) fields.push_back(field.text);
      EXPECT_EQ(fields.size(), file.records[0].fields.size());
      const std::int64_t row = std::stoll(fields[fields.size() - 3]);
      fields.resize(fields.size() - 3);
      EXPECT_TRUE(found.emplace(row, fields).second) << "row " << row << " stands twice in " << path;
    }
    return found;
  }

  TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  jobs::ImportOptions options;
};

}  // namespace lade::testing
