#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace lade::testing {

// A new empty database of either kind, removed with this object.
class FreshDatabase {
 public:
  explicit FreshDatabase(db::Backend backend);
  ~FreshDatabase();
  FreshDatabase(const FreshDatabase&) = delete;
  FreshDatabase& operator=(const FreshDatabase&) = delete;

  const std::string& url() const { return url_; }
  // Another session; ends the program with the reason when there is none to be had.
  std::unique_ptr<db::Connection> connect() const;

 private:
  std::string url_;
  std::filesystem::path folder_;  // of the SQLite file
};

// Rows in memory for copy_in.
class Tuples final : public db::TupleSource {
 public:
  explicit Tuples(std::vector<std::string> rows) : rows_(std::move(rows)) {}
  std::optional<std::string_view> next() override {
    if (next_ == rows_.size()) return std::nullopt;
    return rows_[next_++];
  }

 private:
  std::vector<std::string> rows_;
  std::size_t next_ = 0;
};

// "sqlite" and "postgresql", for the names of parameterised tests.
std::string_view name_of(db::Backend backend);

}  // namespace lade::testing
