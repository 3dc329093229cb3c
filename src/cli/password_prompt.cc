#include "cli/password_prompt.h"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <iostream>

namespace lade::cli {
namespace {

// The terminal of standard input shows nothing of what is typed while this object lives.
class Silence {
 public:
  Silence() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
  }
  ~Silence() {
    if (changed_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  termios before_ = {};
  bool changed_ = false;
};

Result<std::string> read_line() {
  std::string line;
  if (!std::getline(std::cin, line))
    return fail("password_missing", "there is no password on standard input",
                "write it there as one line, or run the command on a terminal", ErrorKind::usage);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

Result<std::string> ask(const char* question) {
  fmt::print(stderr, "{}: ", question);
  auto line = read_line();
  fmt::print(stderr, "\n");
  return line;
}

}  // namespace

Result<std::string> read_new_password() {
  if (isatty(STDIN_FILENO) == 0) return read_line();
  const Silence silence;
  LADE_ASSIGN(std::string password, ask("New password"));
  LADE_ASSIGN(const std::string again, ask("Once more"));
  if (password != again)
    return fail("passwords_differ", "the two passwords are not the same", "try again", ErrorKind::usage);
  return password;
}

}  // namespace lade::cli
