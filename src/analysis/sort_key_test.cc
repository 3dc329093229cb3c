// Keys: their bytes sort and compare like the values they stand for.
#include <algorithm>
#include <cstring>
#include <random>
#include <tuple>

#include "analysis/convert.h"
#include "analysis/wire_codec.h"
#include "testing/results.h"

namespace lade::analysis {
namespace {

using definition::Type;
using definition::TypeKind;

const Type kText{TypeKind::text}, kInteger{TypeKind::integer}, kUuid{TypeKind::uuid};

std::string key_of_number(Int128 number, const Type& type = kInteger) {
  Cell cell;
  cell.number = number;
  std::string key;
  append_sort_key(key, cell, type, false, false);
  return key;
}

std::string key_of_text(std::string_view text, bool folds_case = false, bool pad = false) {
  Cell cell;
  cell.text = text;
  std::string key;
  append_sort_key(key, cell, kText, folds_case, pad);
  return key;
}

int sign(int order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

Int128 power_of_two(int exponent) {
  return Int128{1} << exponent;
}

// Numbers near every place where the length of the encoding changes, and random ones of every size.
std::vector<Int128> hard_numbers() {
  std::vector<Int128> numbers{0};
  for (int exponent = 0; exponent < 126; ++exponent)
    for (const int around : {-1, 0, 1})
      for (const int side : {-1, 1}) numbers.push_back(side * (power_of_two(exponent) + around));
  std::mt19937_64 random(20240701);
  for (int i = 0; i < 2000; ++i) {
    const auto high = static_cast<std::int64_t>(random());
    const Int128 wide =
        (Int128{high} * power_of_two(62) + static_cast<std::int64_t>(random() >> 2)) >> (random() % 120);
    numbers.push_back(wide);
  }
  return numbers;
}

TEST(SortKey, NumbersSortByValueAndEqualOnlyThemselves) {
  std::vector<Int128> numbers = hard_numbers();
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const Type& type : {kInteger, Type{TypeKind::decimal, 38, 10}, Type{TypeKind::date}, Type{TypeKind::timestamp}})
    for (std::size_t i = 1; i < numbers.size(); ++i)
      ASSERT_LT(key_of_number(numbers[i - 1], type), key_of_number(numbers[i], type)) << "at " << i;
}

TEST(SortKey, TextsSortByTheirBytes) {
  std::mt19937_64 random(7);
  std::vector<std::string> texts{"a", "a ", "ab", "b", "\x01", "\x7f", "\xC3\xA4", "\xF0\x9F\x98\x80", "Z", "z"};
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (std::size_t length = 1 + random() % 12; length > 0; --length) text += static_cast<char>(1 + random() % 255);
    texts.push_back(text);
  }
  for (const std::string& left : texts)
    for (const std::string& right : texts)
      ASSERT_EQ(sign(key_of_text(left).compare(key_of_text(right))), sign(left.compare(right)))
          << left << " / " << right;
}

TEST(SortKey, PartsAreComparedOneAfterTheOther) {
  std::mt19937_64 random(11);
  using Parts = std::tuple<std::string, std::int64_t, std::string>;
  std::vector<Parts> rows;
  const std::vector<std::string> texts{"a", "ab", "b", "b\x01", "aa", "\xFF"};
  for (int i = 0; i < 150; ++i)
    rows.emplace_back(texts[random() % texts.size()], static_cast<std::int64_t>(random() % 600) - 300,
                      texts[random() % texts.size()]);
  const auto key = [](const Parts& parts) {
    return key_of_text(std::get<0>(parts)) + key_of_number(std::get<1>(parts)) + key_of_text(std::get<2>(parts));
  };
  for (const Parts& left : rows)
    for (const Parts& right : rows)
      ASSERT_EQ(sign(key(left).compare(key(right))), left < right ? -1 : left == right ? 0 : 1);
}

TEST(SortKey, FoldedTextsAreEqualWithoutCaseAndPaddedOnesWithoutTrailingSpaces) {
  EXPECT_EQ(key_of_text("AbC-1", true), key_of_text("aBc-1", true));
  EXPECT_NE(key_of_text("AbC-1"), key_of_text("aBc-1"));
  EXPECT_NE(key_of_text("[", true), key_of_text("{", true)) << "only letters have a case";
  EXPECT_NE(key_of_text("@", true), key_of_text("`", true));
  EXPECT_EQ(key_of_text("a  ", false, true), key_of_text("a", false, true));
  EXPECT_NE(key_of_text("a  "), key_of_text("a"));
  EXPECT_NE(key_of_text(" a", false, true), key_of_text("a", false, true));
}

TEST(SortKey, UuidsSortByTheirBytes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i) {
    Cell left, right;
    for (unsigned char& byte : left.uuid) byte = static_cast<unsigned char>(random());
    std::memcpy(right.uuid, left.uuid, sizeof right.uuid);
    if (i % 5 != 0) right.uuid[random() % 16] = static_cast<unsigned char>(random());
    std::string a, b;
    append_sort_key(a, left, kUuid, false, false);
    append_sort_key(b, right, kUuid, false, false);
    ASSERT_EQ(sign(a.compare(b)), sign(std::memcmp(left.uuid, right.uuid, 16)));
  }
}

}  // namespace
}  // namespace lade::analysis
