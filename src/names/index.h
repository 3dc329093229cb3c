#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "names/similarity.h"

namespace lade::names {

// An entity that a name may mean, and how sure that is.
struct Candidate {
  std::int64_t entity = 0;
  std::string_view name;  // of the entity, normalised: the one that is most like it
  double confidence = 0;  // 0 to 100
  Reason reason = Reason::letters;
};

// Entities by their names, each of which may have several. A name is compared only with those that share words or
// groups of three letters with it, rare ones first: the cost of a question grows little with the number of entities.
// Filled, then shared by all threads.
class NameIndex {
 public:
  // `name` is normalised; an empty one is left out.
  void add(std::int64_t entity, std::string_view name);
  // After the last add(), before the first question.
  void finish();
  std::size_t names() const { return names_.size(); }

  // Working memory of a thread that asks.
  class Asker {
   public:
    explicit Asker(const NameIndex& index);
    // The entities that the normalised name may mean, best first, each once, at most `most`, none below `least`.
    const std::vector<Candidate>& ask(std::string_view name, std::size_t most = 5, double least = 50);
    // How many names shared something with the last one, and were weighed.
    std::size_t looked_at() const { return touched_.size(); }

   private:
    void collect(std::string_view name);
    void take(std::uint32_t name, const Similarity& found, double least);

    const NameIndex& index_;
    std::vector<std::uint16_t> shared_;  // by name: how many letters, about; zero but for those touched
    std::vector<std::uint32_t> touched_;
    std::vector<std::uint64_t> groups_;
    std::vector<Candidate> found_;
  };

 private:
  struct Name {
    std::uint32_t begin, length;
    std::int64_t entity;
  };
  std::string_view text(std::uint32_t name) const { return {texts_.data() + names_[name].begin, names_[name].length}; }

  std::vector<char> texts_;  // which, other than a short string, keeps its place when it is moved
  std::vector<Name> names_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> exact_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> groups_;  // words and three letters → names with them
};

}  // namespace lade::names
