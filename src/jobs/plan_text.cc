#include <boost/json.hpp>

#include "jobs/plan.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;

// Keys are bytes, which JSON does not have.
std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    text.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return text;
}

std::string from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1])));
  return bytes;
}

json::array to_json(const csv::ChunkStart& start) {
  return {start.offset, start.row, start.line};
}

csv::ChunkStart start_of(const json::value& value) {
  const json::array& start = value.as_array();
  return {start.at(0).to_number<std::uint64_t>(), start.at(1).to_number<std::int64_t>(),
          start.at(2).to_number<std::int64_t>()};
}

std::vector<std::string> strings_of(const json::value& value) {
  std::vector<std::string> strings;
  for (const json::value& text : value.as_array()) strings.emplace_back(text.as_string());
  return strings;
}

// What later phases need of it: how result files are written.
json::object to_json(const source::Origin& origin) {
  return {{"format", origin.format},
          {"encoding", origin.encoding},
          {"compression", origin.compression},
          {"bom", origin.bom},
          {"sheet", origin.sheet}};
}

source::Origin origin_of(const json::object& object) {
  source::Origin origin;
  origin.format = object.at("format").as_string();
  origin.encoding = object.at("encoding").as_string();
  origin.compression = object.at("compression").as_string();
  origin.bom = object.at("bom").as_bool();
  origin.sheet = object.at("sheet").as_string();
  return origin;
}

Plan plan_of(const json::object& object) {
  Plan plan;
  const json::object& layout = object.at("layout").as_object();
  const json::array& dialect = layout.at("dialect").as_array();
  const auto character = [&](std::size_t at) { return static_cast<char>(dialect.at(at).to_number<int>()); };
  plan.layout.dialect = {character(0), character(1), character(2), dialect.at(3).as_bool()};
  // Plans of the versions before know only plain CSV.
  if (const json::value* origin = layout.if_contains("origin")) {
    plan.layout.dialect.comment = character(4);
    plan.layout.dialect.rows_are_lines = dialect.at(5).as_bool();
    plan.layout.origin = origin_of(origin->as_object());
  }
  plan.layout.header = strings_of(layout.at("header"));
  plan.layout.data_offset = layout.at("data_offset").to_number<std::uint64_t>();
  plan.layout.data_line = layout.at("data_line").to_number<std::int64_t>();
  plan.layout.evidence = strings_of(layout.at("evidence"));
  for (const json::value& chunk : object.at("chunks").as_array()) plan.split.chunks.push_back(start_of(chunk));
  plan.split.end = start_of(object.at("end"));
  plan.split.rows = object.at("rows").to_number<std::int64_t>();
  plan.split.columns = object.at("columns").to_number<std::size_t>();
  for (const std::string& splitter : strings_of(object.at("splitters"))) plan.splitters.push_back(from_hex(splitter));
  plan.now = object.at("now").as_string();
  if (const json::value* matches = object.if_contains("matches"))
    for (const auto& [data_column, source_column] : matches->as_object())
      plan.matches.push_back({std::string(source_column.as_string()), data_column});
  return plan;
}

}  // namespace

std::string to_text(const Plan& plan) {
  const csv::Dialect& dialect = plan.layout.dialect;
  json::array chunks, splitters;
  for (const csv::ChunkStart& chunk : plan.split.chunks) chunks.push_back(to_json(chunk));
  for (const std::string& splitter : plan.splitters) splitters.emplace_back(to_hex(splitter));
  json::object object{{"layout",
                       {{"dialect",
                         {int{dialect.delimiter}, int{dialect.quote}, int{dialect.escape}, dialect.lone_cr,
                          int{dialect.comment}, dialect.rows_are_lines}},
                        {"origin", to_json(plan.layout.origin)},
                        {"header", json::array(plan.layout.header.begin(), plan.layout.header.end())},
                        {"data_offset", plan.layout.data_offset},
                        {"data_line", plan.layout.data_line},
                        {"evidence", json::array(plan.layout.evidence.begin(), plan.layout.evidence.end())}}},
                      {"chunks", std::move(chunks)},
                      {"end", to_json(plan.split.end)},
                      {"rows", plan.split.rows},
                      {"columns", plan.split.columns},
                      {"splitters", std::move(splitters)},
                      {"now", plan.now}};
  json::object& matches = object["matches"].emplace_object();
  for (const definition::KnownMatch& match : plan.matches) matches[match.data_column] = match.source_column;
  return json::serialize(object);
}

Result<Plan> read_plan(std::string_view text) {
  try {
    return plan_of(json::parse(text).as_object());
  } catch (const std::exception& exception) {
    return fail("plan_damaged", std::string("the job's plan cannot be read: ") + exception.what(),
                "import the file again");
  }
}

}  // namespace lade::jobs
