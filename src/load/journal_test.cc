// The undo journal: what is in it is what was changed, as it was before and as it is stored now.
#include "load/journal.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <random>

#include "testing/database_test.h"
#include "testing/staged.h"

namespace lade::load {
namespace {

using ::testing::ElementsAre;

struct Copy {  // of an entry, which lives longer
  std::string key, before;
  std::uint64_t after;
  std::uint32_t row_id = 0, line = 0;
  bool operator==(const Copy&) const = default;
};

std::vector<Copy> entries_of(std::string_view packed) {
  std::vector<Copy> entries;
  auto reader = JournalReader::open(packed);
  EXPECT_OK(reader);
  JournalEntry entry;
  while (reader && reader->next(entry).value())
    entries.push_back({std::string(entry.key), std::string(entry.before), entry.after, entry.row_id, entry.line});
  return entries;
}

analysis::EntryProgram entry_of(std::initializer_list<const char*> columns, int key) {
  analysis::EntryProgram entry;
  entry.table.quoted = "\"main\".\"item\"";
  entry.strategy = definition::Strategy::insert_or_update;
  for (const char* name : columns) {
    analysis::TargetField field;
    field.column.name = name;
    entry.fields.push_back(field);
  }
  analysis::KeyPart part;
  part.field = key;
  entry.key.push_back(part);
  return entry;
}

TEST(Journal, GivesBackWhatWasAddedBlockByBlock) {
  const auto entry = entry_of({"name", "id"}, 1);
  std::vector<JournalBlock> blocks;
  JournalWriter writer(entry, [&](const JournalBlock& block) -> Result<void> {
    blocks.push_back(block);
    return {};
  });
  std::mt19937_64 random(1);
  std::vector<Copy> added;
  for (int i = 0; i < 60'000; ++i) {
    Copy copy{fmt::format("k{:07}", i * 3), i % 7 == 0 ? std::string(random() % 200, 'x') : std::string(), random()};
    copy.row_id = static_cast<std::uint32_t>(random() % 1'000'000);
    copy.line = copy.row_id + static_cast<std::uint32_t>(random() % 100);
    ASSERT_OK(writer.add(copy.key, {copy.key, copy.before, copy.after, copy.row_id, copy.line}));
    added.push_back(std::move(copy));
  }
  ASSERT_OK(writer.finish());
  ASSERT_OK(writer.finish()) << "there is nothing left";
  ASSERT_GT(blocks.size(), 1u) << "blocks have a bounded size";
  std::vector<Copy> read;
  std::int64_t rows = 0;
  for (const JournalBlock& block : blocks) {
    EXPECT_EQ(block.table, "\"main\".\"item\"");
    const auto part = entries_of(block.packed);
    EXPECT_EQ(block.first_key, part.front().key);
    EXPECT_EQ(block.last_key, part.back().key);
    rows += block.rows;
    read.insert(read.end(), part.begin(), part.end());
  }
  EXPECT_EQ(rows, 60'000);
  EXPECT_TRUE(read == added);
  const auto reader = JournalReader::open(blocks.front().packed);
  EXPECT_THAT(reader->key_columns(), ElementsAre("id"));
  EXPECT_THAT(reader->columns(), ElementsAre("name", "id"));
}

TEST(Journal, RefusesDamagedBlocks) {
  const auto entry = entry_of({"id"}, 0);
  std::string good;
  JournalWriter writer(entry, [&](const JournalBlock& block) -> Result<void> {
    good = block.packed;
    return {};
  });
  ASSERT_OK(writer.add("k", {"key", "an image", 7}));
  ASSERT_OK(writer.finish());
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FAILS(JournalReader::open(std::string_view(good).substr(0, size)), "journal_damaged") << size;
  EXPECT_FAILS(JournalReader::open("\3" + good.substr(1)), "journal_damaged");
}

class JournalTest : public testing::DatabaseTest {
 protected:
  // Loads the file into `item` and gives what its journal says, by the key's text.
  std::map<std::string, Copy> load(const std::string& csv, const std::string& columns, bool fails = false) {
    auto program = analysis::bind(testing::definition_of("columns: {" + columns + "}\nload: [{table: item, key: k}]\n"),
                                  testing::header_of(csv), *connection, {});
    EXPECT_OK(program);
    const auto rows = testing::analyse(**program, csv, *connection).rows;
    before_ = stored(**program);
    testing::StagedRows staged(rows, 1);
    Loader loader(**program, *connection);
    EXPECT_OK(loader.prepare());
    std::map<std::string, Copy> journal;
    loader.journal_to([&](const JournalBlock& block) -> Result<void> {
      for (Copy& entry : entries_of(block.packed)) journal[key_text(entry.key)] = std::move(entry);
      return {};
    });
    auto transaction = db::Transaction::begin(*connection);
    Settler settler = staged.settler(**program);
    staging::IssueWriter issues(staged.log);
    Slice slice;
    model::RowCounts counts;
    while (settler.next(slice, issues, counts).value()) EXPECT_OK(loader.load(slice, issues, counts));
    EXPECT_OK(loader.finish_journal());
    EXPECT_OK(transaction->commit());
    EXPECT_EQ(counts[model::Outcome::failed] > 0, fails);
    after_ = stored(**program);
    return journal;
  }

  std::map<std::string, std::string> before_, after_;  // the table's tuples by key

 private:
  std::string key_text(std::string_view key) const {
    const std::string_view bytes = db::take_field(key).bytes();
    return std::to_string(is_sqlite() ? db::read_big_endian<std::int64_t>(bytes.data() + 1)
                                      : db::read_big_endian<std::int32_t>(bytes.data()));
  }
  std::map<std::string, std::string> stored(const analysis::Program& program) {
    std::string columns;
    for (const auto& field : program.entries.front().fields)
      columns += (columns.empty() ? "" : ", ") + db::Connection::quote_name(field.column.name);
    std::map<std::string, std::string> tuples;
    EXPECT_OK(connection->copy_out("SELECT k, " + columns + " FROM item", [&](std::string_view row) -> Result<void> {
      std::string_view rest = row;
      db::take_field(rest);
      tuples[key_text(row)] = rest;
      return {};
    }));
    return tuples;
  }
};
LADE_ON_BOTH_DATABASES(JournalTest);

TEST_P(JournalTest, HasImagesOfChangedRowsAndFingerprintsOfAllThatWereWritten) {
  ASSERT_OK(connection->run(
      "CREATE TABLE item (k integer PRIMARY KEY, name varchar(20), price numeric(12,4), at timestamp, extra text);"
      "INSERT INTO item VALUES (1, 'same', 1.5, '2024-01-01 10:00:00', 'x'), (2, 'old', 2, NULL, 'x'),"
      "(3, 'stays', 3, NULL, 'x')"));
  const auto journal = load("k,name,price\n1,same,1.5\n2,new,2.25\n4,fresh,\n",
                            "k: {type: integer}, name: , price: {type: 'decimal(10,2)'}");
  ASSERT_EQ(journal.size(), 2u) << "what is unchanged is not written";
  EXPECT_EQ(journal.at("2").before, before_.at("2"));
  EXPECT_EQ(journal.at("2").after, fingerprint(after_.at("2")));
  EXPECT_EQ(journal.at("2").row_id, 2u);
  EXPECT_EQ(journal.at("2").line, 3u) << "the header is the first";
  EXPECT_EQ(journal.at("4").before, "") << "a new row";
  EXPECT_EQ(journal.at("4").after, fingerprint(after_.at("4")));
}

TEST_P(JournalTest, KnowsOnlyRowsThatWereLeftInTheTable) {
  ASSERT_OK(
      connection->run("CREATE TABLE item (k integer PRIMARY KEY, name text CHECK (name <> 'bad'));"
                      "INSERT INTO item VALUES (3, 'old'), (5, 'old')"));
  const auto journal =
      load("k,name\n1,a\n2,bad\n3,new\n4,b\n5,bad\n6,c\n", "k: {type: integer}, name: ", /*fails=*/true);
  std::string keys;
  for (const auto& [key, entry] : journal) {
    keys += key;
    EXPECT_EQ(entry.after, fingerprint(after_.at(key))) << key;
  }
  EXPECT_EQ(keys, "1346");
}

TEST_P(JournalTest, ReadsBackWhatTriggersAndTypesHaveMadeOfARow) {
  ASSERT_OK(
      connection->run(pick("CREATE TABLE item (k integer PRIMARY KEY, name text, code text, data text);"
                           "CREATE TRIGGER t AFTER INSERT ON item BEGIN UPDATE item SET name = upper(NEW.name) "
                           "WHERE k = NEW.k; END",
                           "CREATE TABLE item (k integer PRIMARY KEY, name text, code char(8), data jsonb);"
                           "CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS "
                           "$$ BEGIN NEW.name := upper(NEW.name); RETURN NEW; END $$;"
                           "CREATE TRIGGER t BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION t()")));
  ASSERT_OK(connection->run("INSERT INTO item VALUES (1, 'old', 'a', NULL)"));
  const auto journal = load("k,name,code,data\n1,b,c,\"{\"\"x\"\": 1,   \"\"a\"\":2}\"\n2,new,d,[]\n",
                            "k: {type: integer}, name: , code: , data: {type: json}");
  ASSERT_EQ(journal.size(), 2u);
  EXPECT_EQ(journal.at("1").before, before_.at("1"));
  EXPECT_EQ(journal.at("1").after, fingerprint(after_.at("1")));
  EXPECT_EQ(journal.at("2").after, fingerprint(after_.at("2")));
}

}  // namespace
}  // namespace lade::load
