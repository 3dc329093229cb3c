#pragma once

#include <cstring>
#include <string_view>

namespace lade::xlsx {

// An element of nothing but text, found by comparing bytes. Only where a tokenizer would find the same.
struct PlainElement {
  const char* end = nullptr;  // behind it; null: it is not there whole, or not plain
  std::string_view text;
  bool escaped = false;  // may hold _xHHHH_
};

inline bool matches_at(const char* at, const char* end, std::string_view wanted) {
  return static_cast<std::size_t>(end - at) >= wanted.size() && std::memcmp(at, wanted.data(), wanted.size()) == 0;
}

// `before` text `after`, e.g. "<is><t" … "</t></is>"; between the two tag names stands nothing, or xml:space.
// References and line ends are left to the tokenizer.
inline PlainElement plain_text_element(const char* at, const char* end, std::string_view before,
                                       std::string_view after) {
  constexpr std::string_view kPreserved = " xml:space=\"preserve\"";
  PlainElement result;
  if (!matches_at(at, end, before)) return result;
  at += before.size();
  if (matches_at(at, end, kPreserved)) at += kPreserved.size();
  if (at == end || *at != '>') return result;
  const char* const begin = ++at;
  for (; at < end && *at != '<'; ++at) {
    if (*at == '&' || *at == '\r') return result;
    result.escaped |= *at == '_';
  }
  if (!matches_at(at, end, after)) return result;
  result.text = {begin, static_cast<std::size_t>(at - begin)};
  result.end = at + after.size();
  return result;
}

}  // namespace lade::xlsx
