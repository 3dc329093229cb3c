#include "jobs/page_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "base/one_line.h"
#include "definition/utf8.h"
#include "jobs/known_version.h"
#include "queue/retry.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;
namespace page_status = store::page_status;
using harvest::Fetched;
using harvest::FetchFailure;
using store::PageError;
using store::PageResult;

constexpr std::string_view kKeptHeaders[] = {
    "content-type", "content-length", "content-language", "date", "last-modified", "etag", "server"};

// Text that both databases take: UTF-8 without NUL.
std::string storable(std::string text) {
  std::size_t from = 0;
  while (const auto wrong = definition::find_invalid_utf8(std::string_view(text).substr(from))) {
    from += *wrong;
    text[from++] = '?';
  }
  return text;
}

std::string format_of(std::string_view content_type, harvest::PageKind kind) {
  if (kind == harvest::PageKind::html) return "HTML";
  if (kind == harvest::PageKind::json) return "API";
  if (content_type.starts_with("application/pdf")) return "PDF";
  if (content_type.starts_with("application/vnd.openxmlformats-officedocument.wordprocessingml")) return "DOCX";
  return content_type.starts_with("image/") ? "IMAGE" : "";
}

std::string metadata_of(const Fetched& fetched) {
  json::object headers;
  for (const std::string_view name : kKeptHeaders)
    if (std::string value = fetched.header(name); !value.empty()) headers[name] = storable(std::move(value));
  json::array hops;
  for (const std::string& hop : fetched.hops) hops.emplace_back(storable(hop));
  json::object metadata{{"final_url", storable(fetched.url)},
                        {"fetched_at", to_text(fetched.at)},
                        {"address", fetched.address},
                        {"status", fetched.status},
                        {"headers", std::move(headers)}};
  if (hops.size() > 1) metadata["hops"] = std::move(hops);
  if (fetched.not_modified) metadata["not_modified"] = true;
  for (const auto& [key, header] : {std::pair("etag", "etag"), std::pair("last_modified", "last-modified")})
    if (std::string value = fetched.header(header); !value.empty()) metadata[key] = storable(std::move(value));
  return json::serialize(metadata);
}

std::string fields_of(const harvest::Extracted& extracted) {
  json::object fields;
  for (const harvest::Extracted::Field& field : extracted.fields) {
    json::array values;
    for (const std::string& value : field.values) values.emplace_back(storable(value));
    fields[field.name] = std::move(values);
  }
  json::array issues;
  for (const model::Issue& issue : extracted.issues)
    issues.push_back({{"code", issue.code},
                      {"column", issue.column},
                      {"severity", issue.severity == model::Severity::warning ? "warning" : "error"},
                      {"message", storable(issue.message)},
                      {"hint", storable(issue.hint)}});
  return json::serialize(json::object{{"fields", std::move(fields)}, {"issues", std::move(issues)}});
}

PageError error_of(const FetchFailure& failure) {
  return {.code = failure.error.code,
          .message = storable(one_line(failure.error.message)),
          .reason = failure.reason,
          .http_status = failure.http_status,
          .url = storable(failure.url)};
}

PageResult failed(const OpenFetch& open, const EndedAttempt& attempt, const FetchFailure& failure) {
  PageResult result{.row_id = attempt.page.row_id, .attempt = attempt.page.attempt, .status = page_status::kFailed};
  result.error = error_of(failure);
  result.http_status = failure.http_status;
  if (failure.is_final) return result;
  if (attempt.page.attempt >= open.most_attempts) {
    result.error.stack = fmt::format("{}: {}", result.error.code, result.error.message);
    result.error.message = fmt::format("{} attempts, the last: {}", attempt.page.attempt, result.error.message);
    result.error.code = "max_attempts_exceeded";
    return result;
  }
  result.status = page_status::kRetryable;
  const queue::RetryPolicy policy{.base = open.backoff, .cap = std::chrono::hours(1)};
  if (failure.reason == "cancelled") return result;  // at once, by whoever takes the task next
  result.delay = queue::backoff(policy, attempt.page.attempt);
  if (failure.retry_after)
    result.delay = std::max<std::chrono::microseconds>(
        result.delay, std::min<std::chrono::seconds>(*failure.retry_after, std::chrono::hours(1)));
  return result;
}

// Takes the page apart.
void enrich(const OpenFetch& open, const EndedAttempt& attempt, PageResult& result) {
  const harvest::PageKind kind = harvest::kind_of_page(result.content_type, attempt.body);
  result.source_format = format_of(result.content_type, kind);
  if (!open.extractor) return;
  const auto begin = std::chrono::steady_clock::now();
  const auto extracted = open.extractor->extract(attempt.body, result.content_type);
  const auto took = std::chrono::steady_clock::now() - begin;
  result.enrich_ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  if (extracted) {
    result.fields = fields_of(*extracted);
    return;
  }
  result.status = page_status::kFailed;
  result.error = {.code = extracted.error().code,
                  .message = storable(one_line(extracted.error().message)),
                  .reason = extracted.error().code,
                  .http_status = result.http_status,
                  .url = storable(attempt.outcome->url)};
}

PageResult fetched(const OpenFetch& open, const EndedAttempt& attempt, const Fetched& page) {
  PageResult result{.row_id = attempt.page.row_id, .attempt = attempt.page.attempt, .http_status = page.status};
  result.duration_ms = page.duration.count();
  result.content_type = storable(one_line(page.header("content-type")));
  result.checksum = page.sha256;
  result.evidence.metadata = metadata_of(page);
  result.evidence.bytes = static_cast<std::int64_t>(attempt.body.size());
  enrich(open, attempt, result);
  return result;
}

// One file for the bodies of all pages: a file for each would wait for the disk as often. Bodies that are the same are
// kept once.
Result<void> keep(const storage::Storage& storage, const std::vector<EndedAttempt>& attempts,
                  std::vector<PageResult>& results) {
  std::map<std::string_view, std::int64_t> kept;  // by checksum
  std::int64_t bytes = 0;
  std::optional<storage::Upload> upload;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (results[i].checksum.empty()) continue;
    if (!upload) {
      LADE_ASSIGN(storage::Upload begun, storage.begin({.checksum = false}));
      upload.emplace(std::move(begun));
    }
    const auto [place, is_new] = kept.emplace(results[i].checksum, bytes);
    if (is_new) {
      LADE_TRY(upload->write(attempts[i].body));
      bytes += results[i].evidence.bytes;
    }
    results[i].evidence.file = upload->id();
    results[i].evidence.offset = place->second;
  }
  if (upload) LADE_TRY(upload->finish());
  return {};
}

// The storage has not taken the bodies: their pages are asked for once more.
void try_again(const OpenFetch& open, const std::vector<EndedAttempt>& attempts, const Error& error,
               std::vector<PageResult>& results) {
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (!results[i].checksum.empty())
      results[i] = failed(open, attempts[i],
                          {.error = error, .reason = "not_kept", .url = attempts[i].outcome->url, .is_final = false});
}

}  // namespace

class PageAttempts::Body final : public ByteSink {
 public:
  explicit Body(PageAttempts& attempts) : attempts_(attempts) {}
  Result<void> write(std::string_view bytes) override {
    const auto size = std::ssize(bytes);
    if (attempts_.held_ + size > attempts_.open_.held_bytes && attempts_.held_ > std::ssize(text))
      return fail("scrape_failed",
                  fmt::format("the pages under way are larger than {} MiB together", attempts_.open_.held_bytes >> 20));
    text.append(bytes);
    attempts_.held_ += size;
    attempts_.expect(std::ssize(text));
    return {};
  }
  std::string text;

 private:
  PageAttempts& attempts_;
};

std::size_t PageAttempts::most_under_way() const {
  const std::int64_t largest = std::max<std::int64_t>(1, largest_);
  return std::min(open_.most_under_way,
                  static_cast<std::size_t>(std::max<std::int64_t>(1, open_.held_bytes / largest)));
}

PageAttempts::~PageAttempts() {
  break_off();
}

void PageAttempts::start(store::OpenPage page) {
  {
    const std::lock_guard lock(mutex_);
    ++under_way_;
  }
  open_.gate.page_began(page.host);
  const auto body = std::make_shared<Body>(*this);  // shared with the callback, which outlives the fetch
  harvest::FetchRequest request{.url = page.url};
  request.respect_robots = open_.rules.fetch.respect_robots;
  request.limits = open_.rules.fetch.limits;
  if (page.known) ask_conditionally(*page.known, request);
  request.body = body.get();
  open_.fetcher->start(std::move(request), stop_.get_token(),
                       [this, body, page = std::move(page)](harvest::FetchOutcome outcome) mutable {
                         ended({std::move(page), std::move(body->text), std::move(outcome)});
                       });
}

void PageAttempts::ended(EndedAttempt attempt) {
  open_.gate.page_ended(attempt.page.host);
  const std::lock_guard lock(mutex_);
  held_ -= std::ssize(attempt.body);
  ended_.push_back(std::move(attempt));
  --under_way_;
  changed_.notify_all();
}

std::size_t PageAttempts::under_way() const {
  const std::lock_guard lock(mutex_);
  return under_way_ + ended_.size();
}

std::vector<EndedAttempt> PageAttempts::wait(std::chrono::steady_clock::time_point until, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, stop, until, [&] { return !ended_.empty(); });
  return std::exchange(ended_, {});
}

std::vector<EndedAttempt> PageAttempts::break_off() {
  stop_.request_stop();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return under_way_ == 0; });
  return std::exchange(ended_, {});
}

PageResult failed_result(std::int64_t row, std::int64_t attempt, PageError error) {
  return {.row_id = row, .attempt = attempt, .status = page_status::kFailed, .error = std::move(error)};
}

std::vector<PageResult> results_of(const OpenFetch& open, const storage::Storage& storage,
                                   const std::vector<EndedAttempt>& attempts) {
  std::vector<PageResult> results;
  results.reserve(attempts.size());
  for (const EndedAttempt& attempt : attempts)
    results.push_back(attempt.outcome ? fetched(open, attempt, *attempt.outcome)
                                      : failed(open, attempt, attempt.outcome.error()));
  if (const auto kept = keep(storage, attempts, results); !kept) try_again(open, attempts, kept.error(), results);
  return results;
}

}  // namespace lade::jobs
