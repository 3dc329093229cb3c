#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>
#include <vector>

namespace lade::testing {

// A private PostgreSQL server for the tests of one program: started with the first use, stopped and removed at the end
// of the program, however it ends. With LADE_TEST_POSTGRESQL (a URL) set, that server is used instead. Thread-safe.
class PostgreSQL {
 public:
  static PostgreSQL& shared();
  PostgreSQL(const PostgreSQL&) = delete;
  PostgreSQL& operator=(const PostgreSQL&) = delete;

  // The URL of a new empty database; it is dropped with the server, or earlier by drop_database().
  std::string fresh_database();
  void drop_database(const std::string& url);
  // The URL of the server's own database `postgres`.
  const std::string& url() const { return url_; }

 private:
  PostgreSQL();
  ~PostgreSQL();
  void start();
  void stop();
  std::string url_of(const std::string& database) const;

  std::mutex mutex_;
  std::string url_;
  std::vector<std::string> databases_;
  int count_ = 0;
  // The script that starts the server and stops it when this program's end of the pipe closes; 0 with a foreign server.
  pid_t guard_ = 0;
  int pipe_to_guard_ = -1;
};

}  // namespace lade::testing
