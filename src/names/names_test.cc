// Names that people write in many ways, and the entities that they mean.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "names/index.h"
#include "names/normaliser.h"
#include "names/tiers.h"

namespace lade::names {
namespace {

using ::testing::ElementsAre;

// As the music of South India is written by different people.
const std::vector<Rewrite> kCarnatic = {{"sh", "s"}, {"th", "t"}, {"dh", "d"}, {"bh", "b"}, {"aa", "a"}, {"ee", "i"},
                                        {"oo", "u"}, {"y", "i"},  {"w", "v"},  {"c", "k"},  {"kh", "k"}, {"ii", "i"}};

Normaliser make(std::vector<Rewrite> rules = {}) {
  auto normaliser = Normaliser::create(std::move(rules));
  EXPECT_TRUE(normaliser);
  return std::move(*normaliser);
}

TEST(Normaliser, MakesOneSpelling) {
  Normaliser normalised = make();
  EXPECT_EQ(normalised("  Jean-Luc   O'Brien,  3rd "), "jean luc obrien 3rd");
  EXPECT_EQ(normalised("Müller & Söhne"), "muller sohne");
  EXPECT_EQ(normalised("Tyāgarāja"), "tyagaraja");
  EXPECT_EQ(normalised("Đặng Thị Ánh"), "dang thi anh");
  EXPECT_EQ(normalised("Чайковский"), "cajkovskij");
  EXPECT_EQ(normalised("त्यागराज"), "tyagaraja");
  EXPECT_EQ(normalised("ΟΔΥΣΣΕΥΣ"), normalised("Οδυσσεύς"));
  EXPECT_EQ(normalised("…—!"), "");
  EXPECT_EQ(normalised(""), "");
  EXPECT_EQ(normalised("straße"), "strasse");
}

TEST(Normaliser, FollowsTheRulesOfItsField) {
  Normaliser normalised = make(kCarnatic);
  EXPECT_EQ(normalised("Thyagaraja"), normalised("Tyāgarāja"));
  EXPECT_EQ(normalised("Shyama Shastri"), normalised("Syama Sastri"));
  EXPECT_EQ(normalised("Deekshithar"), "diksitar");
  EXPECT_EQ(normalised.plain("Deekshithar"), "deekshithar");
  for (const Rewrite& rule : {Rewrite{"", "x"}, {"É", "e"}, {"A", "a"}, {"a", "é"}}) {
    const auto refused = Normaliser::create({rule});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "rewrite_invalid");
  }
}

TEST(Normaliser, BadTextCostsNothing) {
  Normaliser normalised = make();
  EXPECT_LE(normalised(std::string(10'000'000, 'a')).size(), 800u);
  std::string long_text;
  for (int i = 0; i < 500; ++i) long_text += "ü";
  EXPECT_EQ(normalised(long_text), std::string(400, 'u'));
  EXPECT_EQ(normalised("\xff\xfe broken \xc3"), "broken");
}

double score(std::string_view one, std::string_view other) {
  EXPECT_EQ(similarity(one, other).score, similarity(other, one).score) << one << " | " << other;
  return similarity(one, other).score;
}

TEST(Similarity, SaysWhyAndHowMuch) {
  EXPECT_EQ(similarity("anna lee", "anna lee").reason, Reason::same);
  EXPECT_EQ(similarity("anna lee", "lee anna").reason, Reason::order);
  EXPECT_EQ(similarity("t n rajam", "tanjore narayana rajam").reason, Reason::initials);
  EXPECT_GE(score("muthuswami dikshitar", "muttuswami diksitar"), 90);
  EXPECT_GE(score("purandaradasa", "purandara dasa"), 90);
  EXPECT_GE(score("international business machines", "international business machines corporation"), 85);
  EXPECT_LT(score("anna lee", "anna fee"), 95) << "never as sure as equal";
  EXPECT_LT(score("swati tirunal", "gopalakrishna bharati"), 60);
  EXPECT_LT(score("lee", "kim"), 50);
  EXPECT_LT(score("t n rajam", "k s rajam"), 90);
  EXPECT_EQ(score("", "a"), 0);
}

TEST(NameIndex, FindsWhatIsMeant) {
  Normaliser normalised = make(kCarnatic);
  NameIndex index;
  index.add(1, normalised("Tyāgarāja"));
  index.add(2, normalised("Muttusvāmi Dīkṣitar"));
  index.add(2, normalised("Guruguha"));
  index.add(3, normalised("Śyāma Śāstri"));
  index.add(4, normalised("Subbaraya Sastri"));
  index.finish();
  NameIndex::Asker asker(index);
  const auto best = [&](std::string_view name) { return asker.ask(normalised(name)); };
  EXPECT_EQ(best("Thyagaraja").at(0).confidence, 100);
  EXPECT_EQ(best("Thyagarajah").at(0).entity, 1);
  EXPECT_GE(best("Thyagarajah").at(0).confidence, 90);
  EXPECT_EQ(best("Muthuswamy Dikshithar").at(0).entity, 2);
  EXPECT_EQ(best("Guruguha").at(0).entity, 2) << "by its other name";
  EXPECT_EQ(best("Shyama Sastry").at(0).entity, 3);
  EXPECT_TRUE(best("Johann Sebastian Bach").empty());
  EXPECT_TRUE(best("").empty());
}

TEST(NameIndex, EachEntityOnceAndInOrder) {
  NameIndex index;
  for (int i = 0; i < 20; ++i) index.add(i, fmt::format("anna lee{}", std::string(static_cast<std::size_t>(i), 'x')));
  index.add(0, "anna leex");
  index.finish();
  NameIndex::Asker asker(index);
  const auto& found = asker.ask("anna le", 3);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].entity, 0);
  EXPECT_GE(found[0].confidence, found[1].confidence);
  EXPECT_NE(found[1].entity, found[0].entity);
}

TEST(NameIndex, AWordThatAllShareIsNoReasonToLookAtAllOfThem) {
  NameIndex index;
  for (int i = 0; i < 20'000; ++i) index.add(i, fmt::format("saint {}", i));
  for (int i = 0; i < 10'000; ++i) index.add(100'000 + i, "john");
  index.finish();
  NameIndex::Asker asker(index);
  EXPECT_EQ(asker.ask("saint").size(), 5u);
  EXPECT_LE(asker.looked_at(), 3'000u);
  EXPECT_EQ(asker.ask("saint 777")[0].entity, 777);
  EXPECT_EQ(asker.ask("john").size(), 5u) << "nobody knows which";
}

TEST(NameIndex, CanBeMoved) {
  NameIndex index;
  index.add(1, "ann");
  index.finish();
  const NameIndex moved = std::move(index);
  EXPECT_EQ(NameIndex::Asker(moved).ask("ann").size(), 1u);
}

TEST(Tiers, TwoWhoAreCalledTheSameAreNotTaken) {
  NameIndex index;
  index.add(1, "anna lee");
  index.add(2, "anna lee");
  index.add(3, "robert smith");
  index.finish();
  NameIndex::Asker asker(index);
  EXPECT_EQ(tier_of(asker.ask("anna lee")), Tier::suggested);
  EXPECT_EQ(tier_of(asker.ask("robert smith")), Tier::automatic);
  EXPECT_EQ(tier_of(asker.ask("robert smyth")), Tier::automatic);
  EXPECT_EQ(tier_of(asker.ask("robert smyth"), {.automatic = 99}), Tier::suggested);
  EXPECT_EQ(tier_of(asker.ask("nobody at all")), Tier::blocked);
  EXPECT_EQ(tier_of({}), Tier::blocked);
}

// Names of a made-up field, and the faults that people make in them: how many are found, and how many wrong ones.
TEST(NameIndex, MostOfManyAreFound) {
  constexpr int kEntities = 5000;
  std::mt19937 chance(7);
  const auto pick = [&](std::size_t count) { return chance() % count; };
  const std::vector<std::string> syllables = {"ra",  "ma",  "ka", "ti",  "lo",  "su",  "ben", "tor", "vi",  "na",
                                              "gar", "mel", "do", "shi", "pra", "lin", "ost", "han", "eri", "wal"};
  const auto word = [&] {
    std::string text;
    for (std::size_t i = 0; i < 2 + pick(3); ++i) text += syllables[pick(syllables.size())];
    return text;
  };
  NameIndex index;
  std::vector<std::string> names;
  for (int i = 0; i < kEntities; ++i) {
    names.push_back(word() + " " + word());
    index.add(i, names.back());
  }
  index.finish();
  NameIndex::Asker asker(index);
  int first = 0, taken = 0, wrong = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::size_t meant = pick(kEntities);
    std::string name = names[meant];
    const std::size_t at = 1 + pick(name.size() - 1);
    if (i % 3 == 0) name.erase(at, 1);
    if (i % 3 == 1) name[at] = 'q';
    if (i % 3 == 2) name.insert(at, 1, 'h');
    const auto& found = asker.ask(name);
    const bool right = !found.empty() && names[static_cast<std::size_t>(found[0].entity)] == names[meant];
    first += right ? 1 : 0;
    if (tier_of(found) != Tier::automatic) continue;
    ++taken;
    wrong += right ? 0 : 1;
  }
  EXPECT_GE(first, 950);
  EXPECT_GE(taken, 500);
  EXPECT_LE(wrong, taken / 50);
}

}  // namespace
}  // namespace lade::names
