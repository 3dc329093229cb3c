#pragma once

#include <cstdint>
#include <vector>

#include "names/index.h"

namespace lade::names {

// What is done with a name, by how sure it is what it means.
enum class Tier {
  automatic,  // taken
  suggested,  // proposed to a person
  blocked,    // a person must look for it
};

struct Tiers {
  double automatic = 90, suggested = 70;
};

// Two entities of which nobody can say which one is meant are never taken, however alike they are.
constexpr double kClearLead = 3;

inline Tier tier_of(const std::vector<Candidate>& candidates, const Tiers& tiers = {}) {
  if (candidates.empty() || candidates.front().confidence < tiers.suggested) return Tier::blocked;
  const bool clear = candidates.size() == 1 || candidates[0].confidence - candidates[1].confidence >= kClearLead;
  return clear && candidates.front().confidence >= tiers.automatic ? Tier::automatic : Tier::suggested;
}

}  // namespace lade::names
