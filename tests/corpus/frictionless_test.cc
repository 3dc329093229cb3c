// The packages of frictionless-datasets: a definition is drafted from each schema, and a dry run on SQLite judges the
// table. frictionless.txt has the outcome of each, and why where the fault is not in the table. The data are not part
// of the repository: the test runs where the folder is (see corpus_test.cc).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "db/connection.h"
#include "definition/parse.h"
#include "drafting/from_schema.h"
#include "jobs/import.h"
#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct Outcome {
  std::string package;  // folder below packages/
  std::string file;
  std::string outcome;  // accepted; the code of an error; how many rows were refused, and by which codes
  std::string why;      // of the table only: by design, or not in the table

  std::string line() const { return fmt::format("{} | {} | {}", package, file, outcome); }
};

fs::path source_folder() {
  const char* source = std::getenv("LADE_SOURCE_DIR");
  return source != nullptr ? fs::path(source) : fs::path(".");
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string sql_type(const definition::Type& type) {
  switch (type.kind) {
    case definition::TypeKind::integer: return "integer";
    case definition::TypeKind::decimal: return "numeric";
    case definition::TypeKind::boolean: return "boolean";
    case definition::TypeKind::date: return "date";
    case definition::TypeKind::timestamp: return "timestamp";
    default: return "text";
  }
}

// A table that the definition loads into.
std::string table_for(const definition::Definition& definition) {
  const definition::LoadEntry& entry = definition.load.front();
  std::vector<std::string> parts;
  for (const definition::DataColumn& column : definition.columns)
    parts.push_back(fmt::format("\"{}\" {}", column.name, sql_type(column.type)));
  if (!entry.key.empty()) parts.push_back(fmt::format("PRIMARY KEY (\"{}\")", fmt::join(entry.key, "\", \"")));
  return fmt::format("CREATE TABLE \"{}\" ({})", entry.table, fmt::join(parts, ", "));
}

std::string outcome_of(const jobs::Summary& summary) {
  const std::int64_t failed = summary.rows[model::Outcome::failed];
  if (failed == 0) return fmt::format("accepted, {} rows", summary.rows.read);
  std::set<std::string> codes;
  for (const auto& [key, count] : summary.issues) codes.insert(key.first);
  return fmt::format("{} of {} rows refused: {}", failed, summary.rows.read, fmt::join(codes, ", "));
}

// The outcome of one file by its schema.
Result<std::string> judge(const fs::path& file, const std::string& schema) {
  LADE_ASSIGN(const drafting::Draft draft, drafting::draft_from_schema(schema, file.string(), ""));
  const std::string yaml = drafting::to_yaml(draft);
  const definition::Parsed parsed = definition::parse_definition(yaml);
  if (!parsed.valid()) return fail("draft_invalid", yaml + definition::describe(parsed.faults, "draft"));
  testing::TemporaryFolder folder;
  jobs::ImportOptions options;
  options.database = "sqlite:" + (folder.path() / "target.db").string();
  options.data = folder.path() / "data";
  options.dry_run = true;
  options.workers = 1;
  LADE_ASSIGN(const auto connection, db::connect(options.database));
  LADE_TRY(connection->run(table_for(parsed.definition)));
  jobs::Progress progress;
  LADE_ASSIGN(const jobs::Summary summary,
              jobs::run_import(file.string(), parsed.definition, yaml, options, progress, {}));
  return outcome_of(summary);
}

std::vector<Outcome> outcomes_of(const fs::path& package, const std::string& name) {
  const std::string schema = content_of(package / "datapackage.json");
  boost::system::error_code error;
  const json::value document = json::parse(schema, error);
  std::vector<std::string> paths;
  if (!error)
    for (const json::value& resource : document.at("resources").as_array())
      if (const json::value* path = resource.as_object().if_contains("path")) paths.emplace_back(path->as_string());
  if (paths.empty()) paths.emplace_back("-");
  std::vector<Outcome> outcomes;
  for (const std::string& path : paths) {
    const bool remote = path.starts_with("https://");
    const auto judged = remote ? Result<std::string>("remote") : judge(package / path, schema);
    outcomes.push_back({name, remote ? "(an address)" : path, judged ? *judged : judged.error().code, ""});
  }
  return outcomes;
}

std::vector<Outcome> expected() {
  std::vector<Outcome> outcomes;
  std::istringstream lines(content_of(source_folder() / "tests" / "corpus" / "frictionless.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(" | ", at), line.size());
      parts.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    parts.resize(4);
    outcomes.push_back({parts[0], parts[1], parts[2], parts[3]});
  }
  return outcomes;
}

TEST(Frictionless, EveryPackageHasTheRecordedOutcome) {
  const char* given = std::getenv("LADE_CORPORA");
  const fs::path folder =
      (given != nullptr ? fs::path(given) : source_folder() / "../shared/corpora") / "frictionless-datasets/packages";
  if (!fs::is_directory(folder))
    GTEST_SKIP() << "no corpora at " << folder << " (set LADE_CORPORA): nothing was checked";
  std::vector<std::string> found, wanted;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().filename() == "datapackage.json")
      for (const Outcome& one :
           outcomes_of(entry.path().parent_path(), fs::relative(entry.path().parent_path(), folder).string()))
        found.push_back(one.line());
  for (const Outcome& one : expected()) wanted.push_back(one.line());
  std::sort(found.begin(), found.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(found, wanted);
}

// What must fail fails, what must pass passes, or the table says why not.
TEST(Frictionless, TheTableIsRight) {
  const std::vector<Outcome> outcomes = expected();
  EXPECT_FALSE(outcomes.empty());
  for (const Outcome& one : outcomes) {
    const bool accepted = one.outcome.starts_with("accepted");
    const bool must_fail = one.package.starts_with("invalid-");
    EXPECT_TRUE(accepted != must_fail || !one.why.empty()) << one.line();
  }
}

}  // namespace
}  // namespace lade
