#include <gtest/gtest.h>

#include "remote/client.h"
#include "remote/pages.h"
#include "remote/problem.h"
#include "remote/records.h"

namespace lade::remote {
namespace {

TEST(Problem, KeepsWhatTheServerSays) {
  const Error error = error_of(
      409, R"({"code": "job_exists", "kind": "duplicate", "detail": "job a-1 does the same", "hint": "wait for it"})");
  EXPECT_EQ(error.code, "job_exists");
  EXPECT_EQ(error.message, "job a-1 does the same");
  EXPECT_EQ(error.hint, "wait for it");
  EXPECT_EQ(error.kind, ErrorKind::duplicate);
}

TEST(Problem, WithoutAKindTheStatusDecides) {
  EXPECT_EQ(error_of(403, R"({"code": "not_allowed"})").kind, ErrorKind::usage);
  EXPECT_EQ(error_of(500, R"({"code": "internal_error", "kind": "surprising"})").kind, ErrorKind::failed);
  EXPECT_EQ(error_of(503, R"({"code": "too_many_connections", "kind": "failed"})").kind, ErrorKind::cannot_connect);
}

TEST(Problem, OtherProgramsAnswerOtherwise) {
  for (const char* body : {"<html>Bad gateway</html>", "", "[]", R"({"error": "x"})", R"({"code": 7})"}) {
    EXPECT_EQ(error_of(502, body).code, "server_answer_invalid") << body;
    EXPECT_EQ(error_of(502, body).kind, ErrorKind::cannot_connect) << body;
    EXPECT_EQ(error_of(404, body).kind, ErrorKind::usage) << body;
  }
}

TEST(Client, RefusesWhatIsNoAddress) {
  for (const char* url :
       {"", "example.com", "ftp://example.com", "https://", "https://a b", "https://a/?x=1", "http://a#b"}) {
    const auto client = Client::create({url, ""});
    ASSERT_FALSE(client) << url;
    EXPECT_EQ(client.error().code, "server_url_invalid") << url;
  }
  EXPECT_TRUE(Client::create({"https://example.com/lade/", "token"}));
  EXPECT_EQ(Client::create({"https://example.com", "one\ntwo"}).error().code, "token_invalid");
}

TEST(Client, EscapesWhatStandsInAPath) {
  EXPECT_EQ(escaped("prices-7_a.b~"), "prices-7_a.b~");
  EXPECT_EQ(escaped("../a b?ü"), "..%2Fa%20b%3F%C3%BC");
}

TEST(Client, AnswersThatAreNoJsonAreTold) {
  EXPECT_EQ((Answer{200, "<html>"}.json().error().code), "server_answer_invalid");
}

TEST(Records, WhatIsMissingOrStrangeIsTold) {
  for (const char* text : {"{}", "[]", "null", R"({"number": "one"})"})
    EXPECT_EQ(read<store::Event>(boost::json::parse(text)).error().code, "server_answer_invalid") << text;
  EXPECT_EQ(items_of(boost::json::parse(R"({"items": 1})")).error().code, "server_answer_invalid");
}

}  // namespace
}  // namespace lade::remote
