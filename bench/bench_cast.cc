#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cast.h"

// Nanoseconds per value of the casts' common paths, best of five rounds over a million cells.
namespace {

using namespace lade::analysis;

constexpr std::size_t kCells = 1'000'000;

// Cells side by side in one block, as a batch holds them.
struct Cells {
  std::string block;
  std::vector<std::string_view> texts;
};

Cells make_cells(const std::function<void(std::string&, std::uint64_t)>& append) {
  Cells cells;
  std::vector<std::size_t> ends;
  std::uint64_t state = 88'172'645'463'325'252;
  for (std::size_t at = 0; at < kCells; ++at) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    append(cells.block, state);
    ends.push_back(cells.block.size());
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    cells.texts.emplace_back(cells.block.data() + begin, end - begin);
    begin = end;
  }
  return cells;
}

template <class Cast>
void measure(const char* name, const Cells& cells, const Cast& cast) {
  double best = 1e9;
  std::size_t faults = 0;
  std::int64_t sum = 0;
  for (int round = 0; round < 5; ++round) {
    faults = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string_view text : cells.texts) faults += cast(text, sum) ? 1 : 0;
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count() / static_cast<double>(kCells));
  }
  std::printf("%-28s %6.2f ns a value   (%zu faults, sum %lld)\n", name, best, faults, static_cast<long long>(sum));
}

void measure_numbers() {
  const NumberFormat plain;
  const NumberFormat german = *NumberFormat::for_locale("de-DE");
  const auto integers = make_cells(
      [](std::string& out, std::uint64_t seed) { append_integer(out, static_cast<std::int64_t>(seed % 1'000'000)); });
  measure("integer", integers, [&](std::string_view text, std::int64_t& sum) {
    std::int64_t value = 0;
    const CastFault fault = plain.integer(text, value);
    sum += value;
    return fault;
  });
  const auto decimal = [](const NumberFormat& format) {
    return [&format](std::string_view text, std::int64_t& sum) {
      Int128 value = 0;
      const CastFault fault = format.decimal(text, 14, 4, value);
      sum += static_cast<std::int64_t>(value);
      return fault;
    };
  };
  measure("decimal(14,4)", make_cells([](std::string& out, std::uint64_t seed) {
            append_decimal(out, static_cast<Int128>(seed % 10'000'000), 2);
          }),
          decimal(plain));
  measure("decimal(14,4), 1.234,56", make_cells([](std::string& out, std::uint64_t seed) {
            append_integer(out, static_cast<std::int64_t>(1 + seed % 99));
            out += '.';
            append_integer(out, static_cast<std::int64_t>(100 + seed % 899));
            out += ",50";
          }),
          decimal(german));
}

void measure_dates() {
  const auto dates = make_cells(
      [](std::string& out, std::uint64_t seed) { append_date(out, static_cast<std::int32_t>(seed % 20'000)); });
  measure("date", dates, [format = DateFormat{}](std::string_view text, std::int64_t& sum) {
    std::int32_t days = 0;
    const CastFault fault = format.date(text, days);
    sum += days;
    return fault;
  });
  measure("date, YYYY-MM-DD as pattern", dates,
          [format = *DateFormat::parse("YYYY-MM-DD")](std::string_view text, std::int64_t& sum) {
            std::int32_t days = 0;
            const CastFault fault = format.date(text, days);
            sum += days;
            return fault;
          });
  const auto timestamps = make_cells([](std::string& out, std::uint64_t seed) {
    append_timestamp(out, static_cast<std::int64_t>(1'700'000'000 + seed % 1'000'000) * 1'000'000);
    out.pop_back();
  });
  const auto timestamp = [](const DateFormat& format) {
    return [format](std::string_view text, std::int64_t& sum) {
      std::int64_t value = 0;
      const CastFault fault = format.timestamp(text, value);
      sum += value;
      return fault;
    };
  };
  measure("timestamp", timestamps, timestamp(DateFormat{}));
  measure("timestamp, Europe/Berlin", timestamps, timestamp(*DateFormat::parse("", "Europe/Berlin")));
}

}  // namespace

int main() {
  measure_numbers();
  measure_dates();
}
