#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "remote/client.h"
#include "remote/records.h"

// Lists as the API gives them: {items, next}.
namespace lade::remote {

// Fails with server_answer_invalid.
Result<const boost::json::array*> items_of(const boost::json::value& page);

// Asks page by page for at most `limit` items (0: all) and hands them over. `before` is the cursor to begin with, 0:
// the beginning. Gives where the next page begins, 0 when there is none.
Result<std::int64_t> list(Client& client, const std::string& path, const Names& query, std::int64_t before,
                          std::int64_t limit, const std::function<Result<void>(const boost::json::value&)>& take);

template <class Record>
struct Page {
  std::vector<Record> records;
  std::int64_t next = 0;
};
template <class Record>
Result<Page<Record>> list(Client& client, const std::string& path, const Names& query, std::int64_t before,
                          std::int64_t limit) {
  Page<Record> page;
  LADE_ASSIGN(page.next, list(client, path, query, before, limit, [&](const boost::json::value& item) -> Result<void> {
                LADE_ASSIGN(Record record, read<Record>(item));
                page.records.push_back(std::move(record));
                return {};
              }));
  return page;
}

// A list that comes in one piece.
template <class Record>
Result<std::vector<Record>> whole_list(Client& client, const std::string& path) {
  LADE_ASSIGN(const boost::json::value answer, client.ask({.path = path}));
  LADE_ASSIGN(const boost::json::array* const items, items_of(answer));
  std::vector<Record> records;
  for (const boost::json::value& item : *items) {
    LADE_ASSIGN(Record record, read<Record>(item));
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace lade::remote
