#include "names/index.h"

#include <algorithm>
#include <functional>
#include <span>

namespace lade::names {
namespace {

constexpr std::size_t kMostTouched = 3000;  // entries of groups that are looked at for one name
constexpr std::size_t kMostCompared = 24;   // names that are compared letter by letter
constexpr std::size_t kMostGroups = 64;     // of one name

constexpr std::uint64_t kWord = std::uint64_t{1} << 63;

std::size_t letters_of(std::uint64_t group) {
  return (group & kWord) == 0 ? 1 : group & 0x3f;
}

// Every word of the name, and every three letters of it, with a space before and behind the name; each once.
void groups_of(std::string_view name, std::vector<std::uint64_t>& groups) {
  groups.clear();
  for (const std::string_view word : words_of(name))
    if (word.size() > 2)
      groups.push_back(kWord | (std::hash<std::string_view>()(word) & ~std::uint64_t{0x3f}) |
                       std::min<std::size_t>(word.size(), 0x3f));
  const auto at = [&](std::size_t i) -> std::uint64_t {
    return i == 0 || i > name.size() ? ' ' : static_cast<unsigned char>(name[i - 1]);
  };
  for (std::size_t i = 0; i < name.size() && groups.size() < kMostGroups; ++i)
    groups.push_back(at(i) << 16 | at(i + 1) << 8 | at(i + 2));
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
}

}  // namespace

void NameIndex::add(std::int64_t entity, std::string_view name) {
  if (name.empty()) return;
  names_.push_back({static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(name.size()), entity});
  texts_.insert(texts_.end(), name.begin(), name.end());
}

void NameIndex::finish() {
  std::vector<std::uint64_t> groups;
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    exact_[text(i)].push_back(i);
    groups_of(text(i), groups);
    for (const std::uint64_t group : groups) groups_[group].push_back(i);
  }
}

NameIndex::Asker::Asker(const NameIndex& index) : index_(index), shared_(index.names(), 0) {}

// The names that share the rarest groups with it, those with most of them first.
void NameIndex::Asker::collect(std::string_view name) {
  for (const std::uint32_t touched : touched_) shared_[touched] = 0;
  touched_.clear();
  groups_of(name, groups_);
  std::vector<std::pair<const std::vector<std::uint32_t>*, std::uint64_t>> lists;
  for (const std::uint64_t group : groups_)
    if (const auto found = index_.groups_.find(group); found != index_.groups_.end())
      lists.emplace_back(&found->second, group);
  std::ranges::sort(lists, {}, [](const auto& list) { return list.first->size(); });
  const std::size_t most = std::max(kMostTouched, index_.names() / 100);
  std::size_t looked_at = 0;
  for (const auto& [list, group] : lists) {
    if (looked_at > 0 && looked_at + list->size() > most) break;
    // Where all share even its rarest group some of them are looked at, not the whole table.
    const auto some = std::span(*list).first(std::min(list->size(), most));
    looked_at += some.size();
    for (const std::uint32_t one : some) {
      if (shared_[one] == 0) touched_.push_back(one);
      shared_[one] = static_cast<std::uint16_t>(shared_[one] + letters_of(group));
    }
  }
  const auto more = [&](std::uint32_t one, std::uint32_t other) {
    if (shared_[one] != shared_[other]) return shared_[one] > shared_[other];
    const auto off = [&](std::uint32_t i) {
      const auto length = static_cast<std::int64_t>(index_.names_[i].length);
      return std::abs(length - static_cast<std::int64_t>(name.size()));
    };
    return off(one) != off(other) ? off(one) < off(other) : one < other;
  };
  const std::size_t wanted = std::min(kMostCompared, touched_.size());
  std::partial_sort(touched_.begin(), touched_.begin() + static_cast<std::ptrdiff_t>(wanted), touched_.end(), more);
}

// Of an entity with several names that which is most like it counts.
void NameIndex::Asker::take(std::uint32_t name, const Similarity& found, double least) {
  if (found.score < least) return;
  const Candidate candidate{index_.names_[name].entity, index_.text(name), found.score, found.reason};
  const auto known = std::ranges::find(found_, candidate.entity, &Candidate::entity);
  if (known == found_.end())
    found_.push_back(candidate);
  else if (known->confidence < candidate.confidence)
    *known = candidate;
}

const std::vector<Candidate>& NameIndex::Asker::ask(std::string_view name, std::size_t most, double least) {
  found_.clear();
  if (const auto exact = index_.exact_.find(name); exact != index_.exact_.end())
    for (const std::uint32_t one : std::span(exact->second).first(std::min(exact->second.size(), kMostCompared)))
      take(one, {100, Reason::same}, least);
  // Who is called so is meant, unless several are.
  if (found_.size() == 1 || name.empty()) return found_;
  collect(name);
  // Who shares less than half of what the first one does is hardly meant.
  for (std::size_t i = 0; i < std::min(kMostCompared, touched_.size()); ++i) {
    if (2 * shared_[touched_[i]] < shared_[touched_[0]]) break;
    take(touched_[i], similarity(name, index_.text(touched_[i])), least);
  }
  std::ranges::sort(found_, [](const Candidate& one, const Candidate& other) {
    return one.confidence != other.confidence ? one.confidence > other.confidence : one.entity < other.entity;
  });
  if (found_.size() > most) found_.resize(most);
  return found_;
}

}  // namespace lade::names
