#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "handlers/message.h"
#include "handlers/process.h"
#include "handlers/registry.h"

namespace lade::handlers {

// What became of one row. Texts live during the call.
struct RowAnswer {
  std::string_view code;     // empty: ok; otherwise that of the issue
  std::string_view message;  // one line, when not ok
  std::span<const Answer::Field> result;
};

// The processes of one handler that work for one job. Every row gets exactly one answer, whatever the handler does: a
// row that kills it, hangs it or makes it talk nonsense fails, the others go on. Thread-safe.
class Pool {
 public:
  // `handler` is one of the registry's. It gets `batch_rows` at once, or as many as its limits say; 0: that many.
  Pool(std::shared_ptr<const Registry> registry, const Handler& handler, Start start, std::size_t batch_rows = 0);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Calls `take` once for every row, by its place in `rows`, in any order. Fails, with some rows not taken, when the
  // handler cannot be started or refuses the job (handler_not_started, handler_refused), or when one row after another
  // makes it fail (handler_keeps_failing), and with cancelled.
  using Take = std::function<void(std::size_t row, const RowAnswer& answer)>;
  Result<void> answer(const RowTexts& rows, const Take& take, const std::stop_token& stop = {});

  // Says a message without rows to one of its processes. Fails with handler_not_started and with handler_refused.
  Result<void> ask(std::string_view message);

  const std::string& name() const { return handler_.name; }
  std::size_t batch_rows() const { return batch_rows_; }

  // How often a process was lost.
  std::int64_t losses() const { return losses_; }

 private:
  struct Batch;
  struct Range {
    std::size_t begin, end;
  };
  using ProcessPointer = std::unique_ptr<Process>;
  Result<void> ensure(ProcessPointer& process);
  ProcessPointer idle();
  void give_back(ProcessPointer process);
  Trouble talk(ProcessPointer& process, Batch& batch, Range range, std::chrono::seconds limit);
  Process::Next take_line(Process& process, Batch& batch, std::string_view line, Range range, std::size_t& open);
  Result<void> answer_batch(ProcessPointer& process, Batch& batch, Range range, const std::stop_token& stop);
  Result<void> answer_alone(ProcessPointer& process, Batch& batch, std::size_t row);
  std::size_t end_of_batch(const RowTexts& rows, std::size_t begin) const;

  const std::shared_ptr<const Registry> registry_;
  const Handler& handler_;
  const Start start_;
  const std::size_t batch_rows_;
  std::atomic<std::int64_t> losses_ = 0;
  std::atomic<int> failures_in_a_row_ = 0;
  std::mutex mutex_;  // guards what follows
  std::vector<ProcessPointer> idle_;
};

}  // namespace lade::handlers
