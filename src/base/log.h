#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

// What a process that runs for long tells those who operate it: one line for each event on standard error. Values of
// rows never go there, nor do secrets.
namespace lade {

enum class LogLevel { debug, info, warning, error };
enum class LogFormat { none, text, json };

// For the whole process; before the first line of a server or worker. At the beginning nothing is logged.
void set_log(LogFormat format, LogLevel least = LogLevel::info);

// `event` is a stable snake_case name. Fields with an empty value are left out. Lines of several threads do not mix.
using LogField = std::pair<std::string_view, std::string>;
void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields);

}  // namespace lade
