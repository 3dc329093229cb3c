#include "handlers/message.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <deque>

namespace lade::handlers {

namespace dom = simdjson::dom;

static_assert(AnswerParser::kPadding >= simdjson::SIMDJSON_PADDING);

void append_json_text(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text.substr(begin, i - begin));
    begin = i + 1;
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(c));
    } else if (c == '\n') {
      out += "\\n";
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    }
  }
  out.append(text.substr(begin));
  out.push_back('"');
}

std::string start_message(const Start& start) {
  std::string text = R"({"message":"start","protocol":1,"handler":)";
  append_json_text(text, start.handler);
  text += R"(,"job_id":)";
  if (start.job_id.empty())
    text += "null";
  else
    append_json_text(text, start.job_id);
  text += R"(,"headers":[)";
  for (const std::string& header : start.headers) {
    if (text.back() != '[') text.push_back(',');
    append_json_text(text, header);
  }
  text += R"(],"options":)" + start.options + "}\n";
  return text;
}

std::string pre_import_message() {
  return "{\"message\":\"pre_import\"}\n";
}

std::string on_complete_message(std::string_view status, std::string_view counts) {
  return fmt::format("{{\"message\":\"on_complete\",\"status\":\"{}\",\"counts\":{}}}\n", status, counts);
}

void RowTexts::begin_row(std::int64_t row_index) {
  rows_.push_back({row_index, text_.size(), 0});
  fmt::format_to(std::back_inserter(text_), R"({{"row_index":{},"row":[)", row_index);
}

void RowTexts::add_cell(std::string_view text) {
  if (text_.back() != '[') text_.push_back(',');
  append_json_text(text_, text);
}

void RowTexts::add_blank() {
  if (text_.back() != '[') text_.push_back(',');
  text_ += "null";
}

void RowTexts::end_row() {
  text_ += "]}";
  rows_.back().end = text_.size();
}

std::string RowTexts::message(std::size_t begin, std::size_t end) const {
  std::string text;
  text.reserve(rows_[end - 1].end - rows_[begin].begin + (end - begin) + 64);
  text = R"({"message":"rows","rows":[)";
  for (std::size_t row = begin; row < end; ++row) {
    if (row > begin) text.push_back(',');
    text.append(text_, rows_[row].begin, rows_[row].end - rows_[row].begin);
  }
  text += "]}\n";
  return text;
}

void RowTexts::clear() {
  text_.clear();
  rows_.clear();
}

struct AnswerParser::Json {
  dom::parser parser;
  std::deque<std::string> texts;  // of values that are no text
};

AnswerParser::AnswerParser() : json_(std::make_unique<Json>()) {}
AnswerParser::~AnswerParser() = default;
AnswerParser::AnswerParser(AnswerParser&&) noexcept = default;

namespace {

Answer::Field field_of(std::string_view name, const dom::element& value, std::deque<std::string>& texts) {
  if (value.is_null()) return {name, {}, true};
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return {name, text, false};
  if (double number = 0; value.type() == dom::element_type::DOUBLE && value.get(number) == simdjson::SUCCESS)
    texts.push_back(fmt::format("{}", number));
  else
    texts.push_back(simdjson::minify(value));
  return {name, texts.back(), false};
}

}  // namespace

bool AnswerParser::read(std::string_view line) {
  dom::element root;
  if (const auto error = json_->parser.parse(line.data(), line.size(), false).get(root); error) {
    why_ = fmt::format("its line is no JSON ({})", simdjson::error_message(error));
    return false;
  }
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    why_ = "its line is no JSON object";
    return false;
  }
  bool has_ok = false, has_error = false;
  for (const auto [key, value] : object) {
    std::int64_t index = 0;
    if (key == "row_index" && value.get(index) == simdjson::SUCCESS) answer_.row_index = index;
    if (key == "ok") has_ok = value.get(answer_.ok) == simdjson::SUCCESS;
    if (key == "error") has_error = value.get(answer_.error) == simdjson::SUCCESS;
    if (key != "result") continue;
    dom::object fields;
    if (value.get(fields) == simdjson::SUCCESS) {
      for (const auto [name, field] : fields) answer_.result.push_back(field_of(name, field, json_->texts));
    } else {
      answer_.result.push_back(field_of("result", value, json_->texts));
    }
  }
  if (!has_ok) why_ = "its answer has no `ok` that is true or false";
  if (has_ok && !answer_.ok && !has_error) why_ = "its answer is not ok and has no `error` that is a text";
  return why_.empty();
}

const Answer* AnswerParser::parse(std::string_view line) {
  json_->texts.clear();
  answer_.row_index.reset();
  answer_.ok = false;
  answer_.error = {};
  answer_.result.clear();
  why_.clear();
  return read(line) ? &answer_ : nullptr;
}

}  // namespace lade::handlers
