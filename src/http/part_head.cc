#include "http/part_head.h"

#include <fmt/format.h>

#include <algorithm>

#include "http/text.h"

namespace lade::http {
namespace {

// A quoted text from the front, its quotes taken off. Browsers write " as %22, others as \"; old ones leave the
// backslashes of a path as they are.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    const char c = rest[at];
    if (c == '"') {
      rest.remove_prefix(at + 1);
      return text;
    }
    const bool escaped = c == '\\' && at + 1 < rest.size() && (rest[at + 1] == '"' || rest[at + 1] == '\\');
    if (escaped) ++at;
    if (rest.substr(at, 3) == "%22") {
      text.push_back('"');
      at += 2;
    } else {
      text.push_back(rest[at]);
    }
  }
  return std::nullopt;
}

std::string_view take_token(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of("; \t"), rest.size());
  const std::string_view token = rest.substr(0, end);
  rest.remove_prefix(end);
  return token;
}

std::optional<std::string> take_value(std::string_view& rest) {
  if (rest.starts_with('"')) return take_quoted(rest);
  const std::string_view token = take_token(rest);
  if (token.empty()) return std::nullopt;
  return std::string(token);
}

void append_utf8(std::string& text, unsigned char latin) {
  if (latin < 0x80) {
    text.push_back(static_cast<char>(latin));
  } else {
    text.push_back(static_cast<char>(0xC0 | (latin >> 6)));
    text.push_back(static_cast<char>(0x80 | (latin & 0x3F)));
  }
}

// UTF-8''na%C3%AFve.csv or ISO-8859-1'en'na%EFve.csv
std::optional<std::string> extended_value(std::string_view value) {
  const std::string_view charset = take_until(value, '\'');
  const bool latin = same_name(charset, "ISO-8859-1");
  if (!latin && !same_name(charset, "UTF-8")) return std::nullopt;
  take_until(value, '\'');  // the language
  std::string text;
  for (std::size_t at = 0; at < value.size(); ++at) {
    auto byte = static_cast<unsigned char>(value[at]);
    if (value[at] == '%') {
      const int high = at + 2 < value.size() ? hex_digit(value[at + 1]) : -1;
      const int low = at + 2 < value.size() ? hex_digit(value[at + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      byte = static_cast<unsigned char>(high * 16 + low);
      at += 2;
    }
    if (byte == 0) return std::nullopt;
    if (latin)
      append_utf8(text, byte);
    else
      text.push_back(static_cast<char>(byte));
  }
  return text;
}

Result<void> take_disposition(std::string_view value, Part& part) {
  std::string_view kind = value;
  if (!same_name(take_until(kind, ';'), "form-data"))
    return fail(multipart_invalid("a part is not of the disposition form-data"));
  auto name = parameter_of(value, "name");
  if (!name) return fail(multipart_invalid("a part has no name"));
  part.name = std::move(*name);
  part.file_name = parameter_of(value, "filename");
  if (const auto extended = parameter_of(value, "filename*")) {
    part.file_name = extended_value(*extended);
    if (!part.file_name) return fail(multipart_invalid("a part's filename* cannot be decoded"));
  }
  return {};
}

}  // namespace

Error multipart_invalid(std::string_view what) {
  return {"multipart_invalid", fmt::format("the form cannot be read: {}", what),
          "send multipart/form-data as RFC 7578 has it", ErrorKind::usage};
}

std::optional<std::string> parameter_of(std::string_view field, std::string_view name) {
  take_token(field);
  for (;;) {
    field = trimmed(field);
    if (!field.starts_with(';')) return std::nullopt;
    field = trimmed(field.substr(1));
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view found = trimmed(field.substr(0, equals));
    field = trimmed(field.substr(equals + 1));
    auto value = take_value(field);
    if (!value || same_name(found, name)) return value;
  }
}

Result<Part> parse_part_head(std::string_view head) {
  Part part;
  bool has_disposition = false;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (std::any_of(line.begin(), line.end(), [](char c) { return is_control(c) && c != '\t'; }))
      return fail(multipart_invalid("a control character in the head of a part"));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.find_first_of(" \t") < colon)
      return fail(multipart_invalid("a line in the head of a part is no field"));
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (same_name(name, "Content-Type")) part.content_type = value;
    if (!same_name(name, "Content-Disposition")) continue;
    if (std::exchange(has_disposition, true)) return fail(multipart_invalid("a part has two dispositions"));
    LADE_TRY(take_disposition(value, part));
  }
  if (!has_disposition) return fail(multipart_invalid("a part has no Content-Disposition"));
  return part;
}

}  // namespace lade::http
