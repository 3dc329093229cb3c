#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "jobs/import.h"

namespace lade::cli {

enum class Output { text, json, ndjson };

// Exit codes of design section 11.
enum ExitCode {
  kOk = 0,
  kUsage = 1,
  kFailedRows = 2,
  kFailed = 3,
  kInvalid = 4,
  kCancelled = 5,
  kCannotConnect = 6,
  kWaitingForReview = 7,
  kDuplicate = 8,
};
int exit_code(ErrorKind kind);

// The error for people on standard error, or as an object on standard output; gives the exit code.
int report(const Error& error, Output output);

bool colour_allowed(int descriptor);
std::string bold(std::string_view text, int descriptor);
// 1234567 → 1 234 567.
std::string grouped(std::int64_t number);

// Shows a running import on standard error: one live line on a terminal; otherwise a plain line at the beginning, now
// and then, and at the end, which with ndjson are objects on standard output. Stops when it is destroyed.
class ProgressLine {
 public:
  ProgressLine(const jobs::Progress& progress, Output output, bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void run(std::stop_token stop);
  void show();

  const jobs::Progress& progress_;
  const Output output_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::jthread thread_;
};

// Shows how much of a file has been sent, in the same way; told by whoever sends it.
class UploadLine {
 public:
  UploadLine(std::string file, Output output, bool quiet);
  ~UploadLine();
  UploadLine(const UploadLine&) = delete;
  UploadLine& operator=(const UploadLine&) = delete;

  void tell(std::uint64_t sent, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  void show(std::uint64_t sent, std::uint64_t total);

  const std::string file_;
  const Output output_;
  const bool silent_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
  bool whole_ = false;  // its end was shown
};

// The summary of an import for people.
void print_summary(const jobs::Summary& summary);

}  // namespace lade::cli
