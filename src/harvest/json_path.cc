#include "harvest/json_path.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <optional>

#include "harvest/json_syntax.h"

namespace lade::harvest {
namespace {

namespace json = simdjson::ondemand;
using Step = JsonPath::Step;

std::optional<std::size_t> index_of(std::string_view text) {
  std::size_t index = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, index);
  const bool is_plain = text == "0" || (!text.empty() && text[0] != '0');
  if (read.ec != std::errc() || read.ptr != end || !is_plain) return std::nullopt;
  return index;
}

tl::unexpected<Error> fault(std::string_view text, std::size_t at, std::string_view what) {
  return fail("selector_invalid", fmt::format("json '{}' at character {}: {}", text, at + 1, what),
              "write /items/0/name or items[*].name", ErrorKind::invalid);
}

Result<std::vector<Step>> pointer_steps(std::string_view text) {
  std::vector<Step> steps;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('/', at + 1), text.size());
    Step step{Step::Kind::key};
    for (std::size_t letter = at + 1; letter < end; ++letter) {
      if (text[letter] != '~') {
        step.key += text[letter];
        continue;
      }
      const char escaped = ++letter < end ? text[letter] : '\0';
      if (escaped != '0' && escaped != '1') return fault(text, letter, "'~' stands before 0 or 1 only");
      step.key += escaped == '0' ? '~' : '/';
    }
    if (const auto index = index_of(step.key)) {
      step.kind = Step::Kind::either;
      step.index = *index;
    }
    steps.push_back(std::move(step));
    at = end;
  }
  return steps;
}

Result<Step> bracket_step(std::string_view text, std::size_t& at) {
  const std::size_t end = text.find(']', at);
  if (end == std::string_view::npos) return fault(text, at, "the bracket is not closed");
  const std::string_view inner = text.substr(at + 1, end - at - 1);
  const auto index = index_of(inner);
  if (!index && inner != "*") return fault(text, at + 1, "a number or * is expected in brackets");
  at = end + 1;
  if (index) return Step{Step::Kind::index, "", *index};
  return Step{Step::Kind::all};
}

Result<std::vector<Step>> path_steps(std::string_view text) {
  std::vector<Step> steps;
  std::size_t at = text.starts_with('$') ? 1 : 0;
  bool wants_key = at == 0;
  while (at < text.size()) {
    if (text[at] == '[' && !(wants_key && !steps.empty())) {
      LADE_ASSIGN(Step step, bracket_step(text, at));
      steps.push_back(std::move(step));
      wants_key = false;
      continue;
    }
    if (!wants_key && text[at] != '.') return fault(text, at, "'.' or '[' is expected here");
    if (!wants_key) ++at;
    const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
    if (end == at) return fault(text, at, "a name is expected here");
    steps.push_back({Step::Kind::key, std::string(text.substr(at, end - at))});
    at = end;
    wants_key = false;
  }
  return steps;
}

// Collects what lies below a value.
class Selection {
 public:
  Selection(const std::vector<Step>& steps, const SelectLimits& limits) : steps_(steps), limits_(limits) {}

  void from(json::value value, std::size_t at) {
    if (is_full_) return;
    if (at == steps_.size()) return take(value);
    const Step& step = steps_[at];
    json::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return;
    if (type == json::json_type::object)
      from_object(value, step, at + 1);
    else if (type == json::json_type::array)
      from_array(value, step, at + 1);
  }

  void take(json::value value) {
    json::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS || type == json::json_type::null) return;
    std::string_view text;
    if (type == json::json_type::string) {
      if (value.get_string().get(text) != simdjson::SUCCESS) return;
    } else if (type == json::json_type::object || type == json::json_type::array) {
      if (simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) return;
    } else {
      text = value.raw_json_token();
    }
    add(text, type == json::json_type::string);
  }

  // A token ends before the white space or sign that follows it.
  void add(std::string_view text, bool is_string) {
    while (!is_string && !text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    bytes_ += text.size();
    is_full_ = values.size() >= limits_.values || bytes_ > limits_.bytes;
    if (!is_full_) values.emplace_back(text);
  }

  bool is_full() const { return is_full_; }
  std::vector<std::string> values;

 private:
  void from_object(json::value& value, const Step& step, std::size_t next) {
    json::object object;
    if (step.kind == Step::Kind::index || value.get_object().get(object) != simdjson::SUCCESS) return;
    if (step.kind == Step::Kind::all) {
      for (auto field : object) {
        json::value child;
        if (field.value().get(child) == simdjson::SUCCESS) from(child, next);
      }
      return;
    }
    json::value child;
    if (object.find_field_unordered(step.key).get(child) == simdjson::SUCCESS) from(child, next);
  }

  void from_array(json::value& value, const Step& step, std::size_t next) {
    json::array array;
    if (step.kind == Step::Kind::key || value.get_array().get(array) != simdjson::SUCCESS) return;
    std::size_t index = 0;
    for (auto element : array) {
      json::value child;
      const bool is_wanted = step.kind == Step::Kind::all || index++ == step.index;
      if (is_wanted && element.get(child) == simdjson::SUCCESS) {
        from(child, next);
        if (step.kind != Step::Kind::all) return;
      }
    }
  }

  const std::vector<Step>& steps_;
  const SelectLimits& limits_;
  std::size_t bytes_ = 0;
  bool is_full_ = false;
};

}  // namespace

Result<JsonPath> JsonPath::parse(std::string_view text) {
  JsonPath path;
  if (text.empty()) return fault(text, 0, "it is empty; $ stands for the whole document");
  LADE_ASSIGN(path.steps_, text.starts_with('/') ? pointer_steps(text) : path_steps(text));
  return path;
}

struct JsonPage::Document {
  explicit Document(std::string_view source) : text(source) {}
  simdjson::padded_string text;
  json::parser parser;
};

JsonPage::JsonPage(std::unique_ptr<Document> document) : document_(std::move(document)) {}
JsonPage::JsonPage(JsonPage&&) noexcept = default;
JsonPage& JsonPage::operator=(JsonPage&&) noexcept = default;
JsonPage::~JsonPage() = default;

Result<JsonPage> JsonPage::parse(std::string_view text) {
  auto document = std::make_unique<Document>(text);
  // The parser that reads numbers as they are written looks only at what it is asked for: this looks at all.
  if (const auto at = json_fault(text))
    return fail("not_json", fmt::format("the page is no valid JSON; it stops to be at byte {}", *at + 1), "",
                ErrorKind::invalid);
  return JsonPage(std::move(document));
}

Result<std::vector<std::string>> JsonPage::select(const JsonPath& path, const SelectLimits& limits) {
  json::document document;
  Selection selection(path.steps(), limits);
  if (document_->parser.iterate(document_->text).get(document) != simdjson::SUCCESS) return selection.values;
  json::value root;
  bool is_scalar = true;
  if (document.is_scalar().get(is_scalar) == simdjson::SUCCESS && !is_scalar) {
    if (document.get_value().get(root) == simdjson::SUCCESS) selection.from(root, 0);
  } else if (path.steps().empty()) {
    json::json_type type{};
    std::string_view text;
    if (document.type().get(type) != simdjson::SUCCESS || type == json::json_type::null) return selection.values;
    const bool is_string = type == json::json_type::string;
    const auto error = is_string ? document.get_string().get(text) : document.raw_json_token().get(text);
    if (error == simdjson::SUCCESS) selection.add(text, is_string);
  }
  if (selection.is_full())
    return fail("field_too_large", fmt::format("more than {} values or {} bytes", limits.values, limits.bytes),
                "select less of the page", ErrorKind::invalid);
  return std::move(selection.values);
}

}  // namespace lade::harvest
