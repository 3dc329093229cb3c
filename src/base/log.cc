#include "base/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "base/moment.h"

namespace lade {
namespace {

std::atomic<LogFormat> chosen_format = LogFormat::none;
std::atomic<LogLevel> least_level = LogLevel::info;

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
  }
  return "error";
}

void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      line += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      line += c;
    }
  }
  line += '"';
}

bool is_plain(std::string_view text) {
  return text.find_first_of(" \"=\\\n\r\t") == std::string_view::npos;
}

}  // namespace

void set_log(LogFormat format, LogLevel least) {
  chosen_format = format;
  least_level = least;
}

void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  const LogFormat format = chosen_format;
  if (format == LogFormat::none || level < least_level) return;
  const std::string time = to_text(now());
  std::string line;
  if (format == LogFormat::json) {
    line = fmt::format(R"({{"time":"{}","level":"{}","event":"{}")", time, to_string(level), event);
    for (const auto& [name, value] : fields) {
      if (value.empty()) continue;
      line += fmt::format(",\"{}\":", name);
      append_quoted(line, value);
    }
    line += "}\n";
  } else {
    line = fmt::format("{} {} {}", time, to_string(level), event);
    for (const auto& [name, value] : fields) {
      if (value.empty()) continue;
      line += fmt::format(" {}=", name);
      is_plain(value) ? void(line += value) : append_quoted(line, value);
    }
    line += '\n';
  }
  // One write for one line; what standard error does not take is lost.
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace lade
