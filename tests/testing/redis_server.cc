#include "testing/redis_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace lade::testing {
namespace {

std::string output_of(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string output;
  std::array<char, 4096> piece{};
  while (const std::size_t size = fread(piece.data(), 1, piece.size(), pipe)) output.append(piece.data(), size);
  pclose(pipe);
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

}  // namespace

void RedisServer::start() {
  ASSERT_EQ(process_, 0);
  process_ = fork();
  if (process_ == 0) {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", path().c_str(), "--save", "", "--appendonly",
           "no", "--dir", folder_.path().c_str(), password_.empty() ? nullptr : "--requirepass", password_.c_str(),
           nullptr);
    _exit(127);
  }
  ASSERT_GT(process_, 0);
  for (int tries = 0; ask("PING") != "PONG"; ++tries) {
    ASSERT_LT(tries, 1000) << "no redis-server: scripts/install_packages.sh test";
    usleep(10'000);
  }
}

void RedisServer::kill() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
  unlink(path().c_str());
}

void RedisServer::freeze() const {
  ::kill(process_, SIGSTOP);
}

void RedisServer::wake() const {
  ::kill(process_, SIGCONT);
}

std::string RedisServer::ask(const std::string& command) const {
  const std::string login = password_.empty() ? "" : fmt::format("--no-auth-warning -a '{}'", password_);
  return output_of(fmt::format("redis-cli -s {} {} {} 2>/dev/null", path(), login, command));
}

}  // namespace lade::testing
