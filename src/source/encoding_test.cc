// Text in every encoding comes out as UTF-8, and what means nothing stays visible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/ucnv.h>

#include <random>

#include "source/decoder.h"
#include "source/legacy_encoding.h"
#include "source/utf8_census.h"
#include "source/wide_encoding.h"
#include "testing/input_of.h"
#include "testing/results.h"

namespace lade::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

// UTF-8 → another encoding.
std::string encoded(std::string_view text, const std::string& encoding) {
  UErrorCode status = U_ZERO_ERROR;
  std::string out(text.size() * 4 + 16, '\0');
  const int32_t length = ucnv_convert(encoding.c_str(), "UTF-8", out.data(), static_cast<int32_t>(out.size()),
                                      text.data(), static_cast<int32_t>(text.size()), &status);
  EXPECT_TRUE(U_SUCCESS(status)) << encoding << ": " << u_errorName(status);
  out.resize(static_cast<std::size_t>(length));
  return out;
}

struct Decoded {
  std::string text;
  std::int64_t bad_bytes = 0;
  std::vector<std::uint64_t> bad_offsets;

  bool operator==(const Decoded&) const = default;
};

// Cut into pieces of at most `piece` bytes.
Decoded decoded(std::string_view bytes, const std::string& encoding, std::size_t piece) {
  auto decoder = Decoder::open(encoding);
  EXPECT_OK(decoder);
  Decoded result;
  for (; bytes.size() > piece; bytes.remove_prefix(piece))
    (*decoder)->decode(bytes.substr(0, piece), false, result.text);
  (*decoder)->decode(bytes, true, result.text);
  result.bad_bytes = (*decoder)->bad_bytes();
  result.bad_offsets = (*decoder)->bad_offsets();
  return result;
}

constexpr std::string_view kGerman = "Name;Größe\nMüller;5 €\n";
constexpr std::string_view kJapanese = "名前,都市\n田中,東京\n鈴木,大阪\n高橋,名古屋\n";
constexpr std::string_view kRussian = "имя;город\nИванов;Москва\nПетров;Самара\nСидоров;Тверь\n";
constexpr std::string_view kBeyond = "a,b\n\U0001F600,\U00020000\n";

TEST(Decoder, TextSurvives) {
  for (const char* encoding :
       {"windows-1252", "iso-8859-15", "utf-16le", "utf-16be", "utf-32le", "utf-32be", "gb18030"})
    EXPECT_EQ(decoded(encoded(kGerman, encoding), encoding, 1000).text, kGerman) << encoding;
  for (const char* encoding : {"shift_jis", "euc-jp", "iso-2022-jp", "utf-16le", "gb18030"})
    EXPECT_EQ(decoded(encoded(kJapanese, encoding), encoding, 1000).text, kJapanese) << encoding;
  for (const char* encoding : {"utf-16le", "utf-16be", "utf-32le", "gb18030"})
    EXPECT_EQ(decoded(encoded(kBeyond, encoding), encoding, 1000).text, kBeyond) << encoding;
}

TEST(Decoder, WhatMeansNothingStaysNoUtf8) {
  const Decoded undefined = decoded("a\x81z", "windows-1252", 10);
  EXPECT_EQ(undefined.text, "a\x81z");
  EXPECT_THAT(undefined.bad_offsets, ElementsAre(1));
  // A first byte that the next bad one would complete to a character.
  const Decoded lone = decoded("a\xFF\xFF,b\n", "euc-jp", 10);
  EXPECT_EQ(lone.bad_bytes, 2);
  EXPECT_EQ(lone.text.substr(lone.text.size() - 3), ",b\n");
  // Half a pair, and half a unit at the end.
  const Decoded halves = decoded("a\0\0\xD8,\0x"s, "utf-16le", 10);
  EXPECT_EQ(halves.text, "a\xFF\xFF,\xFF");
  EXPECT_THAT(halves.bad_offsets, ElementsAre(2, 3, 6));
}

// Any cut of the input gives the same text, and counts the same bytes.
TEST(Decoder, PiecesMakeNoDifference) {
  std::mt19937_64 random(5);
  const std::string texts[] = {std::string(kGerman), std::string(kJapanese), std::string(kBeyond)};
  for (const std::string encoding : {"windows-1252", "utf-16le", "utf-16be", "utf-32be", "shift_jis", "euc-jp",
                                     "gb18030", "big5", "euc-kr", "iso-2022-jp", "utf-8"}) {
    for (int turn = 0; turn < 60; ++turn) {
      std::string bytes;
      for (int part = 0; part < 6; ++part) {
        bytes += encoded(texts[random() % 3], encoding);
        // Noise in between.
        for (std::size_t count = random() % 4; count > 0; --count) bytes += static_cast<char>(random());
      }
      const Decoded whole = decoded(bytes, encoding, bytes.size());
      for (const std::size_t piece : {1, 2, 3, 5, 7, 64}) {
        const Decoded pieces = decoded(bytes, encoding, piece);
        ASSERT_EQ(pieces.text, whole.text) << encoding << " turn " << turn << " piece " << piece;
        ASSERT_EQ(pieces.bad_bytes, whole.bad_bytes) << encoding;
        ASSERT_EQ(pieces.bad_offsets, whole.bad_offsets) << encoding << " turn " << turn << " piece " << piece;
      }
    }
  }
}

TEST(Decoder, UnknownNamesAreRefusedWithANearOne) {
  const auto unknown = encoding_named("windows-1253x");
  ASSERT_FAILS(unknown, "encoding_unknown");
  EXPECT_THAT(unknown.error().hint, HasSubstr("windows-1253"));
  EXPECT_FAILS(encoding_named(""), "encoding_unknown");
  EXPECT_EQ(encoding_named("CP1252").value(), "windows-1252");
  EXPECT_EQ(encoding_named("latin1").value(), "iso-8859-1");
  EXPECT_EQ(encoding_named("UTF8").value(), "utf-8");
}

struct Census {
  std::uint64_t good, bad;
  std::vector<std::uint64_t> offsets;

  bool operator==(const Census&) const = default;
};

Census census(std::string_view bytes, std::size_t piece) {
  Utf8Census counter;
  for (; bytes.size() > piece; bytes.remove_prefix(piece)) counter.add(bytes.substr(0, piece));
  counter.add(bytes);
  counter.finish();
  return {counter.good(), counter.bad(), counter.bad_offsets()};
}

TEST(Utf8Census, CountsCharactersAndStrayBytes) {
  EXPECT_EQ(census("plain", 10), (Census{0, 0, {}}));
  EXPECT_EQ(census("M\xC3\xBCll\xFCr", 10), (Census{2, 1, {5}}));
  EXPECT_EQ(census("\xE2\x82\xAC\xF0\x9F\x98\x80", 10), (Census{7, 0, {}}));
  EXPECT_EQ(census("cut \xE2\x82", 10), (Census{0, 2, {4, 5}}));
  EXPECT_EQ(census("\xC0\x80\xED\xA0\x80", 10), (Census{0, 5, {0, 1, 2, 3, 4}}));
}

TEST(Utf8Census, PiecesMakeNoDifference) {
  std::mt19937_64 random(3);
  for (int turn = 0; turn < 300; ++turn) {
    std::string bytes;
    const std::string parts[] = {"abc",  "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                 "\xFC", "\x80",     "\xE2\x82",     "\xF0"};
    for (std::size_t count = random() % 120; count > 0; --count) bytes += parts[random() % (turn % 2 == 0 ? 8 : 4)];
    const Census whole = census(bytes, bytes.size() + 1);
    for (const std::size_t piece : {1, 2, 3, 4, 7, 50}) ASSERT_EQ(census(bytes, piece), whole) << "turn " << turn;
  }
}

TEST(WideEncoding, IsKnownWithoutAMark) {
  for (const char* encoding : {"utf-16le", "utf-16be", "utf-32le", "utf-32be"}) {
    EXPECT_EQ(wide_encoding(encoded(kGerman, encoding)), encoding);
    EXPECT_EQ(wide_encoding(encoded(kJapanese, encoding)), encoding);
  }
  EXPECT_EQ(wide_encoding("a,b\n1,x\0y\n"s), "");
  EXPECT_EQ(wide_encoding(kGerman), "");
}

class EncodingTest : public ::testing::Test {
 protected:
  testing::InputFolder inputs;
};

TEST_F(EncodingTest, EveryEncodingIsFoundAndDecoded) {
  struct Case {
    std::string_view text;
    const char* encoding;
  };
  for (const auto& [text, encoding] :
       {Case{kGerman, "windows-1252"}, Case{kGerman, "utf-16le"}, Case{kGerman, "utf-16be"}, Case{kGerman, "utf-32le"},
        Case{kGerman, "utf-32be"}, Case{kJapanese, "shift_jis"}, Case{kJapanese, "euc-jp"}, Case{kJapanese, "utf-16le"},
        Case{kJapanese, "iso-2022-jp"}, Case{kRussian, "windows-1251"}, Case{kRussian, "koi8-r"}}) {
    const auto input = inputs.open(encoded(text, encoding));
    ASSERT_OK(input);
    EXPECT_EQ(input->origin.encoding, encoding);
    EXPECT_TRUE(input->spooled);
    EXPECT_EQ(testing::content(*input), text) << encoding;
    EXPECT_EQ(input->origin.bad_bytes, 0);
  }
}

TEST_F(EncodingTest, MarksDecide) {
  for (const auto& [mark, encoding] :
       {std::pair("\xFF\xFE"s, "utf-16le"), std::pair("\xFE\xFF"s, "utf-16be"), std::pair("\xFF\xFE\0\0"s, "utf-32le"),
        std::pair("\0\0\xFE\xFF"s, "utf-32be")}) {
    const auto input = inputs.open(mark + encoded(kRussian, encoding));
    ASSERT_OK(input);
    EXPECT_EQ(input->origin.encoding, encoding);
    EXPECT_TRUE(input->origin.bom);
    EXPECT_EQ(testing::content(*input), kRussian);
  }
}

TEST_F(EncodingTest, Utf8IsReadInPlace) {
  const auto input = inputs.open(kRussian);
  ASSERT_OK(input);
  EXPECT_FALSE(input->spooled);
  EXPECT_EQ(input->origin.encoding, "utf-8");
}

TEST_F(EncodingTest, AFewBadBytesDoNotMakeUtf8AnythingElse) {
  const auto input = inputs.open(std::string(kRussian) + "\xFC;\x80\n");
  ASSERT_OK(input);
  EXPECT_EQ(input->origin.encoding, "utf-8");
  EXPECT_FALSE(input->spooled);
  EXPECT_EQ(input->origin.bad_bytes, 2);
  EXPECT_THAT(input->origin.bad_offsets, ElementsAre(kRussian.size(), kRussian.size() + 2));
  EXPECT_THAT(input->origin.evidence, ElementsAre(HasSubstr("but for 2 bytes")));
}

TEST_F(EncodingTest, ALegacyByteMayComeLate) {
  std::string text = "id,name\n";
  for (int row = 0; row < 100'000; ++row) text += std::to_string(row) + ",plain\n";
  const auto input = inputs.open(text +
                                 "1,M\xFCller\n2,Stra\xDF"
                                 "e\n");
  ASSERT_OK(input);
  EXPECT_EQ(input->origin.encoding, "windows-1252");
  EXPECT_TRUE(testing::content(*input) == text + "1,Müller\n2,Straße\n");
}

TEST_F(EncodingTest, WhatIsGivenIsBelieved) {
  const auto as_greek = inputs.open(encoded(kGerman, "windows-1252"), {.encoding = "windows-1253"});
  ASSERT_OK(as_greek);
  EXPECT_EQ(as_greek->origin.encoding, "windows-1253");
  const auto as_utf8 = inputs.open(encoded(kGerman, "windows-1252"), {.encoding = "UTF-8"});
  ASSERT_OK(as_utf8);
  EXPECT_FALSE(as_utf8->spooled);
  const auto either_end = inputs.open("\xFE\xFF"s + encoded(kGerman, "utf-16be"), {.encoding = "utf-16"});
  ASSERT_OK(either_end);
  EXPECT_EQ(testing::content(*either_end), kGerman);
  EXPECT_FAILS(inputs.open(kGerman, {.encoding = "klingon"}), "encoding_unknown");
}

TEST_F(EncodingTest, RareEncodingsAreNamedWithAWayOut) {
  // VISCII, which ICU does not have.
  const auto input = inputs.open(
      "t\xEAn,th\xE0nh ph\xAF\nNguy\xAD"
      "n V\xE5n An,H\xE0 N\xB5i\nTr\xA5n Th\xB8 B\xECnh,\xD0\xE0 N\xA7ng\n"
      "L\xEA Ho\xE0ng,C\xA5n Th\xBD\nPh\xD5m Qu\xAF"
      "c,Hu\xAA\n\xD0\xAFng \xD0"
      "a,V\xE5n Mi\xAAu\n");
  ASSERT_FAILS(input, "unsupported_encoding");
  EXPECT_THAT(input.error().hint, HasSubstr("iconv -f VISCII"));
}

}  // namespace
}  // namespace lade::source
