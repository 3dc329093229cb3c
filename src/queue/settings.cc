#include "queue/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>

namespace lade::queue {
namespace {

struct Name {
  std::string_view name;
  double smallest;
  double largest;
  std::function<void(Settings&, double)> set;
};

template <class Unit, class Field>
auto in_unit(Field Settings::*field) {
  return [field](Settings& settings, double value) { settings.*field = Unit(static_cast<typename Unit::rep>(value)); };
}

constexpr double kDayMs = 86'400'000;

// Where two names mean the same the later one wins: lade's own stand last.
const std::vector<Name>& names() {
  using std::chrono::milliseconds;
  const auto workers = [](Settings& s, double value) { s.concurrency = static_cast<std::size_t>(value); };
  const auto attempts = [](Settings& s, double value) { s.retry.max_attempts = static_cast<std::int64_t>(value); };
  const auto base = [](Settings& s, double value) { s.retry.base = milliseconds(static_cast<std::int64_t>(value)); };
  static const std::vector<Name> all = {
      {"scrapeWorkerCount", 1, 1024, workers},
      {"IMPORT_WORKER_CONCURRENCY", 1, 1024, workers},
      {"QUEUE_CONCURRENCY", 1, 1024, workers},
      {"QUEUE_HEARTBEAT_MS", 10, 60'000, in_unit<milliseconds>(&Settings::beat)},
      {"QUEUE_VISIBILITY_MS", 50, kDayMs, in_unit<milliseconds>(&Settings::lease)},
      {"stuckTaskThreshold", 100, 30 * kDayMs, in_unit<milliseconds>(&Settings::deadline)},
      {"QUEUE_DEADLINE_MS", 100, 30 * kDayMs, in_unit<milliseconds>(&Settings::deadline)},
      {"taskPollInterval", 1, 60'000, in_unit<milliseconds>(&Settings::poll)},
      {"QUEUE_IDLE_MS", 1, 60'000, in_unit<milliseconds>(&Settings::poll)},
      {"maxRetries", 0, 1000, [attempts](Settings& s, double value) { attempts(s, value + 1); }},
      {"QUEUE_MAX_ATTEMPTS", 1, 1000, attempts},
      {"QUEUE_MAX_CRASHES", 1, 1'000'000,
       [](Settings& s, double value) { s.retry.max_crashes = static_cast<std::int64_t>(value); }},
      {"retryBackoffBase", 1, kDayMs, base},
      {"BACKOFF_BASE", 1, kDayMs, base},
      {"BACKOFF_FACTOR", 1, 100, [](Settings& s, double value) { s.retry.factor = value; }},
      {"BACKOFF_MAX_MS", 1, kDayMs,
       [](Settings& s, double value) { s.retry.cap = milliseconds(static_cast<std::int64_t>(value)); }},
      {"QUEUE_PREFETCH", 0, 10'000, [](Settings& s, double value) { s.prefetch = static_cast<std::size_t>(value); }},
      {"QUEUE_DLQ_RETENTION_DAYS", 1, 3650,
       [](Settings& s, double value) {
         s.dead_letter_retention = std::chrono::hours(24 * static_cast<std::int64_t>(value));
       }},
  };
  return all;
}

Error invalid(std::string message, std::string hint) {
  return Error{"setting_invalid", std::move(message), std::move(hint), ErrorKind::invalid};
}

}  // namespace

Result<void> Settings::validate() const {
  if (lease < 5 * beat)
    return fail(
        invalid(fmt::format("QUEUE_VISIBILITY_MS is {} and QUEUE_HEARTBEAT_MS {}: a node would be declared dead "
                            "after fewer than 5 missing beats",
                            lease.count(), beat.count()),
                "let QUEUE_VISIBILITY_MS be at least 5 times QUEUE_HEARTBEAT_MS"));
  if (retry.cap < retry.base) return fail(invalid("BACKOFF_MAX_MS is less than BACKOFF_BASE", "raise BACKOFF_MAX_MS"));
  return {};
}

Result<Settings> read_settings(const std::map<std::string, std::string>& values, const Settings& defaults) {
  Settings settings = defaults;
  for (const Name& name : names()) {
    const auto given = values.find(std::string(name.name));
    if (given == values.end()) continue;
    const std::string& text = given->second;
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size() || !(number >= name.smallest) ||
        !(number <= name.largest))
      return fail(invalid(fmt::format("{} is '{}'", name.name, text),
                          fmt::format("give a number from {} to {}", name.smallest, name.largest)));
    name.set(settings, number);
  }
  LADE_TRY(settings.validate());
  return settings;
}

}  // namespace lade::queue
