#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a person is asked when nobody can say for sure whom a name means: the question of an issue.
namespace lade::steps {

struct NameCandidate {
  std::string id, name;   // of the entity, as they are stored
  double confidence = 0;  // 0 to 100
  std::string reason;     // names::to_string()
};

struct NameQuestion {
  std::string step;   // its code
  std::string table;  // that has the entities
  std::string rules;  // EntityTable::rules_mark()
  std::string name;   // as it is written
  std::string key;    // decision_key()
  std::string tier;   // suggested, blocked
  std::vector<NameCandidate> candidates;
  bool ambiguous = false;                                   // the best one has no clear lead over the next
  std::vector<std::pair<std::string, std::string>> record;  // what else the row says, shortened: data column, text
  double completeness = 0;                                  // which share of its columns has a value
};

// The part that is the same for all rows with the name, to be written once: candidates as a JSON list.
std::string candidates_json(const std::vector<NameCandidate>& candidates);
// `candidates` is what candidates_json() gave.
std::string to_text(const NameQuestion& question, std::string_view candidates);

}  // namespace lade::steps
