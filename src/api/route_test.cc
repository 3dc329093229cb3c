#include "api/route.h"

#include <gtest/gtest.h>

#include <set>

#include "api/openapi.h"

namespace lade::api {
namespace {

std::string found(std::string_view method, std::string_view path) {
  const Match match = find_route(method, http::segments_of(path).value());
  return match.route == nullptr ? "" : std::string(match.route->name);
}

TEST(Routes, AreFoundByMethodAndPath) {
  EXPECT_EQ(found("GET", "/health"), "root.health");
  EXPECT_EQ(found("HEAD", "/health"), "root.health");
  EXPECT_EQ(found("GET", "/api/v1/imports"), "imports.list");
  EXPECT_EQ(found("POST", "/api/v1/imports"), "imports.create");
  EXPECT_EQ(found("GET", "/api/v1/imports/prices-7/rows"), "imports.rows");
  EXPECT_EQ(found("GET", "/api/v1/nothing"), "");
  EXPECT_EQ(found("GET", "/api/v1/imports/"), "");
}

TEST(Routes, ALiteralSegmentWinsOverAName) {
  EXPECT_EQ(found("GET", "/api/v1/queue/dead-letter"), "dead_letters.list");
  EXPECT_EQ(found("GET", "/api/v1/queue/0190"), "queue.show");
  EXPECT_EQ(found("POST", "/api/v1/definitions/validate"), "definitions.validate");
  EXPECT_EQ(found("GET", "/api/v1/audit/verify"), "audit.verify");
}

TEST(Routes, SayWhichMethodsAPathTakes) {
  const Match match = find_route("TRACE", {"api", "v1", "files"});
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(match.allowed, (std::vector<std::string_view>{"POST", "GET"}));
}

TEST(Routes, GiveTheValuesInThePath) {
  const Match match = find_route("GET", {"api", "v1", "imports", "a/b", "results", "failed"});
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.path, (PathValues{{"import", "a/b"}, {"which", "failed"}}));
}

TEST(Routes, EachIsWhole) {
  const boost::json::object document = openapi_document();
  const boost::json::object& schemas = document.at("components").at("schemas").as_object();
  std::set<std::string_view> names;
  std::set<std::pair<std::string_view, std::string_view>> places;
  const auto known = [&](std::string_view schema) {
    return schema.empty() || schema.find('/') != std::string_view::npos || schemas.contains(schema);
  };
  for (const Route& route : routes()) {
    EXPECT_TRUE(names.insert(route.name).second) << route.name << " stands there twice";
    EXPECT_TRUE(places.insert({route.method, route.path}).second) << route.name;
    EXPECT_NE(route.answer == nullptr, route.receive == nullptr) << route.name << " is answered by one of the two";
    EXPECT_TRUE(route.receive != nullptr || route.body != Body::upload) << route.name;
    EXPECT_FALSE(route.summary.empty()) << route.name;
    EXPECT_FALSE(route.answers.empty()) << route.name;
    EXPECT_TRUE(known(route.body_schema)) << route.name << " takes " << route.body_schema;
    for (const Answer& answer : route.answers) EXPECT_TRUE(known(answer.schema)) << route.name << ": " << answer.schema;
  }
}

// Whoever has not proved who they are can look whether lade is there, and prove it.
TEST(Routes, OnlyTheseAreOpen) {
  std::set<std::string_view> open;
  for (const Route& route : routes())
    if (!route.access.role) open.insert(route.name);
  EXPECT_EQ(open, (std::set<std::string_view>{"root.health", "root.ready", "root.metrics", "root.openapi",
                                              "sessions.begin", "sessions.use_link"}));
}

TEST(Routes, EveryScopeIsKnown) {
  for (const Route& route : routes()) {
    const std::string_view scope = route.access.scope;
    const auto all = accounts::scopes();
    EXPECT_TRUE(scope.empty() || scope == accounts::kEveryScope ||
                std::find(all.begin(), all.end(), scope) != all.end())
        << route.name << ": " << scope;
  }
}

}  // namespace
}  // namespace lade::api
