#include "testing/database.h"

#include <cstdio>
#include <cstdlib>

#include "testing/postgresql.h"

namespace lade::testing {

FreshDatabase::FreshDatabase(db::Backend backend) {
  if (backend == db::Backend::postgresql) {
    url_ = PostgreSQL::shared().fresh_database();
    return;
  }
  std::string path = (std::filesystem::temp_directory_path() / "lade_sqlite_XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) {
    std::perror(path.c_str());
    std::exit(1);
  }
  folder_ = path;
  url_ = "sqlite:" + (folder_ / "test.db").string();
}

FreshDatabase::~FreshDatabase() {
  if (folder_.empty()) {
    PostgreSQL::shared().drop_database(url_);
  } else {
    std::filesystem::remove_all(folder_);
  }
}

std::unique_ptr<db::Connection> FreshDatabase::connect() const {
  auto connection = db::connect(url_);
  if (connection) return std::move(*connection);
  std::fprintf(stderr, "%s\n", connection.error().message.c_str());
  std::exit(1);
}

std::string_view name_of(db::Backend backend) {
  return backend == db::Backend::sqlite ? "sqlite" : "postgresql";
}

}  // namespace lade::testing
