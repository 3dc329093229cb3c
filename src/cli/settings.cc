#include "cli/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

#include "cli/commands.h"
#include "handlers/registry.h"
#include "storage/bucket_url.h"
#include "storage/storage_id.h"

namespace lade::cli {
namespace {

constexpr std::int64_t kMaxPartBytes = 1'000'000'000;

Error setting_invalid(std::string_view name, std::string_view value, std::int64_t most) {
  return {"setting_invalid", fmt::format("{}={}: a whole number from 1 to {} is needed", name, value, most),
          "docs/settings.md has the settings", ErrorKind::usage};
}

// The value of the first of the names that is given.
template <class Number>
Result<void> read_number(const NamedSettings& settings, std::initializer_list<const char*> names, std::int64_t most,
                         Number& number) {
  for (const char* name : names) {
    const auto found = settings.find(name);
    if (found == settings.end()) continue;
    const std::string& text = found->second;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
      return fail(setting_invalid(name, text, most));
    number = static_cast<Number>(value);
    return {};
  }
  return {};
}

Result<void> read_flag(const NamedSettings& settings, const char* name, bool& flag) {
  const auto given = settings.find(name);
  if (given == settings.end()) return {};
  if (given->second != "true" && given->second != "false")
    return fail("setting_invalid", fmt::format("{}={}: true or false is needed", name, given->second),
                "docs/settings.md has the settings", ErrorKind::usage);
  flag = given->second == "true";
  return {};
}

// Where result files lie in the storage.
Result<void> read_results_path(const NamedSettings& settings, std::string& path) {
  constexpr std::size_t kMost = 200;
  const auto given = settings.find("IMPORT_S3_PREFIX");
  if (given == settings.end()) return {};
  if (!storage::is_prefix(given->second) || given->second.size() > kMost)
    return fail(
        "setting_invalid",
        fmt::format("IMPORT_S3_PREFIX={}: it is no path of letters, digits and ._- between single slashes, with "
                    "at most {} characters",
                    given->second, kMost),
        "docs/settings.md has the settings", ErrorKind::usage);
  path = given->second;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return {};
}

// A folder that is there, or can be made, only for this user.
Result<void> make_temporary_folder(const std::string& path) {
  std::error_code error;
  const bool created = std::filesystem::create_directories(path, error);
  if (created && !error) std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  if (!error && ::access(path.c_str(), W_OK | X_OK) != 0) error = std::error_code(errno, std::generic_category());
  if (!error) return {};
  return fail("setting_invalid", fmt::format("IMPORT_TEMP_DIR={}: {}", path, error.message()),
              "name a folder that lade may write to", ErrorKind::usage);
}

// Words with commas or spaces between them.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", "), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Result<void> apply(const NamedSettings& settings, jobs::HarvestOptions& options) {
  constexpr std::int64_t kDayMs = 86'400'000;
  if (const auto allow = settings.find("LADE_HARVEST_ALLOW"); allow != settings.end())
    options.allow = words_of(allow->second);
  if (const auto ports = settings.find("LADE_HARVEST_PORTS"); ports != settings.end()) {
    options.ports.clear();
    for (const std::string& port : words_of(ports->second))
      LADE_TRY(
          read_number({{"LADE_HARVEST_PORTS", port}}, {"LADE_HARVEST_PORTS"}, 65'535, options.ports.emplace_back()));
  }
  LADE_TRY(read_flag(settings, "LADE_HARVEST_IGNORE_ROBOTS", options.may_ignore_robots));
  LADE_TRY(read_number(settings, {"scrapeRateLimitPerDomain"}, 1'000'000, options.host_per_minute));
  LADE_TRY(read_number(settings, {"maxConcurrentScrapes"}, 10'000, options.total_at_once));
  std::int64_t backoff = options.backoff.count(), stuck = options.stuck.count();
  LADE_TRY(read_number(settings, {"retryBackoffBase"}, kDayMs, backoff));
  LADE_TRY(read_number(settings, {"stuckTaskThreshold"}, 30 * kDayMs, stuck));
  options.backoff = std::chrono::milliseconds(backoff);
  options.stuck = std::chrono::milliseconds(stuck);
  if (const auto retries = settings.find("maxRetries"); retries != settings.end() && retries->second == "0")
    options.retries = 0;
  else
    LADE_TRY(read_number(settings, {"maxRetries"}, 100, options.retries));
  return jobs::check(options);
}

}  // namespace

Result<NamedSettings> read_settings_text(const std::string& text, const std::string& name) {
  NamedSettings settings;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view row = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.empty() || row.starts_with('#')) continue;
    const std::size_t equals = row.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return fail("settings_file_invalid", fmt::format("{} line {}: '{}' is not NAME=VALUE", name, line, row),
                  "docs/settings.md has the settings", ErrorKind::usage);
    settings.insert_or_assign(std::string(row.substr(0, equals)), std::string(row.substr(equals + 1)));
  }
  return settings;
}

Result<NamedSettings> named_settings(const std::string& file) {
  NamedSettings settings;
  if (!file.empty()) {
    LADE_ASSIGN(const std::string text, read_all(file));
    LADE_ASSIGN(settings, read_settings_text(text, file));
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (const std::size_t at = text.find('='); at != std::string_view::npos)
      settings.insert_or_assign(std::string(text.substr(0, at)), std::string(text.substr(at + 1)));
  }
  return settings;
}

Result<NamedSettings> named_settings(const CommonOptions& common) {
  LADE_ASSIGN(NamedSettings settings, named_settings(common.settings));
  if (!common.handlers.empty()) settings.insert_or_assign("HANDLERS_FILE", common.handlers);
  if (!common.harvest_allow.empty())
    settings.insert_or_assign("LADE_HARVEST_ALLOW", fmt::format("{}", fmt::join(common.harvest_allow, ",")));
  if (!common.harvest_ports.empty())
    settings.insert_or_assign("LADE_HARVEST_PORTS", fmt::format("{}", fmt::join(common.harvest_ports, ",")));
  if (common.harvest_ignore_robots) settings.insert_or_assign("LADE_HARVEST_IGNORE_ROBOTS", "true");
  if (!common.redis.empty()) settings.insert_or_assign("REDIS_URL", common.redis);
  return settings;
}

Result<void> set_place(const CommonOptions& common, jobs::ImportOptions& options) {
  options.data = common.data;
  LADE_ASSIGN(const NamedSettings named, named_settings(common.settings));
  const storage::Setting setting = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = named.find(name);
    return found == named.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
  };
  if (const auto folder = setting("IMPORT_TEMP_DIR")) {
    LADE_TRY(make_temporary_folder(*folder));
    options.temp = *folder;
  }
  const std::string storage = common.storage.empty() ? setting("LADE_STORAGE").value_or("") : common.storage;
  if (storage::is_bucket_url(common.data))
    return fail("option_invalid", "--data is a folder of this machine", "name the bucket with --storage",
                ErrorKind::usage);
  if (storage.empty()) return {};
  LADE_ASSIGN(options.bucket, storage::parse_bucket_url(storage, setting));
  return {};
}

Result<void> set_mirror(const NamedSettings& settings, jobs::ImportOptions& options) {
  const auto url = settings.find("REDIS_URL");
  if (url == settings.end() || url->second.empty()) return {};
  LADE_ASSIGN(mirror::Address address, mirror::parse_address(url->second));
  if (const auto password = settings.find("REDIS_PASSWORD"); password != settings.end() && address.password.empty())
    address.password = password->second;
  options.mirror = mirror::Options{.address = std::move(address)};
  return {};
}

Result<std::chrono::seconds> link_expires(const NamedSettings& settings) {
  constexpr std::int64_t kWeek = 7 * 24 * 3600;  // S3 allows no more
  std::int64_t seconds = 3600;
  LADE_TRY(read_number(settings, {"IMPORT_RESULT_PRESIGN_EXPIRES"}, kWeek, seconds));
  return std::chrono::seconds(seconds);
}

Result<void> apply(const NamedSettings& settings, jobs::ImportOptions& options) {
  if (const auto file = settings.find("HANDLERS_FILE"); file != settings.end() && !file->second.empty()) {
    std::error_code error;
    const std::filesystem::path lade = std::filesystem::read_symlink("/proc/self/exe", error);
    LADE_ASSIGN(options.handlers, handlers::read_registry(file->second, lade));
  }
  LADE_TRY(read_number(settings, {"QUEUE_CONCURRENCY", "IMPORT_WORKER_CONCURRENCY", "scrapeWorkerCount"}, 256,
                       options.workers));
  LADE_TRY(read_number(settings, {"IMPORT_CHUNK_BYTES"}, kMaxPartBytes, options.chunk_bytes));
  LADE_TRY(read_number(settings, {"IMPORT_BUCKET_BYTES"}, kMaxPartBytes, options.bucket_bytes));
  LADE_TRY(read_number(settings, {"IMPORT_PROGRESS_DB_FLUSH_EVERY_N_BATCHES"}, 1000, options.flush_batches));
  LADE_TRY(read_number(settings, {"IMPORT_DEFAULT_BATCH_SIZE"}, 1'000'000, options.batch_rows));
  LADE_TRY(read_flag(settings, "IMPORT_ENABLE_RESULT_FILES", options.store_results));
  LADE_TRY(read_flag(settings, "IMPORT_RESULT_BOM", options.result_bom));
  LADE_TRY(apply(settings, options.harvest));
  return read_results_path(settings, options.results_path);
}

Result<void> apply(const NamedSettings& settings, webhooks::DeliveryOptions& options) {
  return read_flag(settings, "WEBHOOK_ALLOW_PRIVATE", options.post.allow_private);
}

}  // namespace lade::cli
