#include "harvest/transform.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

namespace lade::harvest {
namespace {

constexpr std::string_view kBlanks[] = {
    " ",           "\t",           "\n",           "\r",           "\f",           "\v",
    "\xC2\xA0",    "\xE3\x80\x80", "\xEF\xBB\xBF", "\xE2\x80\x8B", "\xE2\x80\xA8", "\xE2\x80\xA9",
    "\xE2\x80\xAF"};

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

std::vector<std::string> split(const std::vector<std::string>& values, const std::string& at) {
  std::vector<std::string> pieces;
  for (const std::string& value : values) {
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find(at, begin), value.size());
      if (end > begin) pieces.push_back(value.substr(begin, end - begin));
      begin = end + at.size();
    }
  }
  return pieces;
}

}  // namespace

std::string_view trimmed_text(std::string_view text) {
  const auto front = [&] {
    return std::ranges::find_if(kBlanks, [&](std::string_view blank) { return text.starts_with(blank); });
  };
  const auto back = [&] {
    return std::ranges::find_if(kBlanks, [&](std::string_view blank) { return text.ends_with(blank); });
  };
  for (auto blank = front(); blank != std::end(kBlanks); blank = front()) text.remove_prefix(blank->size());
  for (auto blank = back(); blank != std::end(kBlanks); blank = back()) text.remove_suffix(blank->size());
  return text;
}

Result<std::shared_ptr<const re2::RE2>> compile_pattern(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_shared<const RE2>(piece(pattern), options);
  if (!compiled->ok())
    return fail("pattern_invalid", fmt::format("regex '{}': {}", pattern, compiled->error()),
                "RE2's syntax is understood", ErrorKind::invalid);
  return compiled;
}

std::vector<std::string> matches_of(const re2::RE2& pattern, std::string_view text, std::size_t most) {
  std::vector<std::string> found;
  re2::StringPiece groups[2];
  const int wanted = std::min(pattern.NumberOfCapturingGroups(), 1) + 1;
  for (std::size_t at = 0; at <= text.size() && found.size() < most;) {
    if (!pattern.Match(piece(text), at, text.size(), RE2::UNANCHORED, groups, wanted)) break;
    const re2::StringPiece& value = groups[wanted - 1];
    found.emplace_back(value.data() == nullptr ? "" : std::string(value.data(), value.size()));
    const auto end = static_cast<std::size_t>(groups[0].data() - text.data()) + groups[0].size();
    at = groups[0].empty() ? end + 1 : end;
  }
  return found;
}

Result<CompiledTransform> CompiledTransform::make(const Transform& transform) {
  CompiledTransform compiled;
  compiled.transform_ = transform;
  if (transform.kind == Transform::Kind::split && transform.text.empty())
    return fail("transform_invalid", "split needs the text to split at", "such as ','", ErrorKind::invalid);
  const bool has_pattern = transform.kind == Transform::Kind::regex || transform.kind == Transform::Kind::replace;
  if (!has_pattern) return compiled;
  LADE_ASSIGN(compiled.pattern_, compile_pattern(transform.text));
  std::string complaint;
  if (!compiled.pattern_->CheckRewriteString(piece(transform.with), &complaint))
    return fail("transform_invalid", fmt::format("replace with '{}': {}", transform.with, complaint), "",
                ErrorKind::invalid);
  return compiled;
}

std::vector<std::string> CompiledTransform::apply(std::vector<std::string> values) const {
  switch (transform_.kind) {
    case Transform::Kind::trim:
      for (std::string& value : values) value = std::string(trimmed_text(value));
      return values;
    case Transform::Kind::regex: {
      std::vector<std::string> found;
      for (const std::string& value : values)
        for (std::string& match : matches_of(*pattern_, value, 1)) found.push_back(std::move(match));
      return found;
    }
    case Transform::Kind::replace:
      for (std::string& value : values) RE2::GlobalReplace(&value, *pattern_, piece(transform_.with));
      return values;
    case Transform::Kind::split: return split(values, transform_.text);
    case Transform::Kind::join: break;
  }
  if (values.empty()) return values;
  return {fmt::format("{}", fmt::join(values, transform_.text))};
}

}  // namespace lade::harvest
