#include "jobs/review_wish.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "jobs/batches.h"
#include "jobs/control.h"

namespace lade::jobs {
namespace {

constexpr double kHigh = 90, kMedium = 70;

Error wrong(std::string_view name, std::string_view value, std::string_view expected) {
  return {"request_invalid", fmt::format("{} '{}' is none", name, value), std::string(expected), ErrorKind::usage};
}

Result<std::optional<double>> percent(std::string_view name, const std::string& text) {
  if (text.empty()) return std::nullopt;
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 100))
    return fail(wrong(name, text, "a number from 0 to 100"));
  return value;
}

Result<void> narrow(store::ReviewFilter& filter, const std::string& level) {
  if (level.empty()) return {};
  if (level != "high" && level != "medium" && level != "low")
    return fail(wrong("confidence", level, "high, medium or low"));
  if (level != "low") filter.min = std::max(filter.min.value_or(0), level == "high" ? kHigh : kMedium);
  if (level != "high") filter.below = std::min(filter.below.value_or(101), level == "medium" ? kHigh : kMedium);
  return {};
}

}  // namespace

std::string_view confidence_level(double confidence) {
  return confidence >= kHigh ? "high" : confidence >= kMedium ? "medium" : "low";
}

Result<store::ReviewFilter> filter_of(db::Connection& connection, const ReviewWish& wish, std::int64_t company) {
  store::ReviewFilter filter{.company = company, .status = wish.status, .table = wish.table};
  const std::string& status = wish.status;
  if (status != "open" && status != "decided" && status != "withdrawn" && status != "all")
    return fail(wrong("status", status, "open, decided, withdrawn or all"));
  if (status == "all") filter.status.clear();
  LADE_ASSIGN(filter.min, percent("min", wish.min));
  LADE_ASSIGN(const auto most, percent("max", wish.max));
  if (most) filter.below = std::nextafter(*most, 1000.0);
  LADE_TRY(narrow(filter, wish.confidence));
  if (!wish.job.empty()) {
    LADE_ASSIGN(const store::JobRecord job, require_job(connection, wish.job, company));
    filter.job = job.id;
  }
  if (!wish.batch.empty()) {
    LADE_ASSIGN(const store::BatchRecord batch, require_batch(connection, wish.batch, company));
    filter.batch_id = batch.id;
  }
  filter.after = wish.cursor;
  filter.limit = wish.limit;
  return filter;
}

}  // namespace lade::jobs
