#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "api/fields.h"
#include "api/problem.h"
#include "api/route.h"
#include "api/views.h"

// Lists come in pages: `cursor` is what the page before gave as `next`, `limit` how many at most.
namespace lade::api {

struct Page {
  std::int64_t before = 0;  // where the last page ended; 0: from the beginning
  std::int64_t limit = 50;
};

inline Result<Page> read_page(Fields& query) {
  constexpr std::int64_t kMost = 1000;
  Page page;
  page.before = query.integer("cursor", 1, INT64_MAX).value_or(0);
  page.limit = query.integer("limit", 1, kMost).value_or(page.limit);
  return page;
}

inline std::vector<Parameter> with_paging(std::vector<Parameter> parameters) {
  parameters.push_back({"cursor", "string", "where the page begins: `next` of the page before"});
  parameters.push_back({"limit", "integer", "at most so many (1 to 1000, default 50)"});
  return parameters;
}

// `items` has one more than the page when there are more; `place` gives what the next page begins after.
template <class Items, class Place>
http::Response page_response(const Items& items, const Page& page, Place place) {
  boost::json::array list;
  boost::json::value next = nullptr;
  for (const auto& item : items) {
    if (static_cast<std::int64_t>(list.size()) == page.limit) break;
    list.push_back(to_json(item));
    if (static_cast<std::int64_t>(list.size()) == page.limit && items.size() > list.size())
      next = std::to_string(place(item));
  }
  return json_response(200, boost::json::object{{"items", std::move(list)}, {"next", std::move(next)}});
}

constexpr std::string_view kCsvType = "text/csv";
constexpr std::string_view kWorkbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

// The Content-Disposition of a file of this name, and its type by the name.
std::string disposition(std::string_view name);
std::string type_of(std::string_view name);
// A file as a download under its own name; `type` empty: by the name's ending.
Result<http::Response> file_response(const storage::Storage& storage, const store::FileRecord& file,
                                     const std::string& type = {});
http::Response download(File file, std::uint64_t bytes, std::string_view name, const std::string& type = {});

}  // namespace lade::api
