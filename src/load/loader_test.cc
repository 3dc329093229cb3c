// Every strategy against a plain model of a table, with random rows, for every kind of key.
#include "load/loader.h"

#include <fmt/format.h>

#include "testing/database_test.h"
#include "testing/staged.h"

namespace lade::load {
namespace {

using model::Outcome;

struct Stored {
  std::string name, amount;  // "" is NULL
  std::string extra;         // not mapped
  bool operator==(const Stored&) const = default;
};
using Content = std::map<std::string, Stored>;  // by the key's text

struct FileRow {
  std::string key, name, amount;
};

// One kind of key: its columns, its type, and the key that stands for a number.
struct KeyKind {
  const char* sqlite;
  const char* postgresql;
  const char* type;
  std::string (*key)(int);
};

const KeyKind kKinds[] = {
    {"INTEGER", "integer", "integer", [](int n) { return std::to_string(n * 37 - 300); }},
    {"INTEGER", "bigint", "integer", [](int n) { return std::to_string(n * 1'000'000'007LL - 5'000'000'000LL); }},
    {"TEXT", "text", "text", [](int n) { return fmt::format("{}k-{}", n % 3 == 0 ? "Ä" : "z", n); }},
    {"TEXT", "varchar(30) COLLATE \"C\"", "text", [](int n) { return fmt::format("k{}é", n * 7 % 101); }},
    {"TEXT", "text COLLATE \"C\"", "integer", [](int n) { return std::to_string(n * 3 - 20); }},
    {"TEXT", "text COLLATE \"C\"", "decimal(12,2)", [](int n) { return fmt::format("{}.{:02}", n - 10, n % 100); }},
    {"NUMERIC", "numeric(12,2)", "decimal(12,2)", [](int n) { return fmt::format("{}.25", n * 9 - 40); }},
    {"REAL", "double precision", "decimal(12,2)", [](int n) { return fmt::format("{}.5", n * 1000); }},
    {"TEXT", "text COLLATE \"C\"", "timestamp",
     [](int n) { return fmt::format("2024-01-01T00:00:{:02}{}Z", n % 60, n % 2 == 0 ? "" : ".500000"); }},
    {"TEXT", "timestamptz", "timestamp", [](int n) { return fmt::format("2024-01-{:02}T10:00:00Z", 1 + n % 31); }},
    {"TEXT", "date", "date", [](int n) { return fmt::format("2024-{:02}-{:02}", 1 + n % 12, 1 + n % 28); }},
    {"TEXT", "uuid", "uuid",
     [](int n) {
       return fmt::format("{:08x}-0000-4000-8000-00000000000{}", static_cast<unsigned>(n) * 2654435761u, n % 10);
     }},
    {"CHARACTER(12)", "character(12)", "text", [](int n) { return fmt::format("c{}", n); }},
};

class LoaderTest : public testing::DatabaseTest {
 protected:
  void make_table(const KeyKind& kind) {
    ASSERT_OK(
        connection->run(fmt::format("DROP TABLE IF EXISTS item; CREATE TABLE item (k {} PRIMARY KEY, name {}, amount "
                                    "integer, extra text DEFAULT 'fresh')",
                                    pick(kind.sqlite, kind.postgresql), pick("TEXT", "varchar(40)"))));
  }
  void store(const Content& content) {
    ASSERT_OK(connection->run("BEGIN"));
    for (const auto& [key, row] : content) {
      const auto text = [](const std::string& value) { return value.empty() ? db::Value() : db::Value(value); };
      const std::vector<db::Value> values{key, text(row.name), text(row.amount), text(row.extra)};
      auto stored =
          connection->execute(is_sqlite() ? "INSERT INTO item VALUES ($1, $2, $3, $4)" : insert_postgresql_, values);
      ASSERT_OK(stored);
    }
    ASSERT_OK(connection->run("COMMIT"));
  }
  Content content(const KeyKind& kind) {
    auto rows = connection->query("SELECT CAST(k AS text), name, CAST(amount AS text), extra FROM item");
    EXPECT_OK(rows);
    const auto text = [](const db::Value& value) {
      return std::holds_alternative<std::string>(value) ? std::get<std::string>(value) : std::string();
    };
    Content found;
    for (const db::Row& row : *rows) found[canonical(kind, text(row[0]))] = {text(row[1]), text(row[2]), text(row[3])};
    return found;
  }
  // The databases show some keys in their own way.
  static std::string canonical(const KeyKind& kind, std::string text) {
    if (std::string_view(kind.type) == "timestamp") {
      std::replace(text.begin(), text.end(), ' ', 'T');
      if (text.ends_with("+00")) text.replace(text.size() - 3, 3, "Z");
    }
    return text;
  }
  void run(const KeyKind& kind, const std::string& strategy, std::uint64_t seed, std::size_t slice_bytes,
           const std::string& partition);

  std::string insert_postgresql_;
};
LADE_ON_BOTH_DATABASES(LoaderTest);

struct Expected {
  Content content;
  std::map<Outcome, std::int64_t> counts;
};

// What each strategy means, said plainly: the last row of a key counts.
Expected model_of(const std::string& strategy, Content content, const std::vector<FileRow>& rows) {
  std::map<std::string, const FileRow*> last;
  std::map<Outcome, std::int64_t> counts;
  for (const FileRow& row : rows) {
    if (last.contains(row.key)) ++counts[Outcome::skipped];
    last[row.key] = &row;
  }
  const bool replaces = strategy == "insert_or_replace" || strategy == "replace_only";
  const bool only_existing = strategy == "replace_only" || strategy == "update_only";
  for (const auto& [key, row] : last) {
    const auto found = content.find(key);
    if (found == content.end()) {
      if (!only_existing) content[key] = {row->name, row->amount, "fresh"};
      ++counts[only_existing ? Outcome::skipped : Outcome::inserted];
      continue;
    }
    Stored next = found->second;
    if (replaces || !row->name.empty()) next.name = row->name;
    if (replaces || !row->amount.empty()) next.amount = row->amount;
    if (strategy == "insert_only") {
      ++counts[Outcome::skipped];
    } else {
      ++counts[next == found->second ? Outcome::unchanged : Outcome::updated];
      found->second = next;
    }
  }
  return {content, counts};
}

void LoaderTest::run(const KeyKind& kind, const std::string& strategy, std::uint64_t seed, std::size_t slice_bytes,
                     const std::string& partition) {
  SCOPED_TRACE(fmt::format("{} key in {}, {}, seed {}, partition {}", kind.type, pick(kind.sqlite, kind.postgresql),
                           strategy, seed, partition));
  std::string cast = kind.postgresql;
  insert_postgresql_ =
      fmt::format("INSERT INTO item VALUES (CAST($1::text AS {}), $2, $3, $4)", cast.substr(0, cast.find(" COLLATE")));
  make_table(kind);
  std::mt19937_64 random(seed);
  const auto cell = [&](const char* prefix) {
    return random() % 4 == 0 ? std::string() : fmt::format("{}{}", prefix, random() % 3);
  };
  Content before;
  for (int i = 0; i < 40; ++i) before[kind.key(static_cast<int>(random() % 60))] = {cell("n"), cell(""), "old"};
  store(before);
  std::vector<FileRow> rows;
  std::string csv = "k,name,amount\n";
  for (int i = 0; i < 60; ++i) {
    rows.push_back({kind.key(static_cast<int>(random() % 60)), cell("n"), cell("")});
    csv += fmt::format("{},{},{}\n", rows.back().key, rows.back().name, rows.back().amount);
  }
  auto program = analysis::bind(
      testing::definition_of(fmt::format("columns: {{k: {{type: \"{}\"}}, name: , amount: {{type: "
                                         "integer}}}}\npartition: {}\nload: [{{table: item, key: k, strategy: {}}}]\n",
                                         kind.type, partition, strategy)),
      testing::header_of(csv), *connection, {});
  ASSERT_OK(program);
  const auto analysed = testing::analyse(**program, csv, *connection);
  ASSERT_EQ(analysed.rows.size(), rows.size());
  const testing::Loaded loaded = testing::load_all(**program, analysed.rows, *connection, slice_bytes, true);
  const Expected expected = model_of(strategy, before, rows);
  for (const Outcome outcome : {Outcome::inserted, Outcome::updated, Outcome::unchanged, Outcome::skipped,
                                Outcome::failed, Outcome::unprocessed}) {
    const auto count = expected.counts.find(outcome);
    EXPECT_EQ(loaded.counts[outcome], count == expected.counts.end() ? 0 : count->second) << to_string(outcome);
  }
  EXPECT_EQ(content(kind), expected.content);
  const testing::Loaded again = testing::load_all(**program, analysed.rows, *connection, slice_bytes);
  EXPECT_EQ(again.counts[Outcome::inserted] + again.counts[Outcome::updated], 0) << "a second load changes nothing";
  EXPECT_EQ(content(kind), expected.content);
}

const char* const kStrategies[] = {"insert_only", "insert_or_replace", "insert_or_update", "replace_only",
                                   "update_only"};

TEST_P(LoaderTest, EveryStrategyDoesWhatItSays) {
  for (const char* strategy : kStrategies)
    for (const std::uint64_t seed : {1, 2})
      run(kKinds[0], strategy, seed, seed == 1 ? 600 : 1 << 20, seed == 1 ? "range" : "hash");
}

TEST_P(LoaderTest, EveryKindOfKeyIsFoundAgain) {
  for (const KeyKind& kind : kKinds) run(kind, "insert_or_update", 7, 1500, "range");
  run(kKinds[2], "insert_or_update", 7, 1500, "hash");
}

TEST_P(LoaderTest, AppendInsertsEveryRow) {
  ASSERT_OK(connection->run("CREATE TABLE item (k integer, name text)"));
  const std::string csv = "k,name\n1,a\n1,a\n2,\n1,b\n";
  auto program = analysis::bind(
      testing::definition_of("columns: {k: {type: integer}, name: }\nload: [{table: item, strategy: append}]\n"),
      testing::header_of(csv), *connection, {});
  ASSERT_OK(program);
  const auto rows = testing::analyse(**program, csv, *connection).rows;
  for (int round = 1; round <= 2; ++round) {
    EXPECT_EQ(testing::load_all(**program, rows, *connection, 1).counts[Outcome::inserted], 4);
    EXPECT_EQ(integer("SELECT count(*) FROM item"), 4 * round);
  }
}

// Few keys far apart in a large table are looked up one by one, many are read as a range: the same is found.
TEST_P(LoaderTest, SparseKeysAndRangesFindTheSame) {
  ASSERT_OK(
      connection->run(pick("CREATE TABLE item (k INTEGER PRIMARY KEY, name TEXT, extra TEXT); WITH RECURSIVE n(i) AS "
                           "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
                           "INSERT INTO item SELECT i * 2, 'n' || i, 'old' FROM n",
                           "CREATE TABLE item (k integer PRIMARY KEY, name text, extra text); INSERT INTO item SELECT "
                           "i * 2, 'n' || i, 'old' FROM generate_series(1, 20000) i; ANALYZE item")));
  std::string csv = "k,name\n";
  for (int i = 0; i < 40; ++i)
    csv += fmt::format("{},{}\n", 1000 * (i + 1) + i % 2, i % 4 == 0 ? fmt::format("n{}", 500 * (i + 1)) : "new");
  auto program =
      analysis::bind(testing::definition_of("columns: {k: {type: integer}, name: }\nload: [{table: item, key: k}]\n"),
                     testing::header_of(csv), *connection, {});
  ASSERT_OK(program);
  const auto rows = testing::analyse(**program, csv, *connection).rows;
  const auto counts = testing::load_all(**program, rows, *connection).counts;
  EXPECT_EQ(counts[Outcome::inserted], 20);
  EXPECT_EQ(counts[Outcome::unchanged], 10);
  EXPECT_EQ(counts[Outcome::updated], 10);
  EXPECT_EQ(integer("SELECT count(*) FROM item WHERE name = 'new'"), 30);
  EXPECT_EQ(integer("SELECT count(*) FROM item WHERE extra = 'old'"), 20000);
  EXPECT_EQ(testing::load_all(**program, rows, *connection, 1).counts[Outcome::unchanged], 40);
}

// A stored key that only looks like the file's after conversion is another key to the database, also inside the range
// of the file's keys.
TEST_P(LoaderTest, KeysInTextColumnsAreEqualOnlyWhenTheirTextIs) {
  struct Case {
    const char* type;
    const char* stored;
    const char* keys[3];
  };
  const Case cases[] = {{"integer", "007", {"1", "7", "8"}},
                        {"date", "20240229", {"2001-01-01", "2024-02-29", "2024-12-31"}},
                        {"uuid",
                         "123E4567-E89B-12D3-A456-426614174000",
                         {"00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000",
                          "ffffffff-ffff-ffff-ffff-ffffffffffff"}}};
  for (const Case& example : cases) {
    SCOPED_TRACE(example.type);
    ASSERT_OK(
        connection->run(fmt::format("DROP TABLE IF EXISTS item; CREATE TABLE item (k text {} PRIMARY KEY, name text); "
                                    "INSERT INTO item VALUES ('{}', 'old')",
                                    pick("", "COLLATE \"C\""), example.stored)));
    std::string csv = "k,name\n";
    for (const char* key : example.keys) csv += fmt::format("{},new\n", key);
    auto program =
        analysis::bind(testing::definition_of(fmt::format(
                           "columns: {{k: {{type: {}}}, name: }}\nload: [{{table: item, key: k}}]\n", example.type)),
                       testing::header_of(csv), *connection, {});
    ASSERT_OK(program);
    EXPECT_EQ(testing::load_all(**program, testing::analyse(**program, csv, *connection).rows, *connection)
                  .counts[Outcome::inserted],
              3);
    EXPECT_EQ(integer("SELECT count(*) FROM item WHERE name = 'old'"), 1);
    EXPECT_EQ(integer("SELECT count(*) FROM item WHERE name = 'new'"), 3);
  }
}

TEST_P(LoaderTest, CaseInsensitiveKeysMeetTheirStoredRow) {
  if (!is_sqlite()) {
    ASSERT_OK(connection->run("CREATE EXTENSION citext"));
  }
  ASSERT_OK(connection->run(pick("CREATE TABLE item (k TEXT COLLATE NOCASE PRIMARY KEY, name TEXT);",
                                 "CREATE TABLE item (k citext PRIMARY KEY, name text);") +
                            "INSERT INTO item VALUES ('Alpha', 'old'), ('BETA', 'old')"));
  const std::string csv = "k,name\nALPHA,new\nbeta,old\nGamma,1\ngamma,2\n";
  auto program = analysis::bind(testing::definition_of("columns: {k: , name: }\nload: [{table: item, key: k}]\n"),
                                testing::header_of(csv), *connection, {});
  ASSERT_OK(program);
  const auto counts =
      testing::load_all(**program, testing::analyse(**program, csv, *connection).rows, *connection).counts;
  EXPECT_EQ(counts[Outcome::updated], 1);
  EXPECT_EQ(counts[Outcome::unchanged], 1);
  EXPECT_EQ(counts[Outcome::inserted], 1);
  EXPECT_EQ(counts[Outcome::skipped], 1);
  EXPECT_EQ(value("SELECT CAST(k AS text) FROM item WHERE name = 'new'"), db::Value("Alpha"))
      << "the stored spelling of a key stays";
}

}  // namespace
}  // namespace lade::load
