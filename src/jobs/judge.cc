#include <fmt/format.h>

#include "jobs/job.h"

namespace lade::jobs {

using definition::Commit;
using definition::DuplicatePolicy;
using definition::FailWhen;

std::optional<Error> too_many_errors(const definition::Definition& definition, std::int64_t failed, std::int64_t read) {
  const auto error = [&](std::string why) {
    return Error{"too_many_errors", fmt::format("{} of {} rows failed, {}", failed, read, why),
                 "correct the rows in the failed file, or allow more errors"};
  };
  const auto& limit = definition.max_errors;
  if (limit.count && failed > *limit.count) return error(fmt::format("max_errors allows {}", *limit.count));
  if (limit.percent && static_cast<double>(failed) * 100 > *limit.percent * static_cast<double>(read))
    return error(fmt::format("max_errors allows {}%", *limit.percent));
  if (definition.fail_when == FailWhen::any_failed && failed > 0) return error("fail_when: any_failed allows none");
  if (definition.fail_when == FailWhen::all_failed && failed == read && read > 0) return error("fail_when: all_failed");
  if (definition.commit == Commit::all_or_nothing && !limit.given() && failed > 0)
    return error("commit: all_or_nothing allows none");
  return std::nullopt;
}

bool is_judged(const definition::Definition& definition) {
  return definition.max_errors.given() || definition.fail_when != FailWhen::never ||
         definition.review != definition::Review::never || definition.commit == Commit::all_or_nothing;
}

bool settles_before(const definition::Definition& definition) {
  if (!is_judged(definition)) return false;
  if (definition.review != definition::Review::never || definition.duplicates == DuplicatePolicy::reject) return true;
  // A version that is built aside is judged when it is whole: nobody sees it before.
  const bool is_seen = definition.set() == nullptr || !definition.set()->version;
  return definition.duplicates == DuplicatePolicy::merge && is_seen;
}

bool compares_before(const definition::Definition& definition) {
  return definition.review != definition::Review::never && definition.handler() == nullptr;
}

}  // namespace lade::jobs
