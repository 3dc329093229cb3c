// Addresses of buckets, and where their keys come from.
#include "storage/bucket_url.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade::storage {
namespace {

using Settings = std::map<std::string, std::string>;
const Settings kKeys = {{"AWS_ACCESS_KEY_ID", "access"}, {"AWS_SECRET_ACCESS_KEY", "secret"}};

Result<BucketOptions> parse(const std::string& url, const Settings& settings = kKeys) {
  return parse_bucket_url(url, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = settings.find(name);
    return found == settings.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(BucketUrl, NamesAllThatIsNeeded) {
  const auto found = parse("s3://imports/a/b?endpoint=http://127.0.0.1:9000/&region=eu-central-1&ca_file=/etc/ca.pem");
  ASSERT_OK(found);
  EXPECT_EQ(found->s3.bucket, "imports");
  EXPECT_EQ(found->prefix, "a/b/");
  EXPECT_EQ(found->s3.endpoint, "http://127.0.0.1:9000");
  EXPECT_EQ(found->s3.region, "eu-central-1");
  EXPECT_EQ(found->s3.ca_file, "/etc/ca.pem");
  EXPECT_TRUE(found->s3.path_style);
  EXPECT_EQ(found->s3.keys.access, "access");
  EXPECT_EQ(found->s3.keys.secret, "secret");
}

TEST(BucketUrl, IsAmazonsWithoutAnEndpoint) {
  const auto found = parse("s3://imports?region=eu-west-1");
  ASSERT_OK(found);
  EXPECT_EQ(found->prefix, "");
  EXPECT_EQ(found->s3.endpoint, "https://s3.eu-west-1.amazonaws.com");
  EXPECT_FALSE(found->s3.path_style);
  EXPECT_TRUE(parse("s3://imports?path_style=true").value().s3.path_style);
}

TEST(BucketUrl, IsCompletedBySettings) {
  Settings settings = kKeys;
  settings["AWS_ENDPOINT_URL"] = "https://storage.example.com";
  settings["AWS_REGION"] = "there";
  settings["AWS_SESSION_TOKEN"] = "token";
  const auto found = parse("s3://imports", settings);
  ASSERT_OK(found);
  EXPECT_EQ(found->s3.endpoint, "https://storage.example.com");
  EXPECT_EQ(found->s3.region, "there");
  EXPECT_EQ(found->prefix, "");
  EXPECT_EQ(found->s3.keys.session, "token");
  EXPECT_EQ(parse("s3://imports/mine?region=here", settings).value().prefix, "mine/");
  EXPECT_EQ(parse("s3://imports/mine?region=here", settings).value().s3.region, "here");
}

TEST(BucketUrl, ReadsKeysFromAFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path() / "keys";
  std::ofstream(path) << "# of this machine\n[other]\naws_access_key_id=a\naws_secret_access_key=b\n"
                         "[default]\naws_access_key_id = AKIA\r\naws_secret_access_key = se=cret\naws_session_token=t";
  Settings settings = {{"AWS_SHARED_CREDENTIALS_FILE", path}};
  EXPECT_EQ(parse("s3://imports", settings).value().s3.keys.access, "AKIA");
  EXPECT_EQ(parse("s3://imports", settings).value().s3.keys.secret, "se=cret");
  EXPECT_EQ(parse("s3://imports", settings).value().s3.keys.session, "t");
  settings["AWS_PROFILE"] = "other";
  EXPECT_EQ(parse("s3://imports", settings).value().s3.keys.secret, "b");
  settings["AWS_PROFILE"] = "none";
  EXPECT_FAILS(parse("s3://imports", settings), "storage_keys_missing");
  settings["AWS_SHARED_CREDENTIALS_FILE"] = path + "x";
  EXPECT_FAILS(parse("s3://imports", settings), "file_not_found");
}

TEST(BucketUrl, KeysAreNeeded) {
  EXPECT_FAILS(parse("s3://imports", {}), "storage_keys_missing");
  EXPECT_FAILS(parse("s3://imports", {{"AWS_ACCESS_KEY_ID", "access"}}), "storage_keys_missing");
}

TEST(BucketUrl, WhatMakesNoSenseIsRefused) {
  for (const char* url : {"",
                          "imports",
                          "/data",
                          "S3://imports",
                          "s3://",
                          "s3://ab",
                          "s3:///prefix",
                          "s3://imports//a",
                          "s3://imports/a/../b",
                          "s3://imports/a b",
                          "s3://imports?endpoint=",
                          "s3://imports?endpoint=127.0.0.1",
                          "s3://imports?endpoint=ftp://x",
                          "s3://imports?endpoint=http://x/path",
                          "s3://imports?endpoint=http://",
                          "s3://imports?region=",
                          "s3://imports?region=a/b",
                          "s3://imports?path_style=yes",
                          "s3://imports?path_style",
                          "s3://imports?other=1",
                          "s3://imports?endpoint=http://x&&region=a",
                          "s3://bu_cket$"})
    EXPECT_FAILS(parse(url), "storage_url_invalid") << url;
}

TEST(BucketUrl, KeysInTheAddressAreRefusedAndNotRepeated) {
  for (const char* url : {"s3://access:hidden@imports", "s3://imports?secret_key=hidden"}) {
    const auto refused = parse(url);
    ASSERT_FAILS(refused, "storage_url_invalid") << url;
    EXPECT_EQ(refused.error().message.find("hidden"), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace lade::storage
