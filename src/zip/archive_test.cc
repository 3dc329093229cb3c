#include "zip/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "testing/zip_bytes.h"

namespace lade::zip {
namespace {

using lade::testing::append_number;
using lade::testing::file_of;
using lade::testing::zip_bytes;
using lade::testing::ZipEntry;
using ::testing::HasSubstr;

Result<std::string> drain(ByteSource& source, std::size_t step = 1000) {
  std::string text;
  std::string buffer(step, '\0');
  for (;;) {
    LADE_ASSIGN(const std::size_t count, source.read(buffer));
    if (count == 0) return text;
    text.append(buffer, 0, count);
  }
}

Result<std::string> read_all(const Archive& archive, std::size_t entry, std::size_t step = 1000) {
  LADE_ASSIGN(const auto source, archive.read(entry));
  return drain(*source, step);
}

// The content of the first entry, or the code of the error on the way.
std::string outcome(std::string_view bytes, const Limits& limits = {}) {
  const File file = file_of(bytes);
  auto archive = Archive::open(file, "a.zip", limits);
  if (!archive) return archive.error().code;
  if (archive->entries().empty()) return "empty";
  const auto content = read_all(*archive, 0);
  return content ? *content : content.error().code;
}

std::string some_text(std::size_t bytes) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < bytes) text += std::to_string(random()) + ",";
  text.resize(bytes);
  return text;
}

TEST(Archive, GivesTheEntriesAndTheirBytes) {
  const std::string text = some_text(300'000);
  const File file = file_of(zip_bytes({{"a.csv", text}, {"folder/", "", false}, {"b", "stored", false}, {"c", ""}}));
  const auto archive = Archive::open(file, "a.zip").value();
  ASSERT_EQ(archive.entries().size(), 4U);
  EXPECT_EQ(archive.entries()[0].name, "a.csv");
  EXPECT_EQ(archive.entries()[0].bytes, 300'000U);
  EXPECT_TRUE(archive.entries()[1].folder);
  for (const std::size_t step : {1U, 7U, 1000U, 300'000U, 1'000'000U}) EXPECT_EQ(read_all(archive, 0, step), text);
  EXPECT_EQ(read_all(archive, 1), "");
  EXPECT_EQ(read_all(archive, 2, 1), "stored");
  EXPECT_EQ(read_all(archive, 3), "");
}

TEST(Archive, KnowsOneByItsBeginning) {
  EXPECT_TRUE(looks_like_zip(zip_bytes({{"a", "b"}})));
  EXPECT_TRUE(looks_like_zip(zip_bytes({})));
  EXPECT_FALSE(looks_like_zip("PK"));
  EXPECT_FALSE(looks_like_zip("a,b\n"));
  EXPECT_EQ(outcome(zip_bytes({})), "empty");
}

TEST(Archive, FindsNamesAsOfficeDoes) {
  const File file = file_of(zip_bytes({{"xl\\Workbook.xml", "w"}, {"/xl/styles.xml", "s"}}));
  const auto archive = Archive::open(file, "a.zip").value();
  EXPECT_EQ(archive.find("xl/workbook.xml"), 0);
  EXPECT_EQ(archive.find("/XL/workbook.xml"), 0);
  EXPECT_EQ(archive.find("xl/styles.xml"), 1);
  EXPECT_EQ(archive.find("xl/other.xml"), -1);
}

TEST(Archive, TakesWhatStandsBeforeAndBehindIt) {
  EXPECT_EQ(outcome(zip_bytes({{"a", "text"}}, "a comment")), "text");
  EXPECT_EQ(outcome(zip_bytes({{"a", "text"}}, "", "#!/bin/sh\n")), "text");
  EXPECT_EQ(outcome(zip_bytes({{"a", "text"}}) + "junk"), "text");
  EXPECT_EQ(outcome(zip_bytes({{"a", "text"}}, "PK\x05\x06 in the comment, as if it were the end")), "text");
}

TEST(Archive, ReadsZip64) {
  std::string bytes = zip_bytes({{"a", "text"}});
  const std::size_t end = bytes.rfind("PK\x05\x06");
  const std::string record = bytes.substr(end);
  bytes.resize(end);
  const std::uint64_t entries = 1;
  const std::size_t directory = bytes.find("PK\x01\x02");
  bytes += "PK\x06\x06";
  append_number(bytes, 44, 8);
  append_number(bytes, 45, 2);
  append_number(bytes, 45, 2);
  append_number(bytes, 0, 8);
  append_number(bytes, entries, 8);
  append_number(bytes, entries, 8);
  append_number(bytes, end - directory, 8);
  append_number(bytes, directory, 8);
  bytes += "PK\x06\x07";
  append_number(bytes, 0, 4);
  append_number(bytes, end, 8);
  append_number(bytes, 1, 4);
  bytes += "PK\x05\x06";
  append_number(bytes, 0, 4);
  append_number(bytes, 0xFFFF'FFFF'FFFF'FFFF, 8);
  append_number(bytes, 0xFFFF'FFFF, 4);
  append_number(bytes, 0, 2);
  EXPECT_EQ(outcome(bytes), "text");
  bytes[end] = 'X';
  EXPECT_EQ(outcome(bytes), "zip_damaged");
}

TEST(Archive, RefusesWhatContradictsItself) {
  EXPECT_EQ(outcome(""), "zip_damaged");
  EXPECT_EQ(outcome("PK\x03\x04 and no more"), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{"a", "text"}}).substr(0, 40)), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = "text", .local_name = "b"}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = "text", .local_name = "ab"}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = "text", .local_bytes = 9}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = "text", .local_method = 0}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{"a", "one"}, {"a", "two"}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{"a/B", "one"}, {"/A\\b", "two"}})), "zip_damaged");
}

TEST(Archive, RefusesEntriesThatShareBytes) {
  const std::vector<ZipEntry> entries = {{"a", "one"}, {.name = "a", .content = "one", .header_of = 0}};
  const File file = file_of(zip_bytes(entries));
  const auto archive = Archive::open(file, "a.zip");
  ASSERT_FALSE(archive);
  EXPECT_EQ(archive.error().code, "zip_damaged");
  EXPECT_THAT(archive.error().message, HasSubstr("overlaps"));
}

TEST(Archive, CountsWhatItInflates) {
  const std::string text = some_text(5000);
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = text, .bytes = 4999}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = text, .bytes = 5001}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = text, .deflated = false, .bytes = 4}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = text, .checksum = 1}})), "zip_damaged");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = text, .deflated = false, .checksum = 1}})), "zip_damaged");
  // Text that was never deflated.
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = "\xFFtext", .deflated = false, .method = 8}})), "zip_damaged");
}

TEST(Archive, RefusesWhatItCannotRead) {
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = "text", .flags = 1}})), "zip_encrypted");
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = "text", .method = 12}})), "zip_method");
}

TEST(Archive, RefusesWhatGrowsTooMuch) {
  const std::string zeros(2'000'000, '0');
  EXPECT_EQ(outcome(zip_bytes({{"a", zeros}})), "zip_bomb");
  EXPECT_EQ(outcome(zip_bytes({{"a", zeros.substr(0, 1'000'000)}})).size(), 1'000'000U);
  EXPECT_EQ(outcome(zip_bytes({{"a", zeros}}), {.max_ratio = 2000}).size(), zeros.size());
  // The declared size hides it, but no more than that is delivered.
  EXPECT_EQ(outcome(zip_bytes({{.name = "a", .content = zeros, .bytes = 1000}})), "zip_damaged");
}

TEST(Archive, LimitsEntriesAndBytes) {
  EXPECT_EQ(outcome(zip_bytes({{"a", "1"}, {"b", "2"}}), {.max_entries = 1}), "zip_too_many_entries");
  EXPECT_EQ(outcome(zip_bytes({{"a", "1"}, {"b", "2"}}), {.max_entries = 2}), "1");
  EXPECT_EQ(outcome(zip_bytes({{"a", "text"}}), {.max_bytes = 3}), "file_too_large");
  const File file = file_of(zip_bytes({{"a", "four"}, {"b", "four"}}));
  const auto archive = Archive::open(file, "a.zip", {.max_bytes = 7}).value();
  EXPECT_EQ(read_all(archive, 0), "four");
  EXPECT_EQ(read_all(archive, 0), "four") << "read again, counted once";
  EXPECT_EQ(read_all(archive, 1).error().code, "file_too_large");
}

TEST(Archive, TakesNamesForNoMoreThanNames) {
  const File file = file_of(zip_bytes({{"../../etc/passwd", "text"}, {std::string("a\0b", 3), "text"}, {"", "text"}}));
  const auto archive = Archive::open(file, "a.zip").value();
  for (std::size_t entry = 0; entry < 3; ++entry) EXPECT_EQ(read_all(archive, entry), "text");
}

// Any byte of an archive may be wrong: what is given then is the truth or an error.
TEST(Archive, SurvivesEveryWrongByte) {
  const std::string text = some_text(200);
  const std::string honest = zip_bytes({{"a", text}, {"b", "stored", false}}, "comment");
  for (std::size_t at = 0; at < honest.size(); ++at) {
    for (const int change : {1, 0x80, 0xFF}) {
      std::string bytes = honest;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      const std::string seen = outcome(bytes);
      EXPECT_TRUE(seen == text || seen == "stored" || seen == "empty" || seen.starts_with("zip_")) << at << " " << seen;
    }
  }
}

}  // namespace
}  // namespace lade::zip
