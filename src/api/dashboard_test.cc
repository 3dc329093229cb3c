#include "api/dashboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/compression.h"

namespace lade::api {
namespace {

using testing::HasSubstr;

constexpr std::string_view kIndex =
    "<!doctype html><meta name=csp-nonce content=\"__CSP_NONCE__\"><script nonce=\"__CSP_NONCE__\" src=/assets/a-1.js>";

class DashboardTest : public testing::Test {
 protected:
  std::optional<http::Response> get(const std::string& path, const std::string& accept = "text/html",
                                    const std::string& encoding = "gzip", const std::string& method = "GET") {
    http::Request request{.method = method, .path = path};
    request.headers.set("Accept", accept);
    request.headers.set("Accept-Encoding", encoding);
    if (!seen_.empty()) request.headers.set("If-None-Match", seen_);
    return dashboard_.answer(request);
  }
  static std::string body(const http::Response& response) { return std::get<std::string>(response.body); }

  const std::string index_ = http::gzip(kIndex), script_ = http::gzip("console.log(1)"), icon_ = http::gzip("<svg/>");
  const std::vector<WebFile> files_{
      {"index.html", index_, "0"}, {"assets/a-1.js", script_, "17"}, {"icon.svg", icon_, "18"}};
  Dashboard dashboard_{files_};
  std::string seen_;
};

TEST_F(DashboardTest, ThePageStandsAtEveryAddressOfItsOwnAndItsNonceIsNew) {
  const auto first = get("/imports/7/rows"), second = get("/");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->headers.get("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(body(*first).find("__CSP_NONCE__"), std::string::npos);
  EXPECT_NE(body(*first), body(*second));
  const std::string text = body(*first);
  const std::size_t at = text.find("nonce=\"") + 7;
  const std::string nonce = text.substr(at, text.find('"', at) - at);
  EXPECT_GE(nonce.size(), 22U);
  const std::string policy(first->headers.get("Content-Security-Policy"));
  EXPECT_THAT(policy, HasSubstr("script-src 'self' 'nonce-" + nonce + "'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(first->headers.get("Cache-Control"), "no-store");
  EXPECT_EQ(first->headers.get("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(first->headers.get("Referrer-Policy"), "same-origin");
}

TEST_F(DashboardTest, FilesAreSentCompressedAndInflatedForWhoeverWantsThemSo) {
  const auto packed = get("/assets/a-1.js", "*/*"), plain = get("/assets/a-1.js", "*/*", "identity");
  ASSERT_TRUE(packed && plain);
  EXPECT_EQ(packed->headers.get("Content-Encoding"), "gzip");
  EXPECT_EQ(http::gunzip(body(*packed)), "console.log(1)");
  EXPECT_EQ(plain->headers.get("Content-Encoding"), "");
  EXPECT_EQ(body(*plain), "console.log(1)");
  EXPECT_EQ(packed->headers.get("Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_THAT(std::string(packed->headers.get("Cache-Control")), HasSubstr("immutable"));
  EXPECT_EQ(get("/icon.svg", "*/*")->headers.get("Cache-Control"), "no-cache");
}

TEST_F(DashboardTest, WhoHasAFileAlreadyIsTold) {
  seen_ = std::string(get("/icon.svg", "*/*")->headers.get("ETag"));
  const auto again = get("/icon.svg", "*/*");
  EXPECT_EQ(again->status, 304);
  EXPECT_EQ(body(*again), "");
}

TEST_F(DashboardTest, WhatIsNotItsOwnIsLeftToOthers) {
  EXPECT_FALSE(get("/api/v1/nothing"));
  EXPECT_FALSE(get("/nothing", "application/json"));
  EXPECT_FALSE(get("/assets/a-2.js", "text/html"));
  EXPECT_FALSE(get("/imports", "text/html", "gzip", "POST"));
}

TEST(DashboardOfNoFiles, SaysHowToBuildIt) {
  http::Request request{.method = "GET", .path = "/"};
  const auto page = Dashboard({}).answer(request);
  ASSERT_TRUE(page);
  EXPECT_THAT(std::get<std::string>(page->body), HasSubstr("scripts/build_web.sh"));
}

}  // namespace
}  // namespace lade::api
