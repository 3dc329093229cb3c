#include "handlers/pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace lade::handlers {
namespace {

constexpr std::size_t kMessageBytes = 4 * 1024 * 1024;  // rows of a batch have at most so much text
constexpr int kMostInARow = 25;

std::string_view code_of(Trouble trouble) {
  std::string_view code;
  switch (trouble) {
    case Trouble::none: break;
    case Trouble::died: code = "handler_died"; break;
    case Trouble::timed_out: code = "handler_timed_out"; break;
    case Trouble::bad_answer: code = "handler_bad_answer"; break;
    case Trouble::output_limit: code = "handler_output_limit"; break;
  }
  return code;
}

Error cancelled() {
  return {"cancelled", "the import was cancelled", {}, ErrorKind::cancelled};
}

}  // namespace

// The rows of one call, and which of them have their answer.
struct Pool::Batch {
  const RowTexts& rows;
  const Take& take;
  std::vector<char> answered;
  std::string message;  // of the last trouble

  // The place of an index among these rows; rows.size() when it is none of them.
  std::size_t find(std::int64_t index, Range range) const {
    auto [begin, end] = range;
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (rows.row_index(middle) == index) return middle;
      if (rows.row_index(middle) < index)
        begin = middle + 1;
      else
        end = middle;
    }
    return rows.size();
  }
};

Pool::Pool(std::shared_ptr<const Registry> registry, const Handler& handler, Start start, std::size_t batch_rows)
    : registry_(std::move(registry)),
      handler_(handler),
      start_(std::move(start)),
      batch_rows_(batch_rows == 0 ? handler.limits.batch_rows : std::min(batch_rows, handler.limits.batch_rows)) {}

Pool::ProcessPointer Pool::idle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  ProcessPointer process = std::move(idle_.back());
  idle_.pop_back();
  return process;
}

void Pool::give_back(ProcessPointer process) {
  if (!process) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(process));
}

// One that died while nobody needed it costs no row.
Result<void> Pool::ensure(ProcessPointer& process) {
  if (process && process->is_ready()) return {};
  if (process) ++losses_;
  process.reset();
  LADE_ASSIGN(process, Process::start(handler_, registry_->spawner(), start_));
  return {};
}

std::size_t Pool::end_of_batch(const RowTexts& rows, std::size_t begin) const {
  std::size_t end = begin, bytes = 0;
  while (end < rows.size() && end - begin < batch_rows_ && (end == begin || bytes < kMessageBytes))
    bytes += rows.bytes(end++);
  return end;
}

Process::Next Pool::take_line(Process& process, Batch& batch, std::string_view line, Range range, std::size_t& open) {
  const Answer* const answer = process.parser_.parse(line);
  const auto index = process.parser_.row_index();
  const std::size_t row = index ? batch.find(*index, range) : batch.rows.size();
  if (row == batch.rows.size() || batch.answered[row] != 0) {
    if (!index)
      process.refusal_ = process.parser_.why().empty() ? "its answer has no `row_index`" : process.parser_.why();
    else
      process.refusal_ = fmt::format("it answers for row {}{}", *index,
                                     row == batch.rows.size() ? ", which it was not given" : " twice");
    return Process::Next::refuse;
  }
  batch.answered[row] = 1;
  RowAnswer said;
  std::string message;
  if (answer == nullptr) {
    said.code = "handler_bad_answer";
    message = process.parser_.why();
  } else {
    failures_in_a_row_ = 0;
    said.result = answer->result;
    if (!answer->ok) said.code = "handler_failed";
    if (!answer->ok) message = one_line(answer->error);
  }
  said.message = message;
  registry_->count_row(handler_, !said.code.empty());
  batch.take(row, said);
  return --open == 0 ? Process::Next::done : Process::Next::more;
}

Trouble Pool::talk(ProcessPointer& process, Batch& batch, Range range, std::chrono::seconds limit) {
  std::size_t open = range.end - range.begin;
  const Trouble trouble = process->talk(batch.rows.message(range.begin, range.end), limit, [&](std::string_view line) {
    return take_line(*process, batch, line, range, open);
  });
  if (trouble == Trouble::none) return trouble;
  batch.message = process->describe(trouble);
  process.reset();
  ++losses_;
  return trouble;
}

// After a trouble nobody knows whose fault it was: the rows that have no answer yet are tried one by one.
Result<void> Pool::answer_batch(ProcessPointer& process, Batch& batch, Range range, const std::stop_token& stop) {
  LADE_TRY(ensure(process));
  if (talk(process, batch, range, handler_.limits.batch_seconds) == Trouble::none) return {};
  for (std::size_t row = range.begin; row < range.end; ++row) {
    if (batch.answered[row] != 0) continue;
    if (stop.stop_requested()) return fail(cancelled());
    LADE_TRY(answer_alone(process, batch, row));
  }
  return {};
}

Result<void> Pool::answer_alone(ProcessPointer& process, Batch& batch, std::size_t row) {
  Trouble trouble = Trouble::none;
  // A process can be killed for reasons that have nothing to do with the row, and say more than it was asked about the
  // row before: a new one is tried.
  for (int attempt = 0; attempt < 2; ++attempt) {
    LADE_TRY(ensure(process));
    trouble = talk(process, batch, {row, row + 1}, handler_.limits.row_seconds);
    if (batch.answered[row] != 0) return {};
    if (trouble != Trouble::died && trouble != Trouble::bad_answer) break;
  }
  batch.answered[row] = 1;
  registry_->count_row(handler_, true);
  batch.take(row, {code_of(trouble), batch.message, {}});
  if (++failures_in_a_row_ < kMostInARow) return {};
  return fail("handler_keeps_failing",
              fmt::format("the handler '{}' failed for {} rows one after another, the last time because {}",
                          handler_.name, kMostInARow, batch.message),
              "correct the handler, then retry the job");
}

Result<void> Pool::answer(const RowTexts& rows, const Take& take, const std::stop_token& stop) {
  Batch batch{rows, take, std::vector<char>(rows.size(), 0), {}};
  for (std::size_t begin = 0; begin < rows.size();) {
    const std::size_t end = end_of_batch(rows, begin);
    const Slot slot = registry_->slot(handler_, stop);
    if (!slot || stop.stop_requested()) return fail(cancelled());
    ProcessPointer process = idle();
    auto answered = answer_batch(process, batch, {begin, end}, stop);
    give_back(std::move(process));
    if (!answered) return answered;
    begin = end;
  }
  return {};
}

Result<void> Pool::ask(std::string_view message) {
  const Slot slot = registry_->slot(handler_);
  ProcessPointer process = idle();
  LADE_TRY(ensure(process));
  LADE_TRY(process->ask(message, handler_.limits.start_seconds));
  give_back(std::move(process));
  return {};
}

}  // namespace lade::handlers
