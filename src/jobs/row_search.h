#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "csv/reader.h"
#include "jobs/grid.h"

// Rows of a job that have a text in one of their cells.
namespace lade::jobs {

inline constexpr std::size_t kMostSearchBytes = 200;

// Looks for a text in cells, whatever the case of its letters. Cells of sensitive columns are not looked at.
class TextFinder {
 public:
  TextFinder(std::string_view text, const std::vector<GridColumn>& columns, const csv::Dialect& dialect);
  bool is_in(const std::vector<std::string>& cells) const;
  bool is_in(const csv::Batch& batch, std::size_t row);

 private:
  // False where a glance at the record as it stands in the file tells that no cell of it has the text.
  bool may_be_in(std::string_view record);

  const std::vector<GridColumn>& columns_;
  const csv::Dialect& dialect_;
  const std::string folded_;
  const bool ascii_;   // the folded text is
  const bool glance_;  // it has nothing that the file would write otherwise
  std::string scratch_, lowered_;
};

// One search, which goes on from call to call: the file is read from its beginning, a part each time, and only the
// numbers of the rows that fit are kept, at most kMostFound. Where the filter leaves few rows, only they are read.
// Thread-safe.
class RowSearch {
 public:
  static constexpr std::size_t kMostFound = 1'000'000;

  RowSearch(std::shared_ptr<GridFile> file, std::shared_ptr<const RowIndex> index, RowWish wish);

  struct Found {
    std::vector<std::int64_t> rows;  // of the page
    std::int64_t from = 0;
    std::int64_t matching = 0;   // so far
    std::int64_t looked_at = 0;  // rows that were looked at or left out by the filter
    bool complete = false;       // nothing more will be found; with looked_at short of the file: kMostFound were
  };
  // Reads on for about `time`, then gives at most `limit` rows from the `from`th on, or from the first with this number
  // or a larger one.
  Result<Found> page(db::Connection& connection, std::int64_t from, std::optional<std::int64_t> row, std::int64_t limit,
                     std::chrono::milliseconds time);

 private:
  Result<void> look_at_few(db::Connection& connection);
  Result<void> look_at_batch(db::Connection& connection);
  bool fits(std::int64_t row);
  void take(std::int64_t row);

  const std::shared_ptr<GridFile> file_;
  const std::shared_ptr<const RowIndex> index_;
  const RowWish wish_;
  const bool few_;
  std::mutex mutex_;  // guards what follows
  TextFinder finder_;
  std::vector<std::int64_t> candidates_;  // of few rows, and of a filter by issue
  std::size_t candidate_ = 0;             // the next of them
  std::size_t chunk_ = 0;                 // the one that is being read
  std::optional<FileRange> range_;
  std::optional<csv::Reader> reader_;
  csv::Batch batch_;
  std::vector<std::uint32_t> found_;
  std::int64_t looked_at_ = 0;
  bool complete_ = false;
};

}  // namespace lade::jobs
