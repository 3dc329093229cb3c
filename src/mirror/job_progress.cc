#include "mirror/job_progress.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cmath>

namespace lade::mirror {
namespace {

namespace json = boost::json;

std::optional<std::int64_t> count_in(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  if (found == nullptr || !found->is_int64() || found->get_int64() < 0) return std::nullopt;
  return found->get_int64();
}

}  // namespace

double JobProgress::percentage() const {
  if (!total) return 0;
  if (*total == 0) return finished ? 100 : 0;
  const double exact = static_cast<double>(processed()) * 100 / static_cast<double>(*total);
  return std::floor(exact * 10) / 10;
}

bool JobProgress::same_as(const JobProgress& other) const {
  return succeeded == other.succeeded && failed == other.failed && total == other.total && attempt == other.attempt &&
         finished == other.finished;
}

std::string to_json(const JobProgress& progress) {
  return fmt::format(
      R"({{"processed_rows":{},"total_rows":{},"success_count":{},"failure_count":{},"percentage":{:.1f},)"
      R"("last_updated":"{}","attempt":{},"finished":{}}})",
      progress.processed(), progress.total ? std::to_string(*progress.total) : "null", progress.succeeded,
      progress.failed, progress.percentage(), to_text(progress.last_updated), progress.attempt, progress.finished);
}

std::optional<JobProgress> read_progress(std::string_view text) {
  json::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) return std::nullopt;
  const json::object& object = value.get_object();
  const json::value *total = object.if_contains("total_rows"), *finished = object.if_contains("finished"),
                    *updated = object.if_contains("last_updated");
  const auto processed = count_in(object, "processed_rows"), succeeded = count_in(object, "success_count"),
             failed = count_in(object, "failure_count"), attempt = count_in(object, "attempt");
  if (!processed || !succeeded || !failed || !attempt || total == nullptr) return std::nullopt;
  if (finished == nullptr || !finished->is_bool() || updated == nullptr || !updated->is_string()) return std::nullopt;
  const auto moment = moment_of(std::string_view(updated->get_string()));
  const auto counted = count_in(object, "total_rows");
  if (!moment || (!counted && !total->is_null())) return std::nullopt;
  // Beyond it sums would not fit.
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  if (*succeeded > kMost || *failed > kMost || *succeeded + *failed != *processed) return std::nullopt;
  if (counted && *processed > *counted) return std::nullopt;
  return JobProgress{*succeeded, *failed, counted, *attempt, finished->get_bool(), *moment};
}

JobProgress fresher(const JobProgress& stored, const std::optional<JobProgress>& mirrored, Moment now) {
  if (!mirrored || stored.finished || mirrored->finished || mirrored->attempt != stored.attempt) return stored;
  if (mirrored->processed() <= stored.processed() || mirrored->total != stored.total) return stored;
  if (std::chrono::abs(now - mirrored->last_updated) > kFreshFor) return stored;
  return *mirrored;
}

}  // namespace lade::mirror
