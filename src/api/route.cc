#include "api/route.h"

#include <algorithm>

namespace lade::api {
namespace {

struct Entry {
  const Route* route;
  std::vector<std::string> segments;
};

bool is_name(std::string_view segment) {
  return segment.starts_with('{');
}

std::vector<std::string> cut(std::string_view path) {
  return http::segments_of(path).value_or(std::vector<std::string>());
}

// Literal segments come before names, so the first that fits is the right one.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> list;
    for (const Route& route : routes()) list.push_back({&route, cut(route.path)});
    std::ranges::stable_sort(list, [](const Entry& a, const Entry& b) {
      return std::ranges::lexicographical_compare(
          a.segments, b.segments, [](const auto& x, const auto& y) { return !is_name(x) && is_name(y); });
    });
    return list;
  }();
  return all;
}

bool fits(const Entry& entry, const std::vector<std::string>& segments) {
  return std::ranges::equal(entry.segments, segments, [](const std::string& pattern, const std::string& segment) {
    return is_name(pattern) ? !segment.empty() : pattern == segment;
  });
}

}  // namespace

std::span<const Route> routes() {
  static const std::vector<Route> all = [] {
    std::vector<Route> list;
    for (auto* area : {root_routes,           file_routes,       definition_routes, definition_part_routes,
                       import_routes,         watching_routes,   batch_routes,      review_routes,
                       version_routes,        queue_routes,      operation_routes,  why_routes,
                       topic_routes,          account_routes,    me_routes,         draft_routes,
                       administration_routes, webhook_routes,    alias_routes,      workbook_alias_routes,
                       handler_alias_routes,  batch_alias_routes})
      std::ranges::move(area(), std::back_inserter(list));
    return list;
  }();
  return all;
}

Match find_route(std::string_view method, const std::vector<std::string>& segments) {
  Match match;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Entry& entry : entries()) {
    if (!fits(entry, segments)) continue;
    match.allowed.push_back(entry.route->method);
    if (match.route != nullptr || entry.route->method != wanted) continue;
    match.route = entry.route;
    for (std::size_t i = 0; i < segments.size(); ++i)
      if (const std::string& name = entry.segments[i]; is_name(name))
        match.path[name.substr(1, name.size() - 2)] = segments[i];
  }
  return match;
}

}  // namespace lade::api
