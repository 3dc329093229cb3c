#pragma once

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <set>

#include "jobs/diff.h"
#include "jobs/job.h"
#include "jobs/review.h"
#include "storage/folder.h"
#include "testing/durable.h"

namespace lade::testing {

// A target table as a test looks at it.
struct ShownTable {
  std::string name;
  std::vector<std::string> key;
  std::vector<std::string> columns;
  std::string drawn = "";   // its column with ids that are drawn
  std::string refers = "";  // its column with ids that another table draws
  bool temporal = false;
};

// Jobs that are reviewed, and what their diff says.
class DiffedTest : public DurableTest {
 protected:
  using Cells = std::map<std::string, std::optional<std::string>>;  // nullopt: NULL
  using Snapshot = std::map<std::string, Cells>;                    // by the text of the key

  void approve(const std::string& job) {
    ASSERT_OK(jobs::approve_job(*connection, {job, "ada"}, record(job).review_revision));
    run_worker();
    EXPECT_TRUE(record(job).rows.conserved());
  }
  Result<jobs::ReviewedRow> correct(const std::string& job, std::int64_t row, jobs::Cells cells) {
    const auto storage = storage::Folder::open(jobs::storage_path(options));
    return jobs::correct_row(*connection, {*storage, options}, {job, "ada"}, {row, std::move(cells), {}});
  }
  std::vector<std::string> all_records(const std::string& job) {
    std::vector<std::string> records;
    for (std::int64_t after = 0;;) {
      const auto page = jobs::diff_page(*connection, record(job), {}, after, 7);
      EXPECT_OK(page);
      if (!page) return records;
      records.insert(records.end(), page->records.begin(), page->records.end());
      after = page->next;
      if (after == 0) return records;
    }
  }
  // "insert 2 fail 1": what will be done, as far as it is not zero.
  std::string comparison(const std::string& job) {
    using model::Outcome;
    const auto counts = jobs::rows_to_come(*connection, record(job));
    EXPECT_OK(counts);
    if (!counts || !*counts) return "none";
    std::string text;
    for (const auto& [outcome, word] : {std::pair(Outcome::inserted, "insert"),
                                        {Outcome::updated, "update"},
                                        {Outcome::unchanged, "unchanged"},
                                        {Outcome::skipped, "skip"},
                                        {Outcome::failed, "fail"}})
      if ((**counts)[outcome] > 0) text += fmt::format("{}{} {}", text.empty() ? "" : " ", word, (**counts)[outcome]);
    return text;
  }
  // What `lade plan` says: the records in its file, which begin with those of the summary.
  std::multiset<std::string> plan(const std::string& csv, const std::string& yaml) {
    jobs::ImportOptions dry = options;
    dry.dry_run = true;
    dry.first_changes = 3;
    dry.diff_file = folder / "diff.ndjson";
    jobs::Progress progress;
    const auto summary = jobs::run_import(write("plan.csv", csv), definition_of(yaml), yaml, dry, progress, {});
    EXPECT_OK(summary);
    std::vector<std::string> lines;
    std::string text = text_of(dry.diff_file);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    const std::vector<std::string> first(lines.begin(), lines.begin() + std::min<std::ptrdiff_t>(3, std::ssize(lines)));
    EXPECT_EQ(summary ? summary->first_changes : std::vector<std::string>(), first);
    return {lines.begin(), lines.end()};
  }

  std::map<std::string, Snapshot> snapshots(const std::vector<ShownTable>& tables) {
    std::map<std::string, Snapshot> all;
    for (const ShownTable& table : tables) {
      std::string sql;
      for (const std::string& column : table.columns)
        sql += fmt::format("{}CAST({} AS text)", sql.empty() ? "SELECT " : ", ", column);
      const auto rows = connection->query(sql + " FROM " + table.name);
      EXPECT_OK(rows);
      for (const db::Row& row : *rows) {
        Cells cells;
        for (std::size_t i = 0; i < row.size(); ++i)
          if (const auto* text = std::get_if<std::string>(&row[i])) cells[table.columns[i]] = *text;
        std::string key;
        for (const std::string& column : table.key) key += cells[column].value_or("NULL") + "|";
        all[table.name][key] = std::move(cells);
      }
    }
    return all;
  }

  // Every change as "kind table key column: old → new, …".
  static std::string change(const std::string& kind, const std::string& table, const std::string& key,
                            const std::map<std::string, std::string>& cells) {
    std::string text = fmt::format("{} {} {}", kind, table, key);
    for (const auto& [column, values] : cells) text += fmt::format(" {}: {};", column, values);
    return text;
  }
  static std::string shown(const std::optional<std::string>& before, const std::optional<std::string>& now) {
    return before.value_or("NULL") + " → " + now.value_or("NULL");
  }
  static std::multiset<std::string> told(const std::vector<std::string>& records) {
    std::multiset<std::string> changes;
    for (const std::string& record : records) {
      const boost::json::value value = boost::json::parse(record);
      const auto text = [](const boost::json::value& cell) {
        return cell.is_null() ? std::nullopt : std::optional(std::string(cell.as_string()));
      };
      std::string key;
      for (const auto& [column, cell] : value.at("key").as_object()) key += text(cell).value_or("drawn") + "|";
      if (const auto* period = value.as_object().if_contains("period"))
        key += text(period->at("valid_from")).value_or("") + "|";
      std::map<std::string, std::string> cells;
      for (const auto& [column, cell] : value.at("cells").as_object())
        cells[std::string(column)] = shown(text(cell.at(0)), text(cell.at(1)));
      changes.insert(
          change(std::string(value.at("kind").as_string()), std::string(value.at("table").as_string()), key, cells));
    }
    return changes;
  }
  // The same from the tables before and after.
  static std::multiset<std::string> seen(const std::vector<ShownTable>& tables, std::map<std::string, Snapshot> before,
                                         std::map<std::string, Snapshot> after) {
    std::set<std::string> drawn;  // ids of rows that were not there before
    for (const ShownTable& table : tables)
      for (const auto& [key, cells] : after[table.name])
        if (!table.drawn.empty() && !before[table.name].contains(key)) drawn.insert(*cells.at(table.drawn));
    std::multiset<std::string> changes;
    for (const ShownTable& table : tables) {
      std::set<std::string> keys;
      for (const auto& [key, cells] : before[table.name]) keys.insert(key);
      for (const auto& [key, cells] : after[table.name]) keys.insert(key);
      for (const std::string& key : keys) {
        const bool was = before[table.name].contains(key), is = after[table.name].contains(key);
        Cells old = was ? before[table.name][key] : Cells(), now = is ? after[table.name][key] : Cells();
        std::map<std::string, std::string> cells;
        const bool is_drawn = !table.refers.empty() && drawn.contains(now[table.refers].value_or(""));
        for (const std::string& column : table.columns) {
          if (old[column] == now[column] || (!was && column == table.drawn) || (is_drawn && column == table.refers))
            continue;
          cells[column] = shown(old[column], now[column]);
        }
        const std::string kind = !was ? "insert" : !is ? "remove" : "update";
        if (was != is || !cells.empty()) changes.insert(change(kind, table.name, is_drawn ? "drawn|" : key, cells));
      }
    }
    return changes;
  }
};

}  // namespace lade::testing
