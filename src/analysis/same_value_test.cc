// Two spellings of a document are the same value when PostgreSQL says so.
#include <gtest/gtest.h>

#include "analysis/wire_codec.h"
#include "testing/database_test.h"

namespace lade::analysis {
namespace {

bool same_jsonb(const std::string& left, const std::string& right) {
  db::Column column;
  column.wire = db::WireType::jsonb;
  const auto field_of = [](const std::string& text) {
    std::string field;
    db::append_big_endian(field, static_cast<std::int32_t>(text.size() + 1));
    return field + '\x01' + text;
  };
  const std::string left_field = field_of(left), right_field = field_of(right);
  std::string_view a = left_field, b = right_field;
  return same_value(db::take_field(a), db::take_field(b), column);
}

TEST(SameValue, DocumentsCompareAsTheDatabaseComparesThem) {
  const std::string nested = std::string(200, '[') + "1" + std::string(200, ']');
  const std::vector<std::string> documents = {
      "1", "1.0", "10e-1", "0.1e1", "-1", "0", "-0", "0.000", "0e9", "100", "1e2", "1E+2", "1.00e2",
      // Differ behind the digits that a double keeps.
      "12345678901234567890", "12345678901234567891", "1234567890123456789", "1234567890123456788",
      "0.12345678901234567890", "0.12345678901234567891", "12345678901234567890.0", "1234567890123456789e1",
      // Look like numbers or hold them.
      R"("1")", R"("1.0")", R"(" 1")", R"("a\"1,")", R"("\\")", R"("\u0031")", "true", "false", "null", "[1, 2]",
      "[1,2]", "[1.0,2e0]", "[2,1]", "[]", "{}", R"({"a": 1, "bb": [12345678901234567890]})",
      R"({"bb":[12345678901234567890],"a":1.0})", R"({"bb":[12345678901234567891],"a":1})", R"({"a": 1, "a": 2})",
      R"({"a": 2})", R"({"1": 2})", R"({"1.0": 2})", nested, "[ " + nested.substr(1)};
  testing::FreshDatabase database(db::Backend::postgresql);
  const auto connection = database.connect();
  for (const std::string& left : documents) {
    for (const std::string& right : documents) {
      const db::Value parameters[] = {left, right};
      const auto rows = connection->query("SELECT ($1::jsonb = $2::jsonb)::integer", parameters);
      ASSERT_OK(rows);
      EXPECT_EQ(same_jsonb(left, right), std::get<std::int64_t>(rows->front().front()) == 1)
          << left << " and " << right;
    }
  }
}

TEST(SameValue, WhatIsNoDocumentIsNeverTheSame) {
  EXPECT_TRUE(same_jsonb("{", "{")) << "the same bytes";
  EXPECT_FALSE(same_jsonb("{", "{ "));
  EXPECT_FALSE(same_jsonb("\"", "\" "));
  EXPECT_FALSE(same_jsonb("-", "- "));
  EXPECT_FALSE(same_jsonb("1e9223372036854775807", "10e9223372036854775806"));
}

}  // namespace
}  // namespace lade::analysis
