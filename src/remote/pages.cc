#include "remote/pages.h"

#include <algorithm>
#include <charconv>

namespace lade::remote {
namespace {

namespace json = boost::json;
constexpr std::int64_t kMostOfPage = 1000;

Error no_page() {
  return {"server_answer_invalid", "the server's answer is no page of a list", "is it another version of lade?",
          ErrorKind::failed};
}

// Where the next page begins; 0: nowhere.
Result<std::int64_t> next_of(const json::value& page) {
  const json::value* next = page.get_object().if_contains("next");
  if (next == nullptr || next->is_null()) return 0;
  std::int64_t place = 0;
  if (!next->is_string()) return fail(no_page());
  const std::string_view text = next->get_string();
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (wrong != std::errc() || end != text.data() + text.size()) return fail(no_page());
  return place;
}

}  // namespace

Result<const json::array*> items_of(const json::value& page) {
  const json::object* object = page.if_object();
  const json::value* items = object == nullptr ? nullptr : object->if_contains("items");
  if (items == nullptr || !items->is_array()) return fail(no_page());
  return &items->get_array();
}

Result<std::int64_t> list(Client& client, const std::string& path, const Names& query, std::int64_t before,
                          std::int64_t limit, const std::function<Result<void>(const json::value&)>& take) {
  std::int64_t asked_for = 0;
  std::int64_t place = before;
  do {
    const std::int64_t wanted = limit == 0 ? kMostOfPage : std::min(limit - asked_for, kMostOfPage);
    Names names = query;
    names.emplace_back("limit", std::to_string(wanted));
    if (place != 0) names.emplace_back("cursor", std::to_string(place));
    LADE_ASSIGN(const json::value page, client.ask({.path = path, .query = std::move(names)}));
    LADE_ASSIGN(const json::array* const items, items_of(page));
    for (const json::value& item : *items) LADE_TRY(take(item));
    LADE_ASSIGN(place, next_of(page));
    asked_for += wanted;
  } while (place != 0 && (limit == 0 || asked_for < limit));
  return place;
}

}  // namespace lade::remote
