#pragma once

#include <fmt/format.h>

#include "base/failpoint.h"
#include "jobs/control.h"
#include "jobs/work.h"
#include "store/events.h"
#include "testing/imported.h"

namespace lade::testing {

// Jobs that are queued and worked on, on a table `item`, in small chunks and buckets.
class DurableTest : public ImportTest {
 public:
  inline static const std::string kItems =
      "columns: {code: {type: integer}, name: , amount: {type: integer}}\nload: [{table: item, key: code}]\n";

 protected:
  DurableTest() {
    EXPECT_OK(connection->run("CREATE TABLE item (code integer PRIMARY KEY, name text, amount integer)"));
    options.bucket_bytes = 4000;
    options.chunk_bytes = 5000;
    work.here = options;
    work.settings.concurrency = 2;
    work.settings.beat = std::chrono::milliseconds(200);
    work.settings.lease = std::chrono::milliseconds(2000);
    work.settings.poll = std::chrono::milliseconds(50);
    work.until_idle = true;
  }
  ~DurableTest() override { EXPECT_OK(arm_failpoints("")); }

  static std::string file(int rows) {
    std::string csv = "code,name,amount\n";
    for (int i = 0; i < rows; ++i) csv += fmt::format("{},name {},{}\n", i % (rows - 5), i, i % 50 == 7 ? "bad" : "1");
    return csv;
  }
  std::string submit(const std::string& csv, const std::string& yaml = kItems) {
    const auto job = jobs::submit_import(write("input.csv", csv), definition_of(yaml), yaml, options, {});
    EXPECT_OK(job);
    return job ? job->uuid : "";
  }
  void run_worker() { EXPECT_OK(jobs::work_on_jobs(work, {})); }
  store::JobRecord record(const std::string& job) {
    auto found = jobs::require_job(*connection, job);
    EXPECT_OK(found);
    return found.value_or(store::JobRecord());
  }
  std::string status(const std::string& job) { return std::string(record(job).status()); }
  std::vector<std::string> events(const std::string& job) {
    std::vector<std::string> kinds;
    const auto found = store::events_of(*connection, record(job).id);
    for (const store::Event& event : *found) kinds.push_back(event.kind);
    return kinds;
  }
  std::vector<std::string> items() { return content("SELECT code, name, amount FROM item"); }

  jobs::WorkOptions work;
};

}  // namespace lade::testing
