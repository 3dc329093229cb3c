#include "testing/s3_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "testing/source_folder.h"

namespace lade::testing {
namespace {

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "the S3 storage of the tests: %s\n", why);
  std::exit(1);
}

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string script() {
  return source_folder() / "tests/testing/s3_server.py";
}

std::string line_of(int descriptor) {
  std::string line;
  char c = 0;
  while (read(descriptor, &c, 1) == 1 && c != '\n') line.push_back(c);
  if (line.empty()) give_up("it has ended");
  return line;
}

}  // namespace

S3Server& S3Server::shared() {
  static S3Server server;
  return server;
}

bool S3Server::is_foreign() {
  return !environment("LADE_TEST_S3", "").empty();
}
std::string S3Server::access() const {
  return environment("LADE_TEST_S3_ACCESS", "S3RVER");
}
std::string S3Server::secret() const {
  return environment("LADE_TEST_S3_SECRET", "S3RVER");
}

S3Server::S3Server() {
  std::array<int, 2> in{}, out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) give_up("cannot make a pipe");
  const std::string path = script(), foreign = environment("LADE_TEST_S3", "");
  process_ = fork();
  if (process_ < 0) give_up("cannot fork");
  if (process_ == 0) {
    setsid();  // an interrupt from the terminal does not end it before its end is asked for
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    if (foreign.empty())
      execlp("python3", "python3", path.c_str(), nullptr);
    else
      execlp("python3", "python3", path.c_str(), "--behind", foreign.c_str(), nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
  const std::string line = line_of(from_);  // {"endpoint": "http://127.0.0.1:1234"}
  const std::size_t begin = line.find("http://"), end = line.rfind('"');
  if (begin == std::string::npos || end <= begin) give_up(line.c_str());
  endpoint_ = line.substr(begin, end - begin);
}

S3Server::~S3Server() {
  close(to_);
  waitpid(process_, nullptr, 0);
  close(from_);
}

std::string S3Server::ask(const std::string& command) {
  const std::string line = command + "\n";
  if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) give_up("it takes no commands");
  return line_of(from_);
}

void S3Server::fail(const std::string& kind, double rate, const std::string& path) {
  ask(fmt::format(R"({{"faults": "{}", "rate": {}, "path": "{}"}})", kind, rate, path));
}

std::string S3Server::seen() {
  return ask("{}");
}

}  // namespace lade::testing
