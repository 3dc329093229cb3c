#include "testing/postgresql.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/assert.h"
#include "db/connection.h"
#include "testing/source_folder.h"

namespace lade::testing {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "the PostgreSQL of the tests: %s\n", why.c_str());
  std::exit(1);
}

std::string script() {
  return source_folder() / "scripts/private_postgresql.sh";
}

std::string temporary_folder() {
  std::string path = "/tmp/lade_pg_XXXXXX";
  if (mkdtemp(path.data()) == nullptr) give_up("cannot make a folder in /tmp");
  return path;
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) give_up("cannot make a pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
};

std::string first_line(int descriptor) {
  std::string line;
  char c = 0;
  while (read(descriptor, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

// A run of the tests does not survive a power cut; crash tests start their own server with fsync.
constexpr const char* kSettings = "-c fsync=off -c shared_buffers=64MB -c max_connections=50";

}  // namespace

PostgreSQL& PostgreSQL::shared() {
  static PostgreSQL server;
  return server;
}

PostgreSQL::PostgreSQL() {
  if (const char* foreign = std::getenv("LADE_TEST_POSTGRESQL"); foreign != nullptr && *foreign != '\0') {
    url_ = foreign;
  } else {
    start();
  }
}

void PostgreSQL::start() {
  const std::string folder = temporary_folder();
  const std::string path = script();
  const Pipe to_guard;
  const Pipe from_guard;
  guard_ = fork();
  if (guard_ < 0) give_up("cannot fork");
  if (guard_ == 0) {
    // Its own session, so that an interrupt from the terminal does not end it before its work is done.
    setsid();
    dup2(to_guard.read_end, STDIN_FILENO);
    dup2(from_guard.write_end, STDOUT_FILENO);
    setenv("PGOPTS", kSettings, 0);
    execl("/bin/sh", "sh", path.c_str(), "guard", folder.c_str(), nullptr);
    _exit(127);
  }
  close(to_guard.read_end);
  close(from_guard.write_end);
  pipe_to_guard_ = to_guard.write_end;
  url_ = first_line(from_guard.read_end);
  close(from_guard.read_end);
  if (url_.empty()) give_up(fmt::format("{} could not start it", path));
}

PostgreSQL::~PostgreSQL() {
  stop();
}

void PostgreSQL::stop() {
  if (guard_ == 0) {
    while (!databases_.empty()) drop_database(std::string(databases_.back()));
    return;
  }
  close(pipe_to_guard_);
  waitpid(guard_, nullptr, 0);
}

std::string PostgreSQL::url_of(const std::string& database) const {
  // postgresql://user@host/NAME?parameters
  const std::size_t query = std::min(url_.find('?'), url_.size());
  const std::size_t slash = url_.rfind('/', query);
  LADE_ASSERT(slash != std::string::npos);
  const bool has_name = slash > 0 && url_[slash - 1] != '/';
  return url_.substr(0, has_name ? slash : query) + "/" + database + url_.substr(query);
}

std::string PostgreSQL::fresh_database() {
  const std::lock_guard lock(mutex_);
  const std::string name = fmt::format("lade_test_{}_{}", getpid(), ++count_);
  auto connection = db::connect(url_);
  if (!connection) give_up(connection.error().message);
  if (auto made = (*connection)->run("CREATE DATABASE " + name); !made) give_up(made.error().message);
  return databases_.emplace_back(url_of(name));
}

void PostgreSQL::drop_database(const std::string& url) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(databases_.begin(), databases_.end(), url);
  LADE_ASSERT(found != databases_.end());
  databases_.erase(found);
  const std::size_t end = std::min(url.find('?'), url.size());
  const std::size_t slash = url.rfind('/', end);
  auto connection = db::connect(url_);
  if (!connection) give_up(connection.error().message);
  const std::string name = url.substr(slash + 1, end - slash - 1);
  if (auto dropped = (*connection)->run("DROP DATABASE " + name + " WITH (FORCE)"); !dropped)
    give_up(dropped.error().message);
}

}  // namespace lade::testing
