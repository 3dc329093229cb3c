// Reads a CSV file, visits every field of every row with its row number and line, and prints what it cost.
//   bench_csv FILE [--threads N] [--copy] [--bytewise] [--repeat N] [--chunk-mb N] [--weaken N]
// The checksum takes every field's place and length, and every row's number and line, so that no work can be left out;
// it is the same for every way of reading. --copy also copies each field out as text with its quotes resolved.
// --bytewise switches the vector code off, --weaken N the N best instruction sets. With threads the file is split first
// (its own figure), then the chunks are read side by side.
#include <fmt/format.h>
#include <hwy/targets.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "csv/reader.h"
#include "csv/split.h"

namespace {

using lade::csv::Batch;
using lade::csv::Dialect;
using lade::csv::Field;
using lade::csv::Reader;
using lade::csv::ReaderOptions;

struct Arguments {
  std::string file;
  std::size_t threads = 1;
  int repeat = 3;
  std::uint64_t chunk_bytes = 16 << 20;
  bool copy = false;
  bool bytewise = false;
  std::size_t weaken = 0;
};

struct Work {
  std::uint64_t rows = 0;
  std::uint64_t fields = 0;
  std::uint64_t checksum = 0;

  void add(const Work& other) {
    rows += other.rows;
    fields += other.fields;
    checksum += other.checksum;
  }
};

struct Clock {
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  double cpu = cpu_seconds();

  static double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  double wall_seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(); }
};

void visit(const Batch& batch, Work& work) {
  // Chunks begin at other places: count from the start of the file.
  const char* file_start = batch.block().data() - batch.offset(0);
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    std::uint64_t lengths = 0;
    std::uint64_t places = 0;
    for (std::size_t column = 0; column < batch.columns(); ++column) {
      const Field field = batch.field(row, column);
      lengths += field.raw.size();
      places += static_cast<std::uint64_t>(field.raw.data() - file_start);
    }
    work.checksum +=
        lengths * static_cast<std::uint64_t>(batch.row_id(row)) ^ places * static_cast<std::uint64_t>(batch.line(row));
  }
  work.rows += batch.rows();
  work.fields += batch.rows() * batch.columns();
}

// The text of all fields of a batch, one behind the other.
class Texts {
 public:
  void copy(const Batch& batch, const Dialect& dialect, Work& work) {
    buffer_.resize(batch.block().size() + kVector);
    char* out = buffer_.data();
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      for (std::size_t column = 0; column < batch.columns(); ++column) {
        out = append(batch.field(row, column), dialect, out);
      }
    }
    work.checksum += static_cast<std::uint64_t>(out - buffer_.data());
  }

 private:
  static constexpr std::size_t kVector = 32;
  static_assert(kVector <= Batch::kReadableBehind);

  char* append(const Field& field, const Dialect& dialect, char* out) {
    const std::string_view text = field.escaped ? lade::csv::unescape(field, dialect, scratch_) : field.raw;
    if (text.size() <= kVector && !field.escaped) {
      std::memcpy(out, text.data(), kVector);
    } else {
      std::memcpy(out, text.data(), text.size());
    }
    return out + text.size();
  }

  std::vector<char> buffer_;
  std::string scratch_;
};

Work read_range(const lade::File& file, std::uint64_t begin, std::uint64_t end, const ReaderOptions& options,
                bool copies) {
  lade::FileRange range(file, begin, end);
  Reader reader(range, options);
  Batch batch;
  Work work;
  Texts texts;
  for (;;) {
    const auto more = reader.next(batch);
    if (!more) {
      fmt::print(stderr, "{}: {}\n", more.error().code, more.error().message);
      std::exit(1);
    }
    if (!*more) return work;
    visit(batch, work);
    if (copies) texts.copy(batch, options.dialect, work);
  }
}

Work read_chunks(const lade::File& file, const lade::csv::Split& split, ReaderOptions options,
                 const Arguments& arguments) {
  options.columns = split.columns;
  std::atomic<std::size_t> next = 0;
  std::vector<Work> works(arguments.threads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < arguments.threads; ++thread) {
      threads.emplace_back([&, thread, own = options]() mutable {
        for (std::size_t chunk = next++; chunk < split.chunks.size(); chunk = next++) {
          const auto& start = split.chunks[chunk];
          const auto& stop = chunk + 1 < split.chunks.size() ? split.chunks[chunk + 1] : split.end;
          own.first_offset = start.offset;
          own.first_row = start.row;
          own.first_line = start.line;
          works[thread].add(read_range(file, start.offset, stop.offset, own, arguments.copy));
        }
      });
    }
  }
  Work total;
  for (const Work& work : works) total.add(work);
  return total;
}

void report(std::string_view what, std::uint64_t bytes, const Clock& clock, const Work& work) {
  const double wall = clock.wall_seconds();
  const double cpu = Clock::cpu_seconds() - clock.cpu;
  const double gigabytes = static_cast<double>(bytes) * 1e-9;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{:<8} cpu {:.3f} s {:.2f} GB/s  wall {:.3f} s {:.2f} GB/s  rss {:.1f} MB  rows {} fields {} checksum {:016x}\n",
      what, cpu, gigabytes / cpu, wall, gigabytes / wall, static_cast<double>(usage.ru_maxrss) / 1024, work.rows,
      work.fields, work.checksum);
  std::fflush(stdout);
}

// Takes the N best instruction sets for missing; returns the best that is left.
std::string_view weaken(std::size_t count) {
  std::int64_t left = hwy::SupportedTargets();
  for (; count > 0; --count) left &= left - 1;
  hwy::GetChosenTarget().Update(left);
  return hwy::TargetName(left & -left);
}

int run(const Arguments& arguments) {
  const auto file = lade::File::open(arguments.file);
  if (!file) {
    fmt::print(stderr, "{}: {}\n", file.error().code, file.error().message);
    return 1;
  }
  const std::uint64_t size = file->size().value();
  ReaderOptions options;
  options.vectorised = !arguments.bytewise;
  fmt::print("{} bytes, {}\n", size, arguments.bytewise ? "byte by byte" : weaken(arguments.weaken));
  for (int turn = 0; turn < arguments.repeat; ++turn) {
    Clock clock;
    if (arguments.threads == 1) {
      report("read", size, clock, read_range(*file, 0, size, options, arguments.copy));
      continue;
    }
    lade::FileRange whole(*file, 0, size);
    const auto split = lade::csv::split(whole, options, arguments.chunk_bytes).value();
    report("split", size, clock, {});
    clock = {};
    report(fmt::format("read x{}", arguments.threads), size, clock, read_chunks(*file, split, options, arguments));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int at = 1; at < argc; ++at) {
    const std::string_view word = argv[at];
    const auto number = [&] { return at + 1 < argc ? std::strtoul(argv[++at], nullptr, 10) : 0; };
    if (word == "--threads") {
      arguments.threads = std::max<std::size_t>(number(), 1);
    } else if (word == "--repeat") {
      arguments.repeat = static_cast<int>(number());
    } else if (word == "--chunk-mb") {
      arguments.chunk_bytes = number() << 20;
    } else if (word == "--weaken") {
      arguments.weaken = number();
    } else if (word == "--copy") {
      arguments.copy = true;
    } else if (word == "--bytewise") {
      arguments.bytewise = true;
    } else {
      arguments.file = word;
    }
  }
  if (!arguments.file.empty()) return run(arguments);
  fmt::print(stderr, "bench_csv FILE [--threads N] [--copy] [--bytewise] [--repeat N] [--chunk-mb N] [--weaken N]\n");
  return 2;
}
