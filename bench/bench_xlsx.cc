// Reads the first sheet of a workbook, visits every cell, and prints what it cost.
//   bench_xlsx FILE [--repeat N] [--string-memory-kb N]
// The checksum takes every cell's place, kind and text, so that no work can be left out. --string-memory-kb sets the
// budget for shared strings; more of them go to a nameless file in the folder for temporary files.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "xlsx/workbook.h"

namespace {

struct Counts {
  std::int64_t rows = 0;
  std::int64_t cells = 0;
  std::uint64_t checksum = 0;
};

lade::Result<Counts> read(const std::string& path, const lade::xlsx::Limits& limits) {
  LADE_ASSIGN(const lade::File file, lade::File::open(path));
  LADE_ASSIGN(const auto workbook,
              lade::xlsx::Workbook::open(file, path, std::filesystem::temp_directory_path(), limits));
  LADE_ASSIGN(const auto reader, workbook.read(0));
  Counts counts;
  lade::xlsx::Row row;
  for (;;) {
    LADE_ASSIGN(const bool more, reader->next(row));
    if (!more) return counts;
    ++counts.rows;
    counts.cells += static_cast<std::int64_t>(row.cells.size());
    for (const auto& cell : row.cells) {
      const auto last = static_cast<unsigned char>(cell.text.back());
      counts.checksum =
          counts.checksum * 31 + cell.text.size() * 257 + last + cell.column + static_cast<unsigned>(cell.kind);
    }
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  int repeat = 3;
  lade::xlsx::Limits limits;
  for (int at = 1; at < argc; ++at) {
    const std::string_view word = argv[at];
    const auto number = [&] { return at + 1 < argc ? std::strtoul(argv[++at], nullptr, 10) : 0; };
    if (word == "--repeat") {
      repeat = static_cast<int>(number());
    } else if (word == "--string-memory-kb") {
      limits.string_memory = number() * 1024;
    } else {
      path = word;
    }
  }
  if (path.empty()) {
    fmt::print(stderr, "bench_xlsx FILE [--repeat N] [--string-memory-kb N]\n");
    return 2;
  }
  for (int round = 0; round < repeat; ++round) {
    const double begin = cpu_seconds();
    const auto counts = read(path, limits);
    if (!counts) {
      fmt::print(stderr, "{}: {}\n", counts.error().code, counts.error().message);
      return 1;
    }
    fmt::print("{} rows, {} cells, {:.3f} CPU s, peak RSS {:.1f} MB, checksum {:016x}\n", counts->rows, counts->cells,
               cpu_seconds() - begin, peak_megabytes(), counts->checksum);
  }
  return 0;
}
