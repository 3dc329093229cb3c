// Rows that name pages: fetched at most once an attempt, loaded exactly once, whatever happens meanwhile.
#include "jobs/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "base/sha256.h"
#include "jobs/expand.h"
#include "jobs/fix.h"
#include "storage/folder.h"
#include "store/job_ends.h"
#include "store/pages.h"
#include "testing/durable.h"
#include "testing/page_server.h"

namespace lade::jobs {
namespace {

using testing::PageServer;
using Texts = std::vector<std::string>;

// A site whose pages /NUMBER say what is expected of them; tests change single ones.
class Site {
 public:
  using Answer = std::function<std::string(int asked)>;  // how often it was asked for, from 1
  Site()
      : server_([this](const PageServer::Request& request, const PageServer::Peer& peer) { answer(request, peer); }) {}

  void set(const std::string& path, Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[path] = std::move(answer);
  }
  // From now on every page has this version, and says so in these headers. Who asks whether it has changed is told that
  // it has not, with nothing else.
  void set_version(const std::string& headers) {
    const std::lock_guard lock(mutex_);
    version_ = headers;
  }
  // Pages that were asked whether they have changed, in order.
  Texts asked_whether() const {
    const std::lock_guard lock(mutex_);
    return asked_whether_;
  }
  std::string url(const std::string& path) const { return server_.url(path); }
  int asked(const std::string& path) const {
    const Texts all = server_.asked();
    return static_cast<int>(std::ranges::count(all, path));
  }
  int most_at_once() const { return most_at_once_; }
  int port() const { return server_.port(); }
  // When pages were asked for, in order.
  std::vector<std::chrono::steady_clock::time_point> times() const {
    const std::lock_guard lock(mutex_);
    return times_;
  }

  static std::string page(const std::string& title, const std::string& more = "") {
    return PageServer::page("<html><body><h1>" + title + "</h1><ul><li>a</li><li>b &amp; c</li></ul>" + more +
                            "</body></html>");
  }
  static std::string status(int status, const std::string& headers = "") {
    return PageServer::page("no", headers, status);
  }

 private:
  void answer(const PageServer::Request& request, const PageServer::Peer& peer) {
    const int at_once = ++at_once_;
    Answer given;
    int count = 0;
    std::string version;
    {
      const std::lock_guard lock(mutex_);
      version = version_;
      if (is_conditional(request)) asked_whether_.push_back(request.path);
      most_at_once_ = std::max(most_at_once_.load(), at_once);
      times_.push_back(std::chrono::steady_clock::now());
      count = ++counts_[request.path];
      if (const auto found = answers_.find(request.path); found != answers_.end()) given = found->second;
    }
    std::string text = given                           ? given(count)
                       : request.path == "/robots.txt" ? status(404)
                                                       : page("Title of " + request.path.substr(1));
    if (text.starts_with("HTTP/1.1 200")) text.insert(text.find("\r\n") + 2, version);
    if (!version.empty() && is_current(request, version))
      text = "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n";
    --at_once_;
    peer.send(text);
  }

  static bool is_conditional(const PageServer::Request& request) {
    return request.headers.contains("if-none-match") || request.headers.contains("if-modified-since");
  }
  // As RFC 9110 wants it: the date counts only without an ETag.
  static bool is_current(const PageServer::Request& request, const std::string& version) {
    const auto etag = request.headers.find("if-none-match"), date = request.headers.find("if-modified-since");
    if (etag != request.headers.end()) return version.find("ETag: " + etag->second + "\r\n") != std::string::npos;
    return date != request.headers.end() &&
           version.find("Last-Modified: " + date->second + "\r\n") != std::string::npos;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Answer> answers_;
  std::map<std::string, int> counts_;
  std::string version_;
  Texts asked_whether_;
  std::vector<std::chrono::steady_clock::time_point> times_;
  std::atomic<int> at_once_ = 0, most_at_once_ = 0;
  PageServer server_;
};

class Pages : public testing::DurableTest {
 protected:
  Pages() {
    EXPECT_OK(connection->run("CREATE TABLE page (code text PRIMARY KEY, title text, parts text, checksum text)"));
    options.harvest.allow = {"127.0.0.1"};
    options.harvest.ports = {static_cast<std::uint16_t>(site.port())};
    options.harvest.backoff = std::chrono::milliseconds(20);
    work.here = options;
  }

  inline static const std::string kFast = ", per_host: {per_minute: 0, at_once: 8}, total: {at_once: 8}";
  static std::string yaml(const std::string& fetch = "", const std::string& limits = kFast) {
    return "steps:\n"
           "  fetch: {priority: 10, url: URL, key: Code" +
           limits + fetch +
           "}\n"
           "  extract:\n"
           "    priority: 20\n"
           "    fields:\n"
           "      title: {css: h1, required: true}\n"
           "      parts: {css: li, list: true, separator: \"; \"}\n"
           "columns: {code: {from: Code}, title: {required: true}, parts: , checksum: {from: _page_checksum}}\n"
           "load: [{table: page, key: code}]\n";
  }
  std::string manifest(int rows) const {
    std::string csv = "Code,URL\n";
    for (int i = 1; i <= rows; ++i) csv += fmt::format("c{},{}\n", i, site.url(fmt::format("/{}", i)));
    return csv;
  }
  Texts pages() { return content("SELECT code, title, parts FROM page"); }
  Texts statuses() {
    return content("SELECT row_id, status, attempt, error_code, error_reason FROM lade_page ORDER BY row_id");
  }
  std::int64_t permits_in_use() {
    return integer("SELECT CAST(coalesce(sum(permits), 0) AS bigint) FROM lade_rate_use");
  }
  // What became of the job's pages.
  Texts answers(int job) {
    return content(
        fmt::format("SELECT row_id, status, attempt, http_status, content_type FROM lade_page WHERE job_id = {}", job));
  }
  // Imports it as if for the first time.
  Summary import_again(const std::string& csv, const std::string& yaml) {
    EXPECT_OK(connection->run("DELETE FROM page"));
    return import(csv, yaml);
  }
  // The bodies of the job's pages, as they are kept.
  Texts kept(std::int64_t job) {
    const auto found = store::list_pages(*connection, job);
    EXPECT_OK(found);
    Texts bodies;
    for (const store::PageRecord& page : *found) {
      const std::string stored = text_of(storage_path(options) / page.evidence.file);
      bodies.push_back(
          stored.substr(static_cast<std::size_t>(page.evidence.offset), static_cast<std::size_t>(page.evidence.bytes)));
      EXPECT_EQ(sha256_of(bodies.back()), page.checksum);
    }
    return bodies;
  }
  Texts issues() { return content("SELECT row_id, code, column_name FROM lade_issue"); }
  Result<Summary> try_import(const std::string& csv, const std::string& yaml) {
    Progress progress;
    return run_import(write("input.csv", csv), testing::definition_of(yaml), yaml, options, progress, {});
  }
  // From the site's thread.
  void cancel() {
    const auto session = db::connect(options.database);
    EXPECT_OK(session);
    if (!session) return;
    EXPECT_OK(cancel_job(**session, {job_, "ada"}));
  }

  Site site;
  std::string job_;
};
LADE_ON_BOTH_DATABASES(Pages);

TEST_P(Pages, AreFetchedTakenApartAndLoaded) {
  const Summary summary = import(manifest(3), yaml());
  EXPECT_EQ(counts(summary), "read 3 inserted 3");
  EXPECT_EQ(pages(), (Texts{"c1|Title of 1|a; b & c", "c2|Title of 2|a; b & c", "c3|Title of 3|a; b & c"}));
  EXPECT_EQ(statuses(), (Texts{"1|succeeded|1||", "2|succeeded|1||", "3|succeeded|1||"}));
  EXPECT_EQ(site.asked("/1"), 1);
  EXPECT_EQ(site.asked("/robots.txt"), 1);
  EXPECT_EQ(integer("SELECT count(*) FROM page JOIN lade_page ON page.checksum = lade_page.checksum"), 3);
  EXPECT_EQ(permits_in_use(), 0) << "all were given back";
}

TEST_P(Pages, TheirBodiesAreKeptAsEvidence) {
  import(manifest(2), yaml());
  const auto found = store::list_pages(*connection, 1);
  ASSERT_OK(found);
  ASSERT_EQ(found->size(), 2u);
  const auto storage = storage::Folder::open(storage_path(options));
  for (const store::PageRecord& page : *found) {
    EXPECT_EQ(page.http_status, 200);
    EXPECT_EQ(page.content_type, "text/html");
    EXPECT_EQ(page.source_format, "HTML");
    EXPECT_THAT(page.evidence.metadata, ::testing::HasSubstr("\"final_url\":\"" + page.url));
    const std::string stored = text_of(storage_path(options) / page.evidence.file);
    const std::string body =
        stored.substr(static_cast<std::size_t>(page.evidence.offset), static_cast<std::size_t>(page.evidence.bytes));
    EXPECT_THAT(body, ::testing::StartsWith("<html><body><h1>Title of " + std::to_string(page.row_id)));
    EXPECT_EQ(sha256_of(body), page.checksum);
  }
}

TEST_P(Pages, OnesThatFailCostTheirRowsOnly) {
  site.set("/2", [](int) { return Site::status(404); });
  site.set("/3", [](int asked) { return asked < 3 ? Site::status(503) : Site::page("third time"); });
  site.set("/4", [](int) { return Site::status(500); });
  site.set("/5", [](int) { return PageServer::page("<p>no title</p>"); });
  site.set("/6", [](int) { return PageServer::page("%PDF-1.4", "Content-Type: application/pdf\r\n"); });
  const std::string csv = manifest(6) + "c7,\nc8,http://127.0.0.1:1/x\nc9,ftp://x/\nc10," + site.url("/1") + "\n";
  const Summary summary = import(csv, yaml(", retries: 2"));
  EXPECT_EQ(counts(summary), "read 10 inserted 2 failed 8");
  EXPECT_EQ(pages(), (Texts{"c1|Title of 1|a; b & c", "c3|third time|a; b & c"}));
  EXPECT_EQ(
      statuses(),
      (Texts{"10|failed|0|duplicate_url|duplicate_url", "1|succeeded|1||", "2|failed|1|scrape_failed|http_404",
             "3|succeeded|3||", "4|failed|3|max_attempts_exceeded|http_500", "5|succeeded|1||",
             "6|failed|1|content_unsupported|content_unsupported", "7|failed|0|missing_source_url|missing_source_url",
             "8|failed|1|unreachable_url|address_refused", "9|failed|0|unreachable_url|url_invalid"}));
  EXPECT_EQ(issues(),
            (Texts{"10|duplicate_url|page_error", "2|scrape_failed|page_error", "4|max_attempts_exceeded|page_error",
                   "5|field_missing|title", "6|content_unsupported|page_error", "7|missing_source_url|page_error",
                   "8|unreachable_url|page_error", "9|unreachable_url|page_error"}));
  EXPECT_EQ(site.asked("/4"), 3);
  EXPECT_EQ(site.asked("/1"), 1);
  const auto failed = records(summary.failed_file);
  EXPECT_EQ(failed.size(), 8u);
  EXPECT_EQ(failed.at(2)[0], "c2");
}

TEST_P(Pages, LimitsHoldForAllTasksTogether) {
  const auto slowly = [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that they could overlap
    return Site::page("slow");
  };
  for (int i = 1; i <= 30; ++i) site.set(fmt::format("/{}", i), slowly);
  const Summary summary =
      import(manifest(30), yaml("", ", per_host: {per_minute: 1800, at_once: 3, burst: 2}, total: {at_once: 5}"));
  EXPECT_EQ(counts(summary), "read 30 inserted 30");
  EXPECT_LE(site.most_at_once(), 3);
  // In every stretch of time at most the burst and what came back meanwhile; 50 ms are for the way there.
  const auto times = site.times();
  ASSERT_EQ(times.size(), 31u) << "robots.txt counts";
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t j = i; j < times.size(); ++j) {
      const double seconds = std::chrono::duration<double>(times[j] - times[i]).count() + 0.05;
      EXPECT_LE(static_cast<double>(j - i + 1), 2 + seconds * 30 + 1);
    }
}

TEST_P(Pages, NoDefinitionGetsMoreThanTheOperatorAllows) {
  options.harvest.total_at_once = 2;
  for (int i = 1; i <= 12; ++i)
    site.set(fmt::format("/{}", i), [](int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // so that they could overlap
      return Site::page("slow");
    });
  const Summary summary = import(manifest(12), yaml());
  EXPECT_EQ(counts(summary), "read 12 inserted 12");
  EXPECT_LE(site.most_at_once(), 2);
}

TEST_P(Pages, PagesUnderWayAreHeldWithinABudget) {
  options.harvest.total_at_once = 8;
  options.harvest.held_bytes = 100'000;
  const std::string large(60'000, 'x');
  for (int i = 1; i <= 8; ++i) site.set(fmt::format("/{}", i), [&](int) { return Site::page("large", large); });
  const Summary summary = import(manifest(8), yaml());
  EXPECT_EQ(counts(summary), "read 8 inserted 8") << "those that do not fit now come later";
}

TEST_P(Pages, CompaniesThatFetchAtTheSameTimeShare) {
  import(manifest(1), yaml());  // makes the tables
  ASSERT_OK(
      connection->run("INSERT INTO lade_company (id, name, created_at) SELECT 2, 'other', created_at FROM "
                      "lade_company WHERE id = 1"));
  ASSERT_OK(connection->run("INSERT INTO lade_node (boot, name, storage, started_at) VALUES ('node', 'test', '', 0)"));
  const queue::RateLimit fast{1e6, 1'000'000, 8};
  PageGate ours({fast, fast, fast}, 1), theirs({fast, fast, fast}, 2);
  const auto buy = [&](PageGate& gate, std::int64_t wanted) {
    auto trade = PageGate::Trade::make(gate, *connection, "node", {{"a.example", wanted}});
    EXPECT_OK(trade);
    const auto found = trade->begin().find("a.example");
    const std::int64_t bought = found == trade->begin().end() ? 0 : found->second;
    trade->commit();
    for (std::int64_t i = 0; i < bought; ++i) gate.page_began("a.example");
    return bought;
  };
  EXPECT_EQ(buy(ours, 20), 8);
  EXPECT_EQ(buy(theirs, 20), 0) << "all are in use";
  for (int i = 0; i < 3; ++i) {
    ours.ask("a.example");
    ours.release("a.example");
    ours.page_ended("a.example");
  }
  EXPECT_EQ(buy(ours, 20), 0) << "it still has more than its share";
  EXPECT_EQ(buy(theirs, 20), 3);
}

TEST_P(Pages, RobotsAndRedirectsAreHeeded) {
  site.set("/robots.txt",
           [](int) { return PageServer::page("User-agent: lade\nDisallow: /2\n", "Content-Type: text/plain\r\n"); });
  site.set("/1", [&](int) { return Site::status(301, "Location: /moved\r\n"); });
  const Summary summary = import(manifest(3), yaml());
  EXPECT_EQ(counts(summary), "read 3 inserted 2 failed 1");
  EXPECT_EQ(pages(), (Texts{"c1|Title of moved|a; b & c", "c3|Title of 3|a; b & c"}));
  EXPECT_EQ(site.asked("/2"), 0);
  EXPECT_EQ(permits_in_use(), 0);
  EXPECT_FAILS(try_import(manifest(1), yaml(", robots: ignore")), "robots_required");
}

TEST_P(Pages, ManifestsThatAreNone) {
  EXPECT_FAILS(try_import("Code,URL\n", yaml()), "manifest_empty");
  EXPECT_FAILS(try_import("", yaml()), "manifest_empty");
  EXPECT_FAILS(try_import("Code,Address\nc1,x\n", yaml()), "manifest_ingest_failed");
  EXPECT_FAILS(try_import("URL\nx\n", yaml()), "manifest_ingest_failed");
  ASSERT_OK(connection->run("DROP TABLE page"));
  EXPECT_FAILS(try_import(manifest(1), yaml()), "table_not_found");
  EXPECT_EQ(site.asked("/1"), 0);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_job"), 0);
}

TEST_P(Pages, AQueuedJobDoesTheSame) {
  site.set("/2", [](int) { return Site::status(404); });
  const std::string job = submit(manifest(600), yaml());
  run_worker();
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(integer("SELECT count(*) FROM page"), 599);
  EXPECT_EQ(events(job),
            (Texts{"created", "preparation_started", "pages_planned", "planned", "analysed", "completed"}));
  const Texts asked = content("SELECT url FROM lade_page");
  EXPECT_EQ(asked.size(), 600u);
  for (int i = 1; i <= 600; i += 37) EXPECT_EQ(site.asked(fmt::format("/{}", i)), 1);
}

TEST_P(Pages, ThoseThatFailedCanBeFetchedAgainIntoTheSameJob) {
  for (const char* path : {"/2", "/4"})
    site.set(path,
             [path](int asked) { return asked == 1 ? Site::status(404) : Site::page(std::string("now ") + path); });
  site.set("/3", [](int) { return Site::status(410); });
  const std::string job = submit(manifest(5), yaml());
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(integer("SELECT count(*) FROM page"), 2);
  const auto some = retry_pages(*connection, {job, "ada"}, {.key = "c4", .limit = 0});
  ASSERT_OK(some);
  EXPECT_EQ(some->status(), "running");
  run_worker();
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(pages(), (Texts{"c1|Title of 1|a; b & c", "c4|now /4|a; b & c", "c5|Title of 5|a; b & c"}));
  ASSERT_OK(retry_job(*connection, {job, "ada"}, {}));
  run_worker();
  EXPECT_EQ(pages(),
            (Texts{"c1|Title of 1|a; b & c", "c2|now /2|a; b & c", "c4|now /4|a; b & c", "c5|Title of 5|a; b & c"}));
  const store::JobRecord done = record(job);
  EXPECT_EQ(done.status(), "succeeded") << done.error;
  EXPECT_TRUE(done.rows.conserved());
  EXPECT_EQ(done.rows[model::Outcome::inserted], 4);
  EXPECT_EQ(done.rows[model::Outcome::failed], 1);
  EXPECT_EQ(site.asked("/1"), 1);
  EXPECT_EQ(site.asked("/3"), 2);
  EXPECT_FAILS(retry_pages(*connection, {job, "ada"}, {.key = "c1", .limit = 0}), "pages_not_found");
}

TEST_P(Pages, ThoseThatLackedAFieldAreFetchedAgainToo) {
  site.set("/2",
           [](int asked) { return asked == 1 ? PageServer::page("<p>nothing yet</p>") : Site::page("now there"); });
  const std::string job = submit(manifest(3), yaml());
  run_worker();
  EXPECT_EQ(status(job), "succeeded");
  EXPECT_EQ(integer("SELECT count(*) FROM page"), 2);
  const auto failed = [&] {
    return store::list_pages(*connection, record(job).id, {.statuses = {"failed"}, .by_record = true});
  };
  ASSERT_OK(failed());
  ASSERT_EQ(failed()->size(), 1u);
  EXPECT_EQ(failed()->front().error_code, "field_missing");
  ASSERT_OK(retry_job(*connection, {job, "ada"}, {}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(pages(), (Texts{"c1|Title of 1|a; b & c", "c2|now there|a; b & c", "c3|Title of 3|a; b & c"}));
  EXPECT_EQ(record(job).rows[model::Outcome::failed], 0);
  EXPECT_TRUE(failed()->empty());
  EXPECT_EQ(site.asked("/1"), 1);
  EXPECT_FAILS(retry_job(*connection, {job, "ada"}, {}), "transition_refused");
}

TEST_P(Pages, ARowCorrectedByHandStandsInNobodysWayWhenPagesAreFetchedAgain) {
  for (const char* path : {"/2", "/3"})
    site.set(path, [](int asked) { return asked == 1 ? Site::status(404) : Site::page("fetched"); });
  site.set("/4", [](int) { return Site::status(410); });
  const std::string job = submit(manifest(4), yaml());
  run_worker();
  const auto storage = storage::Folder::open(storage_path(options));
  std::vector<RefusedFix> refused;
  ASSERT_OK(fix_rows(*connection, {*storage, options}, {job, "ada"}, {{2, {{"_page_error", ""}, {"title", "by hand"}}}},
                     refused));
  run_worker();
  EXPECT_EQ(pages(), (Texts{"c1|Title of 1|a; b & c", "c2|by hand|NULL"}));
  // All of its pages, then only the one whose row is there: nothing is left to correct.
  ASSERT_OK(retry_pages(*connection, {job, "ada"}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  const Texts after{"c1|Title of 1|a; b & c", "c2|by hand|NULL", "c3|fetched|a; b & c"};
  EXPECT_EQ(pages(), after);
  ASSERT_OK(connection->run("UPDATE lade_page SET status = 'failed' WHERE row_id = 2"));
  ASSERT_OK(retry_pages(*connection, {job, "ada"}, {.key = "c2", .limit = 0}));
  run_worker();
  EXPECT_EQ(status(job), "succeeded") << record(job).error;
  EXPECT_EQ(pages(), after);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_page WHERE gathered = 0"), 0);
  EXPECT_TRUE(record(job).rows.conserved());
}

TEST_P(Pages, ACancelledJobsPagesAreCancelledAndGoOnWhenItIsRetried) {
  site.set("/1", [&](int asked) {
    if (asked == 1) cancel();
    return Site::page("one");
  });
  job_ = submit(manifest(40), yaml("", ", per_host: {per_minute: 0, at_once: 1}"));
  run_worker();
  EXPECT_EQ(status(job_), "cancelled");
  const auto counted = store::count_pages(*connection, record(job_).id);
  ASSERT_OK(counted);
  EXPECT_EQ(counted->open(), 0);
  EXPECT_TRUE(record(job_).rows.conserved());
  ASSERT_OK(retry_job(*connection, {job_, "ada"}, {}));
  run_worker();
  EXPECT_EQ(status(job_), "succeeded") << record(job_).error;
  EXPECT_EQ(integer("SELECT count(*) FROM page"), 40);
}

TEST_P(Pages, APausedJobAsksForNothingMore) {
  site.set("/3", [&](int) {
    const auto session = db::connect(options.database);
    EXPECT_OK(session);
    EXPECT_OK(pause_job(**session, {job_, "ada"}));
    return Site::page("three");
  });
  job_ = submit(manifest(40), yaml("", ", per_host: {per_minute: 0, at_once: 1}"));
  work.until_idle = false;
  std::stop_source stop;
  std::jthread worker([&] { EXPECT_OK(work_on_jobs(work, stop.get_token())); });
  // The task gives itself back once it has heard of it.
  const auto given_back = [&] {
    return integer("SELECT count(*) FROM lade_task WHERE kind = 'fetch' AND status = 'pending'") == 1 &&
           integer("SELECT count(*) FROM lade_page WHERE status = 'running'") == 0 && site.asked("/3") == 1;
  };
  while (!given_back()) std::this_thread::yield();
  const int asked = static_cast<int>(site.times().size());
  EXPECT_LT(asked, 10);
  EXPECT_EQ(status(job_), "paused");
  ASSERT_OK(resume_job(*connection, {job_, "ada"}));
  while (status(job_) == "running") std::this_thread::yield();
  stop.request_stop();
  worker.join();
  EXPECT_EQ(status(job_), "succeeded");
  EXPECT_EQ(site.times().size(), 41u) << "each once, and robots.txt";
}

TEST_P(Pages, ThoseNobodyTellsOfAreTriedAgain) {
  const std::string job = submit(manifest(2), yaml());
  ASSERT_OK(arm_failpoints("fetch_marked=error@1"));
  work.settings.retry.max_attempts = 1;  // its task is given up
  run_worker();
  ASSERT_OK(arm_failpoints(""));
  EXPECT_EQ(statuses(), (Texts{"1|failed|1|scrape_failed|task_given_up", "2|failed|1|scrape_failed|task_given_up"}));
  EXPECT_EQ(permits_in_use(), 0) << "a task that fails gives back what it has bought";
  ASSERT_OK(connection->run("UPDATE lade_page SET status = 'running', started_at = 1"));
  const auto stuck = requeue_stuck_pages(*connection, std::chrono::minutes(30));
  ASSERT_OK(stuck);
  EXPECT_EQ(*stuck, 2);
  EXPECT_EQ(statuses(),
            (Texts{"1|retryable|1|stuck_timeout|stuck_timeout", "2|retryable|1|stuck_timeout|stuck_timeout"}));
  EXPECT_EQ(events(job).back(), "page_marked_retryable");
}

TEST_P(Pages, OnesThatTheStorageDoesNotTakeAreTriedAgain) {
  const auto storage = storage_path(options), away = folder / "away";
  site.set("/1", [&](int asked) {
    asked == 1 ? std::filesystem::rename(storage, away) : std::filesystem::rename(away, storage);
    return Site::page(fmt::format("time {}", asked));
  });
  site.set("/2", [](int) { return Site::status(404); });
  const Summary summary = import(manifest(2), yaml("", ", per_host: {per_minute: 0, at_once: 1}"));
  EXPECT_EQ(counts(summary), "read 2 inserted 1 failed 1");
  EXPECT_EQ(pages(), (Texts{"c1|time 2|a; b & c"}));
  EXPECT_EQ(statuses(), (Texts{"1|succeeded|2||", "2|failed|1|scrape_failed|http_404"}));
}

TEST_P(Pages, RecordsAreMadeAgainWhenTheyAreNotKept) {
  import(manifest(2), yaml());
  EXPECT_EQ(integer("SELECT count(*) FROM lade_segment"), 0);
  const auto storage = storage::Folder::open(storage_path(options));
  const auto again = open_planned_job(*connection, record("1"), options, *storage);
  ASSERT_OK(again);
  std::string text((*again)->input.bytes, '\0');
  ASSERT_OK((*again)->input.file.read_at(0, text));
  EXPECT_THAT(text, ::testing::StartsWith("Code,URL,title,parts,_page_error,"));
  EXPECT_THAT(text, ::testing::HasSubstr("Title of 2"));
}

TEST_P(Pages, WhatCannotBeIsRefused) {
  options.dry_run = true;
  EXPECT_FAILS(try_import(manifest(1), yaml()), "dry_run_fetches");
  options.dry_run = false;
  const std::string job = submit(manifest(1), yaml());
  std::filesystem::remove(storage_path(options) / record(job).file_uuid);
  run_worker();
  EXPECT_EQ(record(job).error_code, "manifest_missing");
  const std::string other = submit("code,name,amount\n1,a,1\n");
  run_worker();
  EXPECT_FAILS(retry_pages(*connection, {other, "ada"}), "transition_refused");
  const auto fault = [](const std::string& steps) {
    const auto parsed = read_definition("lade: 1\ndefinition: d\ncolumns: {title: }\nsteps: {" + steps +
                                        "}\nload: [{table: page, key: title}]\n");
    return parsed.faults.empty() ? "" : parsed.faults.front().message;
  };
  const std::string fetch = "fetch: {priority: 10, url: u}";
  EXPECT_EQ(fault(fetch + ", extract: {priority: 20, fields: {title: {css: h1}}}"), "");
  EXPECT_THAT(fault("fetch: {priority: 10}"), ::testing::HasSubstr("steps.fetch.url"));
  EXPECT_THAT(fault("fetch: {priority: 10, url: u, per_host: {per_hour: 1}}"), ::testing::HasSubstr("per_hour"));
  EXPECT_THAT(fault("fetch: {priority: 10, url: u, per_host: 3}"), ::testing::HasSubstr("expected a map"));
  EXPECT_THAT(fault("fetch: {priority: 10, url: u, retries: 1.5}"), ::testing::HasSubstr("a whole number"));
  EXPECT_THAT(fault("fetch: {priority: 10, url: u, robots: maybe}"), ::testing::HasSubstr("respect or ignore"));
  EXPECT_EQ(fault("fetch: {priority: 10, url: u, conditional: false}"), "");
  EXPECT_THAT(fault("fetch: {priority: 10, url: u, conditional: maybe}"), ::testing::HasSubstr("true or false"));
  EXPECT_THAT(fault(fetch + ", more: {kind: fetch, priority: 11, url: u}"), ::testing::HasSubstr("has one step"));
  EXPECT_THAT(fault(fetch + ", extract: {priority: 5, fields: {title: {css: h1}}}"), ::testing::HasSubstr("lower"));
  EXPECT_THAT(fault(fetch + ", extract: {priority: 20}"), ::testing::HasSubstr("a map of 1 to 500"));
  const auto field = [&](const std::string& text) {
    return fault(fetch + ", extract: {priority: 20, fields: {title: " + text + "}}");
  };
  EXPECT_THAT(field("h1"), ::testing::HasSubstr("expected a map"));
  EXPECT_THAT(field("{css: h1, json: a}"), ::testing::HasSubstr("exactly one"));
  EXPECT_THAT(field("{css: 'h1['}"), ::testing::HasSubstr("steps.extract.fields.title"));
  EXPECT_THAT(field("{css: h1, separator: x}"), ::testing::HasSubstr("is for a list"));
  EXPECT_THAT(field("{css: h1, transforms: [shout]}"), ::testing::HasSubstr("a transform is"));
  EXPECT_THAT(field("{css: h1, colour: red}"), ::testing::HasSubstr("'colour'"));
}

TEST_P(Pages, AfterAnErrorOfTheProcessTheNextAttemptBegins) {
  for (const char* place : {"fetch_marked", "fetch_ended", "fetch_recorded", "gathered"}) {
    SCOPED_TRACE(place);
    ASSERT_OK(connection->run("DELETE FROM page"));
    ASSERT_OK(arm_failpoints(std::string(place) + "=error@1"));
    options.force = true;
    const std::string job = submit(manifest(6), yaml());
    run_worker();
    ASSERT_OK(arm_failpoints(""));
    EXPECT_EQ(status(job), "succeeded") << record(job).error;
    EXPECT_EQ(integer("SELECT count(*) FROM page"), 6);
    EXPECT_EQ(permits_in_use(), 0);
  }
  // No page was asked for more often than it was tried.
  for (int i = 1; i <= 6; ++i)
    EXPECT_LE(site.asked(fmt::format("/{}", i)),
              integer(fmt::format("SELECT CAST(sum(tries) AS bigint) FROM lade_page WHERE row_id = {}", i)));
}

TEST_P(Pages, OnesThatHaveNotChangedAreThoseThatAnotherJobHasKept) {
  site.set_version("ETag: \"v1\"\r\nLast-Modified: Sat, 01 Jan 2022 00:00:00 GMT\r\n");
  import(manifest(2), yaml());
  const Texts records = content("SELECT code, title, parts, checksum FROM page"), bodies = kept(1);
  EXPECT_TRUE(site.asked_whether().empty()) << "nothing was known of them";
  EXPECT_EQ(counts(import_again(manifest(2), yaml(", retries: 0"))), "read 2 inserted 2");
  EXPECT_THAT(site.asked_whether(), ::testing::UnorderedElementsAre("/1", "/2"));
  EXPECT_EQ(site.asked("/1"), 2);
  EXPECT_EQ(answers(2), (Texts{"1|succeeded|1|304|text/html", "2|succeeded|1|304|text/html"}));
  EXPECT_EQ(content("SELECT code, title, parts, checksum FROM page"), records);
  EXPECT_EQ(kept(2), bodies);
  const auto page = store::find_page(*connection, 2, 1);
  ASSERT_OK(page);
  for (const char* told : {R"("not_modified":true)", R"("status":304)", R"("etag":"\"v1\"")",
                           R"("last_modified":"Sat, 01 Jan 2022 00:00:00 GMT")", R"("content-type":"text/html")"})
    EXPECT_THAT((*page)->evidence.metadata, ::testing::HasSubstr(told));
  // The job that fetched them is not needed any more.
  const auto files = store::remove_job(*connection, 1);
  ASSERT_OK(files);
  for (const store::UnwantedFile& file : *files) std::filesystem::remove(storage_path(options) / file.uuid);
  EXPECT_EQ(counts(import_again(manifest(3), yaml())), "read 3 inserted 3");
  EXPECT_EQ(answers(3),
            (Texts{"1|succeeded|1|304|text/html", "2|succeeded|1|304|text/html", "3|succeeded|1|200|text/html"}));
  EXPECT_EQ(kept(3)[1], bodies[1]);
}

TEST_P(Pages, TheDateOfAVersionIsEnough) {
  site.set_version("Last-Modified: Sat, 01 Jan 2022 00:00:00 GMT\r\n");
  import(manifest(1), yaml());
  import_again(manifest(1), yaml());
  EXPECT_EQ(answers(2), (Texts{"1|succeeded|1|304|text/html"}));
  EXPECT_EQ(pages(), (Texts{"c1|Title of 1|a; b & c"}));
}

TEST_P(Pages, OnesThatHaveChangedAreFetched) {
  site.set_version("ETag: \"v1\"\r\n");
  import(manifest(1), yaml());
  site.set_version("ETag: \"v2\"\r\n");
  site.set("/1", [](int) { return Site::page("changed"); });
  import_again(manifest(1), yaml());
  EXPECT_EQ(site.asked_whether(), (Texts{"/1"}));
  EXPECT_EQ(answers(2), (Texts{"1|succeeded|1|200|text/html"}));
  EXPECT_EQ(pages(), (Texts{"c1|changed|a; b & c"}));
  import_again(manifest(1), yaml());
  EXPECT_EQ(answers(3), (Texts{"1|succeeded|1|304|text/html"}));
  EXPECT_EQ(pages(), (Texts{"c1|changed|a; b & c"})) << "the newest version is the one that is known";
}

TEST_P(Pages, WhatIsNotKeptAnyMoreIsFetchedInTheSameAttempt) {
  const auto file_of = [&](std::int64_t job) {
    return storage_path(options) / store::evidence_files(*connection, job)->at(0);
  };
  site.set_version("ETag: \"v1\"\r\n");
  import(manifest(1), yaml());
  std::filesystem::remove(file_of(1));
  import_again(manifest(1), yaml(", retries: 0"));
  std::string other = text_of(file_of(2));
  other[10] ^= 1;
  write(file_of(2), other);
  import_again(manifest(1), yaml(", retries: 0"));
  write(file_of(3), "cut");
  import_again(manifest(1), yaml(", retries: 0", ", per_host: {per_minute: 0, at_once: 1}"));
  EXPECT_EQ(site.asked_whether(), (Texts{"/1", "/1", "/1"}));
  EXPECT_EQ(site.asked("/1"), 7);
  for (const int job : {2, 3, 4}) EXPECT_EQ(answers(job), (Texts{"1|succeeded|1|200|text/html"}));
  EXPECT_EQ(pages(), (Texts{"c1|Title of 1|a; b & c"}));
  EXPECT_EQ(permits_in_use(), 0);
}

TEST_P(Pages, WhatCannotBeReadNowIsTriedAgain) {
  site.set_version("ETag: \"v1\"\r\n");
  import(manifest(1), yaml());
  const auto file = storage_path(options) / store::evidence_files(*connection, 1)->at(0);
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);  // there, and not to be read
  import_again(manifest(1), yaml(", retries: 1"));
  EXPECT_EQ(statuses().back(), "1|succeeded|2||") << "not asked twice in one attempt, as if it were gone";
  EXPECT_EQ(site.asked_whether(), (Texts{"/1"}));
  EXPECT_EQ(site.asked("/1"), 3);
}

TEST_P(Pages, WhatOtherCompaniesHaveKeptIsTheirs) {
  site.set_version("ETag: \"v1\"\r\n");
  import(manifest(1), yaml());
  ASSERT_OK(
      connection->run("INSERT INTO lade_company (id, name, created_at) SELECT 2, 'other', created_at FROM "
                      "lade_company WHERE id = 1"));
  options.company = 2;
  import_again(manifest(1), yaml());
  EXPECT_TRUE(site.asked_whether().empty());
  EXPECT_EQ(answers(2), (Texts{"1|succeeded|1|200|text/html"}));
  import_again(manifest(1), yaml());
  EXPECT_EQ(answers(3), (Texts{"1|succeeded|1|304|text/html"})) << "its own";
}

TEST_P(Pages, ADefinitionMayWantThemWhole) {
  site.set_version("ETag: \"v1\"\r\n");
  import(manifest(1), yaml());
  import_again(manifest(1), yaml(", conditional: false"));
  import_again(manifest(1), yaml(", max_bytes: 1"));  // nor is a version wanted that is larger than pages may be
  EXPECT_TRUE(site.asked_whether().empty());
  EXPECT_EQ(statuses().back(), "1|succeeded|1||");
  EXPECT_EQ(answers(3), (Texts{"1|failed|1|0|"}));
  import_again(manifest(1), yaml(", conditional: true"));
  EXPECT_EQ(site.asked_whether(), (Texts{"/1"}));
}

TEST_P(Pages, OnlyTheFirstAttemptAsksWhetherTheyHaveChanged) {
  site.set_version("ETag: \"v1\"\r\n");
  import(manifest(1), yaml());
  site.set_version("");
  site.set("/1", [](int asked) { return asked == 2 ? Site::status(503) : Site::page("now"); });
  import_again(manifest(1), yaml());
  EXPECT_EQ(site.asked_whether(), (Texts{"/1"}));
  EXPECT_EQ(site.asked("/1"), 3);
  EXPECT_EQ(pages(), (Texts{"c1|now|a; b & c"}));
}

TEST_P(Pages, OnlyThePageThatAnsweredIsAskedWhetherItHasChanged) {
  site.set_version("ETag: \"v1\"\r\n");
  site.set("/1", [](int) { return Site::status(302, "Location: /moved\r\n"); });
  import(manifest(1), yaml());
  import_again(manifest(1), yaml());
  EXPECT_EQ(site.asked_whether(), (Texts{"/moved"}));
  EXPECT_EQ(answers(2), (Texts{"1|succeeded|1|304|text/html"}));
  EXPECT_EQ(pages(), (Texts{"c1|Title of moved|a; b & c"}));
}

TEST_P(Pages, OnesThatAreKeptAreHeldWithinABudgetToo) {
  const std::string large(60'000, 'x');
  for (int i = 1; i <= 8; ++i)
    site.set(fmt::format("/{}", i), [&](int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // so that they could overlap
      return Site::page("large", large);
    });
  site.set_version("ETag: \"v1\"\r\n");
  import(manifest(8), yaml("", ", per_host: {per_minute: 0, at_once: 1}"));
  options.harvest.held_bytes = 100'000;
  import_again(manifest(8), yaml());
  EXPECT_EQ(site.asked_whether().size(), 8u);
  EXPECT_EQ(site.most_at_once(), 1);
}

TEST_P(Pages, OnesThatNobodyKnowsCannotBeUnchanged) {
  site.set("/1", [](int) { return Site::status(304); });
  EXPECT_EQ(counts(import(manifest(1), yaml())), "read 1 failed 1");
  EXPECT_EQ(statuses(), (Texts{"1|failed|1|scrape_failed|http_304"}));
}

}  // namespace
}  // namespace lade::jobs
