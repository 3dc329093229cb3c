#include "http/message.h"

#include <algorithm>

#include "http/text.h"

namespace lade::http {
namespace {

// Percent escapes decoded; with `form`, a plus is a space. nullopt when an escape is wrong.
std::optional<std::string> decoded(std::string_view text, bool form) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out.push_back(form && text[at] == '+' ? ' ' : text[at]);
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    at += 2;
  }
  return out;
}

// Calls `each` with what stands between the separators.
template <class Each>
bool for_each_between(std::string_view text, char separator, const Each& each) {
  for (;;) {
    const std::size_t end = text.find(separator);
    if (!each(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [key, value] : all_)
    if (same_name(key, name)) return value;
  return {};
}

bool Headers::has(std::string_view name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto& field) { return same_name(field.first, name); });
}

void Headers::set(std::string_view name, std::string value) {
  std::erase_if(all_, [&](const auto& field) { return same_name(field.first, name); });
  all_.emplace_back(name, std::move(value));
}

std::optional<std::vector<std::string>> segments_of(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  std::vector<std::string> segments;
  const bool sound = for_each_between(path, '/', [&](std::string_view segment) {
    auto text = decoded(segment, false);
    if (!text || text->find('\0') != std::string::npos) return false;
    segments.push_back(std::move(*text));
    return true;
  });
  if (!sound) return std::nullopt;
  return segments;
}

std::optional<Parameters> parameters_of(std::string_view query) {
  Parameters parameters;
  const bool sound = for_each_between(query, '&', [&](std::string_view pair) {
    if (pair.empty()) return true;
    const std::size_t equals = pair.find('=');
    auto name = decoded(pair.substr(0, equals), true);
    auto value = equals == std::string_view::npos ? std::string() : decoded(pair.substr(equals + 1), true);
    if (!name || !value) return false;
    parameters.emplace_back(std::move(*name), std::move(*value));
    return true;
  });
  if (!sound) return std::nullopt;
  return parameters;
}

}  // namespace lade::http
