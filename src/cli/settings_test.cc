#include "cli/settings.h"

#include "testing/results.h"

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

}  // namespace
}  // namespace lade::cli
