#include "cli/settings.h"

#include <filesystem>
#include <fstream>

#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade::cli {
namespace {

TEST(SettingsFile, HasNamesAndValues) {
  const auto read = read_settings_text("# remark\r\nQUEUE_CONCURRENCY=3\r\n\nBACKOFF_BASE=\nX=a=b\nX=c", "lade.env");
  ASSERT_OK(read);
  EXPECT_EQ(*read, (NamedSettings{{"QUEUE_CONCURRENCY", "3"}, {"BACKOFF_BASE", ""}, {"X", "c"}}));
  const auto refused = read_settings_text("A=1\n\nQUEUE_CONCURRENCY 3\n", "lade.env");
  ASSERT_FAILS(refused, "settings_file_invalid");
  EXPECT_EQ(refused.error().message, "lade.env line 3: 'QUEUE_CONCURRENCY 3' is not NAME=VALUE");
  EXPECT_FAILS(read_settings_text("=3", "lade.env"), "settings_file_invalid");
}

TEST(SettingsFile, SaysHowImportsRun) {
  jobs::ImportOptions options;
  ASSERT_OK(apply({{"IMPORT_DEFAULT_BATCH_SIZE", "500"}, {"IMPORT_WORKER_CONCURRENCY", "3"}}, options));
  EXPECT_EQ(options.batch_rows, 500u);
  EXPECT_EQ(options.workers, 3u);
  ASSERT_OK(apply({{"IMPORT_CHUNK_BYTES", "65536"}, {"IMPORT_BUCKET_BYTES", "32768"}}, options));
  EXPECT_EQ(options.chunk_bytes, 65'536u);
  EXPECT_EQ(options.bucket_bytes, 32'768u);
  ASSERT_OK(apply({{"IMPORT_PROGRESS_DB_FLUSH_EVERY_N_BATCHES", "7"}}, options));
  EXPECT_EQ(options.flush_batches, 7u);
  EXPECT_FAILS(apply({{"IMPORT_CHUNK_BYTES", "8 MB"}}, options), "setting_invalid");
  ASSERT_OK(apply({{"QUEUE_CONCURRENCY", "5"}, {"IMPORT_WORKER_CONCURRENCY", "3"}}, options));
  EXPECT_EQ(options.workers, 5u) << "lade's own name counts more";
  for (const char* value : {"0", "-1", "many", "", "3x", "99999999999999999999", "257"})
    EXPECT_FAILS(apply({{"QUEUE_CONCURRENCY", value}}, options), "setting_invalid") << value;
}

TEST(SettingsFile, SaysWhatBecomesOfResultFiles) {
  jobs::ImportOptions options;
  ASSERT_OK(apply({}, options));
  EXPECT_EQ(options.results_path, "uploads/imports/");
  EXPECT_TRUE(options.store_results);
  EXPECT_FALSE(options.result_bom);
  ASSERT_OK(apply({{"IMPORT_S3_PREFIX", "a/b"}, {"IMPORT_ENABLE_RESULT_FILES", "false"}, {"IMPORT_RESULT_BOM", "true"}},
                  options));
  EXPECT_EQ(options.results_path, "a/b/");
  EXPECT_FALSE(options.store_results);
  EXPECT_TRUE(options.result_bom);
  for (const auto& [given, path] : {std::pair("", ""), {"c/", "c/"}}) {
    ASSERT_OK(apply({{"IMPORT_S3_PREFIX", given}}, options));
    EXPECT_EQ(options.results_path, path);
  }
  for (const std::string& prefix :
       std::initializer_list<std::string>{"/", "/a", "a//b", "../a", "a/..", "a b", "a\\b", std::string(201, 'a')})
    EXPECT_FAILS(apply({{"IMPORT_S3_PREFIX", prefix}}, options), "setting_invalid") << prefix;
  for (const char* name : {"IMPORT_ENABLE_RESULT_FILES", "IMPORT_RESULT_BOM"})
    EXPECT_FAILS(apply({{name, "yes"}}, options), "setting_invalid") << name;
}

TEST(SettingsFile, SaysWhereTemporaryFilesLie) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const std::string& line) {
    std::ofstream(folder.path() / "settings") << line << "\n";
    CommonOptions common;
    common.data = folder.path() / "data";
    common.settings = folder.path() / "settings";
    return common;
  };
  jobs::ImportOptions options;
  ASSERT_OK(set_place(write(""), options));
  EXPECT_EQ(options.scratch(), folder.path() / "data");
  ASSERT_OK(set_place(write("IMPORT_TEMP_DIR=" + (folder.path() / "a" / "b").string()), options));
  EXPECT_EQ(options.scratch(), folder.path() / "a" / "b");
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "a" / "b"));
  EXPECT_FAILS(set_place(write("IMPORT_TEMP_DIR=" + (folder.path() / "settings" / "b").string()), options),
               "setting_invalid");
}

TEST(SettingsFile, SaysWhereWebhooksMayBe) {
  webhooks::DeliveryOptions options;
  ASSERT_OK(apply({}, options));
  EXPECT_FALSE(options.post.allow_private);
  ASSERT_OK(apply({{"WEBHOOK_ALLOW_PRIVATE", "true"}}, options));
  EXPECT_TRUE(options.post.allow_private);
  ASSERT_OK(apply({{"WEBHOOK_ALLOW_PRIVATE", "false"}}, options));
  EXPECT_FALSE(options.post.allow_private);
  EXPECT_FAILS(apply({{"WEBHOOK_ALLOW_PRIVATE", "1"}}, options), "setting_invalid");
}

TEST(Settings, NameTheMirror) {
  jobs::ImportOptions options;
  ASSERT_OK(set_mirror({}, options));
  EXPECT_FALSE(options.mirror);
  ASSERT_OK(set_mirror({{"REDIS_URL", "redis://cache:6380/2"}, {"REDIS_PASSWORD", "secret"}}, options));
  ASSERT_TRUE(options.mirror);
  EXPECT_EQ(to_text(options.mirror->address), "redis://cache:6380/2");
  EXPECT_EQ(options.mirror->address.password, "secret");
  ASSERT_OK(set_mirror({{"REDIS_URL", "redis://:own@cache"}, {"REDIS_PASSWORD", "secret"}}, options));
  EXPECT_EQ(options.mirror->address.password, "own");
  EXPECT_FAILS(set_mirror({{"REDIS_URL", "rediss://cache"}}, options), "redis_url_invalid");
}

TEST(Settings, WhatMayBeFetchedIsTheOperatorsToSay) {
  jobs::ImportOptions options;
  ASSERT_OK(apply({}, options));
  EXPECT_TRUE(options.harvest.allow.empty());
  EXPECT_EQ(options.harvest.retries, 3);
  ASSERT_OK(apply({{"LADE_HARVEST_ALLOW", "10.1.0.0/16, wiki.example.com"},
                   {"LADE_HARVEST_PORTS", "8080,8443"},
                   {"LADE_HARVEST_IGNORE_ROBOTS", "true"},
                   {"scrapeRateLimitPerDomain", "30"},
                   {"maxConcurrentScrapes", "7"},
                   {"maxRetries", "0"},
                   {"retryBackoffBase", "250"},
                   {"stuckTaskThreshold", "60000"}},
                  options));
  EXPECT_EQ(options.harvest.allow, (std::vector<std::string>{"10.1.0.0/16", "wiki.example.com"}));
  EXPECT_EQ(options.harvest.ports, (std::vector<std::uint16_t>{8080, 8443}));
  EXPECT_TRUE(options.harvest.may_ignore_robots);
  EXPECT_EQ(options.harvest.host_per_minute, 30);
  EXPECT_EQ(options.harvest.total_at_once, 7);
  EXPECT_EQ(options.harvest.retries, 0);
  EXPECT_EQ(options.harvest.backoff, std::chrono::milliseconds(250));
  EXPECT_EQ(options.harvest.stuck, std::chrono::minutes(1));
  EXPECT_FAILS(apply({{"LADE_HARVEST_ALLOW", "10.1.0.0/99"}}, options), "harvest_allow_invalid");
  EXPECT_FAILS(apply({{"LADE_HARVEST_PORTS", "80000"}}, options), "setting_invalid");
  EXPECT_FAILS(apply({{"maxConcurrentScrapes", "none"}}, options), "setting_invalid");
}

}  // namespace
}  // namespace lade::cli
