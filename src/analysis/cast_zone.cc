#include <date/tz.h>
#include <fmt/format.h>

#include <exception>

#include "analysis/cast_date.h"

namespace lade::analysis {
namespace {

// A stretch of local time with one offset, far enough from its changes that each local time occurs exactly once.
struct Stretch {
  const ::date::time_zone* zone = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t offset = 0;
};

// No zone ever jumped further (Samoa left out one whole day).
constexpr std::int64_t kLargestJump = 2 * 86'400;

}  // namespace

bool local_to_utc(const ::date::time_zone& zone, std::int64_t local_seconds, std::int64_t& utc_seconds) {
  // Files hold long runs of times in one half of a year: asking the library for each costs 20 times as much.
  thread_local Stretch last;
  if (last.zone == &zone && local_seconds >= last.begin && local_seconds < last.end) {
    utc_seconds = local_seconds - last.offset;
    return true;
  }
  const auto info = zone.get_info(::date::local_seconds(std::chrono::seconds(local_seconds)));
  if (info.result != ::date::local_info::unique) return false;
  const std::int64_t offset = info.first.offset.count();
  last = {&zone, info.first.begin.time_since_epoch().count() + offset + kLargestJump,
          info.first.end.time_since_epoch().count() + offset - kLargestJump, offset};
  utc_seconds = local_seconds - offset;
  return true;
}

Result<const ::date::time_zone*> find_zone(std::string_view name) {
  try {
    return ::date::locate_zone(name);
  } catch (const std::exception&) {
    return fail("timezone_unknown", fmt::format("time zone \"{}\" is not known", name),
                "a name of the IANA database such as Europe/Berlin or UTC (Debian package tzdata)", ErrorKind::invalid);
  }
}

}  // namespace lade::analysis
