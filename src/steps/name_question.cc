#include "steps/name_question.h"

#include <boost/json.hpp>
#include <cmath>

namespace lade::steps {
namespace {

namespace json = boost::json;

double rounded(double number) {
  return std::round(number * 100) / 100;
}

}  // namespace

std::string candidates_json(const std::vector<NameCandidate>& candidates) {
  json::array list;
  for (const NameCandidate& candidate : candidates)
    list.push_back(json::object{{"id", candidate.id},
                                {"name", candidate.name},
                                {"confidence", rounded(candidate.confidence)},
                                {"reasons", json::array{candidate.reason}}});
  return json::serialize(list);
}

std::string to_text(const NameQuestion& question, std::string_view candidates) {
  json::object record;
  for (const auto& [column, text] : question.record) record[column] = text;
  return json::serialize(
      json::object{{"step", question.step},
                   {"table", question.table},
                   {"rules", question.rules},
                   {"name", question.name},
                   {"key", question.key},
                   {"tier", question.tier},
                   {"best", question.candidates.empty() ? 0 : rounded(question.candidates.front().confidence)},
                   {"ambiguous", question.ambiguous},
                   {"candidates", candidates},
                   {"record", std::move(record)},
                   {"completeness", rounded(question.completeness)}});
}

}  // namespace lade::steps
