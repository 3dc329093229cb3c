#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "names/index.h"
#include "names/normaliser.h"
#include "names/tiers.h"

// 100,000 names against 100,000 entities, on one thread: how many a second, and how many are right. Each name is that
// of an entity with one or two of the faults that people make; a tenth means nobody. bench_names [ENTITIES] [NAMES]
namespace {

using namespace lade::names;

class Made {
 public:
  std::string name() { return word() + " " + word() + (chance_() % 3 == 0 ? " " + word() : ""); }
  std::string with_faults(std::string name) {
    for (std::size_t faults = 1 + chance_() % 2; faults > 0; --faults) spoil(name);
    return name;
  }
  std::size_t pick(std::size_t count) { return chance_() % count; }

 private:
  std::string word() {
    static const char* const kStarts[] = {"b", "br", "ch", "d", "f", "g",  "h", "j",  "k", "kr", "l",
                                          "m", "n",  "p",  "r", "s", "sh", "t", "th", "v", "w"};
    static const char* const kVowels[] = {"a", "e", "i", "o", "u", "aa", "ei", "ie"};
    static const char* const kEnds[] = {"", "n", "r", "l", "s", "m", "t", "nd", "ck", "sch"};
    std::string text;
    for (std::size_t i = 0; i < 2 + chance_() % 2; ++i) {
      text += kStarts[chance_() % std::size(kStarts)];
      text += kVowels[chance_() % std::size(kVowels)];
      text += kEnds[chance_() % std::size(kEnds)];
    }
    return text;
  }
  void spoil(std::string& name) {
    const std::size_t at = 1 + chance_() % (name.size() - 2);
    switch (chance_() % 6) {
      case 0: name.erase(at, 1); break;
      case 1: name.insert(at, 1, static_cast<char>('a' + chance_() % 26)); break;
      case 2: name[at] = static_cast<char>('a' + chance_() % 26); break;
      case 3: std::swap(name[at], name[at + 1]); break;
      case 4: {  // the words the other way round
        const std::size_t space = name.find(' ');
        if (space != std::string::npos) name = name.substr(space + 1) + " " + name.substr(0, space);
        break;
      }
      default: name.insert(at, 1, name[at]); break;
    }
  }
  std::mt19937_64 chance_{42};
};

}  // namespace

int main(int count, char** words) {
  const std::size_t entities = count > 1 ? std::strtoull(words[1], nullptr, 10) : 100'000;
  const std::size_t asked = count > 2 ? std::strtoull(words[2], nullptr, 10) : 100'000;
  Made made;
  Normaliser normalised = std::move(*Normaliser::create());
  NameIndex index;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entities; ++i) {
    names.push_back(made.name());
    index.add(static_cast<std::int64_t>(i), normalised(names.back()));
  }
  const auto building = std::chrono::steady_clock::now();
  index.finish();
  std::printf("index of %zu names in %.2f s\n", entities,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - building).count());
  std::vector<std::pair<std::string, std::int64_t>> questions;
  for (std::size_t i = 0; i < asked; ++i) {
    const std::size_t meant = made.pick(entities);
    if (i % 10 == 9)
      questions.emplace_back(made.name(), -1);
    else
      questions.emplace_back(made.with_faults(names[meant]), static_cast<std::int64_t>(meant));
  }
  NameIndex::Asker asker(index);
  std::size_t meant = 0, first = 0, taken = 0, right = 0, offered = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& [name, entity] : questions) {
    const auto& found = asker.ask(normalised(name));
    const bool is_first = !found.empty() && found[0].entity == entity;
    meant += entity >= 0 ? 1U : 0U;
    first += is_first ? 1U : 0U;
    for (const Candidate& candidate : found) offered += candidate.entity == entity ? 1U : 0U;
    if (tier_of(found) != Tier::automatic) continue;
    ++taken;
    right += is_first ? 1U : 0U;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto share = [](std::size_t part, std::size_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  std::printf("%.0f names/s\n", static_cast<double>(asked) / seconds);
  std::printf("meant entity first %.1f %%, among the candidates %.1f %%\n", share(first, meant), share(offered, meant));
  std::printf("taken without asking: %zu, precision %.2f %%, recall %.1f %%\n", taken, share(right, taken),
              share(right, meant));
}
