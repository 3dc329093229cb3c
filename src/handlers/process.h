#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "handlers/handler.h"
#include "handlers/message.h"
#include "handlers/spawn.h"

namespace lade::handlers {

// What can go wrong in a talk with a handler.
enum class Trouble { none, died, timed_out, bad_answer, output_limit };

// A running handler that has agreed to work for a job. Owned by one thread at a time. After a trouble it is of no use
// any more. The program ignores SIGPIPE.
class Process {
 public:
  // Starts it and tells it the job; one that dies meanwhile is started anew, twice. Fails with handler_not_started, and
  // with handler_refused when it says no.
  static Result<std::unique_ptr<Process>> start(const Handler& handler, Spawner& spawner, const Start& start);

  // Says `message` and hands every line that comes back to `take`, until that says done.
  enum class Next { more, done, refuse };
  using Take = std::function<Next(std::string_view line)>;
  Trouble talk(std::string_view message, std::chrono::milliseconds limit, const Take& take);
  // What the last trouble was, for people, with the last line that the handler has written to its standard error.
  std::string describe(Trouble trouble);
  // False when it has ended, or says things that nobody has asked for.
  bool is_ready();
  int pid() const { return child_.pid(); }

  // The message without rows that it is asked to answer with ok; the error is what it says, or its trouble.
  Result<void> ask(std::string_view message, std::chrono::milliseconds limit);
  // Closes its input, gives it a moment to end, kills what is left of its group.
  ~Process();

 private:
  Process(const Handler& handler, Child child);
  Trouble write_some(std::string_view& rest);
  Trouble read_some(std::size_t& total);
  void read_errors();
  // Hands on the whole lines that are there.
  Trouble take_lines(const Take& take, bool& done);

  const Handler& handler_;
  Child child_;
  std::vector<char> buffer_;  // what was read; [begin_, end_) is not taken yet
  std::size_t begin_ = 0, end_ = 0;
  std::string complaints_;  // the end of its standard error
  AnswerParser parser_;
  bool healthy_ = true;
  std::chrono::milliseconds limit_{};  // of the last talk
  std::string refusal_;                // why a line was refused
  Trouble trouble_ = Trouble::none;    // of the last ask()

  friend class Pool;
};

}  // namespace lade::handlers
