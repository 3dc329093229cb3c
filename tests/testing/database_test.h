#pragma once

#include <gtest/gtest.h>

#include <string>

#include "testing/database.h"
#include "testing/results.h"

namespace lade::testing {

// The base of suites that both databases pass: each test has a fresh database and one session with it.
class DatabaseTest : public ::testing::TestWithParam<db::Backend> {
 protected:
  bool is_sqlite() const { return GetParam() == db::Backend::sqlite; }
  const std::string& pick(const std::string& sqlite, const std::string& postgresql) const {
    return is_sqlite() ? sqlite : postgresql;
  }
  // The only value of a query's only row.
  db::Value value(std::string_view sql, std::vector<db::Value> parameters = {}) {
    auto rows = connection->query(sql, parameters);
    EXPECT_OK(rows);
    if (!rows || rows->size() != 1 || rows->front().size() != 1) {
      ADD_FAILURE() << sql << " did not give one value";
      return {};
    }
    return rows->front().front();
  }
  std::int64_t integer(std::string_view sql) { return std::get<std::int64_t>(value(sql)); }

  FreshDatabase database{GetParam()};
  std::unique_ptr<db::Connection> connection = database.connect();
};

}  // namespace lade::testing

// All tests of the suite, on SQLite and on PostgreSQL.
#define LADE_ON_BOTH_DATABASES(suite)                                                                       \
  INSTANTIATE_TEST_SUITE_P(Databases, suite,                                                                \
                           ::testing::Values(::lade::db::Backend::sqlite, ::lade::db::Backend::postgresql), \
                           [](const auto& test) { return std::string(::lade::testing::name_of(test.param)); })

// The same for what only PostgreSQL can do.
#define LADE_ON_POSTGRESQL(suite)                                                                \
  INSTANTIATE_TEST_SUITE_P(Databases, suite, ::testing::Values(::lade::db::Backend::postgresql), \
                           [](const auto& test) { return std::string(::lade::testing::name_of(test.param)); })
