#include "cli/change_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/terminal.h"

namespace lade::cli {
namespace {

namespace json = boost::json;

std::string text_of(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : std::string("–");
}

std::string list_of(const json::object& record, std::string_view name) {
  std::string text;
  if (const json::value* object = record.if_contains(name))
    for (const auto& [column, value] : object->as_object())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", std::string_view(column), text_of(value));
  return text;
}

}  // namespace

void print_change(const json::object& record) {
  const std::string kind = text_of(record.at("kind")), key = list_of(record, "key"), period = list_of(record, "period");
  const auto row = record.at("row").to_number<std::int64_t>();
  fmt::print("{}{}{}{}\n", bold(fmt::format("{:<6} {}", kind, text_of(record.at("table"))), STDOUT_FILENO),
             key.empty() ? "" : " " + key, period.empty() ? "" : ", " + period,
             row == 0 ? "" : fmt::format("  (row {}, line {})", row, record.at("line").to_number<std::int64_t>()));
  for (const auto& [column, cell] : record.at("cells").as_object()) {
    const json::array& values = cell.as_array();
    if (kind == "update") {
      fmt::print("  {:<20} {} → {}\n", std::string_view(column), text_of(values[0]), text_of(values[1]));
    } else {
      fmt::print("  {:<20} {}\n", std::string_view(column), text_of(values[kind == "remove" ? 0 : 1]));
    }
  }
}

}  // namespace lade::cli
