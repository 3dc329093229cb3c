#include "cli/packs.h"

#include <gmock/gmock.h>

#include "definition/parse.h"

namespace lade::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Packs, EveryFileThatAManifestNamesIsThere) {
  const std::vector<Pack> all = packs();
  ASSERT_THAT(all, Not(IsEmpty()));
  for (const Pack& pack : all) {
    SCOPED_TRACE(pack.slug);
    std::vector<std::string> paths = pack.definitions;
    paths.push_back(pack.sqlite_schema);
    paths.push_back(pack.postgresql_schema);
    for (const auto& [file, definition] : pack.references) paths.insert(paths.end(), {file, definition});
    for (const std::string& path : paths) EXPECT_FALSE(pack.text(path).empty()) << path;
    EXPECT_THAT(pack.paths(), Contains("README.md"));
  }
}

TEST(Packs, TheirDefinitionsAreValid) {
  for (const Pack& pack : packs())
    for (const std::string_view path : pack.paths()) {
      if (!path.ends_with(".yaml") || path == "pack.yaml" || path == "handlers.yaml") continue;
      const definition::Parsed parsed = definition::parse_definition(pack.text(path));
      EXPECT_TRUE(parsed.valid()) << definition::describe(parsed.faults, std::string(path));
    }
}

TEST(Packs, BothDatabasesGetTheSameTables) {
  for (const Pack& pack : packs())
    EXPECT_EQ(tables_of(pack.text(pack.sqlite_schema)), tables_of(pack.text(pack.postgresql_schema))) << pack.slug;
}

TEST(Packs, TablesOfASchemaStandBehindCreateTable) {
  EXPECT_THAT(tables_of("CREATE TABLE IF NOT EXISTS unit (\n  id int);\nCREATE INDEX x ON unit (id);\n"
                        "CREATE TABLE IF NOT EXISTS place(id int);"),
              ElementsAre("unit", "place"));
  EXPECT_THAT(tables_of("SELECT 1"), IsEmpty());
}

TEST(Packs, AnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_TRUE(find_pack("register"));
  const auto missing = find_pack("registre");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "pack_not_found");
  EXPECT_THAT(missing.error().hint, ::testing::HasSubstr("register"));
}

}  // namespace
}  // namespace lade::cli
