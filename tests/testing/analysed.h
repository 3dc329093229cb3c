#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyser.h"
#include "csv/reader.h"
#include "definition/parse.h"
#include "testing/results.h"

// Definitions and rows for the tests of what comes after the source: YAML and CSV text in, analysed rows out.
namespace lade::testing {

// The definition of a YAML text that must be valid. "lade: 1" and a name are added.
inline definition::Definition definition_of(std::string_view yaml) {
  auto parsed = definition::parse_definition("lade: 1\ndefinition: test\n" + std::string(yaml));
  EXPECT_TRUE(parsed.valid()) << yaml << "\n" << definition::describe(parsed.faults, "test");
  return std::move(parsed.definition);
}

struct AnalysedRow {
  std::string key;
  std::int64_t row_id = 0;
  std::string tuple;
  bool operator==(const AnalysedRow&) const = default;
};

struct FoundIssue {
  std::int64_t row_id = 0;
  std::int64_t line = 0;
  std::uint64_t offset = 0;
  model::Issue issue;
};

// "2 not_a_date born (1.2.2020)": what a test compares.
inline std::string to_string(const FoundIssue& found) {
  std::string text =
      std::to_string(found.row_id) + (found.issue.severity == model::Severity::warning ? " warning " : " ");
  text += found.issue.code;
  if (!found.issue.column.empty()) text += " " + found.issue.column;
  if (!found.issue.value.empty()) text += " (" + found.issue.value + ")";
  return text;
}

class CollectingSink final : public analysis::AnalysisSink {
 public:
  Result<void> row(const analysis::AnalysedRow& row) override {
    rows.push_back({std::string(row.key), row.row_id, std::string(row.tuple)});
    return {};
  }
  Result<void> note(const analysis::AnalysedRow& noted) override {
    notes.push_back({std::string(noted.key), noted.row_id, std::string(noted.tuple)});
    return {};
  }
  Result<void> issue(const model::Issue& issue, std::int64_t row_id, std::int64_t line, std::uint64_t offset) override {
    issues.push_back({row_id, line, offset, issue});
    return {};
  }
  void failed_row() override { ++failed; }

  std::vector<std::string> issue_texts() const {
    std::vector<std::string> texts;
    for (const FoundIssue& found : issues) texts.push_back(to_string(found));
    return texts;
  }

  std::vector<AnalysedRow> rows;
  std::vector<AnalysedRow> notes;
  std::vector<FoundIssue> issues;
  std::int64_t failed = 0;
};

// The header of a CSV text, which is its first line.
inline std::vector<std::string> header_of(std::string_view csv) {
  std::vector<std::string> names;
  std::string_view line = csv.substr(0, csv.find('\n'));
  for (;;) {
    const auto comma = line.find(',');
    names.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    line.remove_prefix(comma + 1);
  }
}

struct AnalyseSettings {
  std::size_t batch_rows = 4096;
  std::size_t block_bytes = 256 * 1024;
  std::int64_t lookup_rows = 500'000;  // 0: every lookup is probed
  csv::Dialect dialect;
};

// Analyses the CSV text behind its header line.
inline CollectingSink analyse(const analysis::Program& program, std::string_view csv, db::Connection& connection,
                              AnalyseSettings settings = {}) {
  analysis::LookupMaps maps;
  for (const analysis::LookupProgram& lookup : program.lookups) {
    const auto& type = program.columns[static_cast<std::size_t>(lookup.column)].type;
    auto map = analysis::load_lookup(lookup, type, connection, settings.lookup_rows);
    EXPECT_OK(map);
    maps.push_back(std::move(*map));
  }
  const std::size_t header_bytes = csv.find('\n') + 1;
  MemorySource source(csv.substr(header_bytes));
  csv::ReaderOptions options;
  options.dialect = settings.dialect;
  options.columns = program.header.size();
  options.block_bytes = settings.block_bytes;
  options.first_offset = header_bytes;
  options.first_line = 2;
  csv::Reader reader(source, options);
  analysis::Analyser analyser(program, maps, &connection,
                              {settings.dialect, settings.batch_rows, program.definition.partition});
  CollectingSink sink;
  csv::Batch batch;
  for (;;) {
    const auto more = reader.next(batch);
    EXPECT_OK(more);
    if (!more || !*more) return sink;
    EXPECT_OK(analyser.analyse(batch, sink));
  }
}

}  // namespace lade::testing
