#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jobs/review.h"
#include "jobs/row_index.h"
#include "jobs/source_record.h"
#include "jobs/stored_job.h"

// The rows of a job with all their cells, at any place of any list of them.
namespace lade::jobs {

// A column of the file.
struct GridColumn {
  std::string source;
  std::vector<std::string> data;  // data columns that it feeds
  bool sensitive = false;
  bool key = false;  // it feeds the key of the first target
};

struct GridRow {
  std::int64_t row = 0;
  std::int64_t line = 0;
  std::int64_t index = 0;  // among the rows that were wished for
  RowFate state = RowFate::unprocessed;
  std::vector<std::string> cells;    // as the file has them, with corrections; sensitive ones masked
  std::vector<std::size_t> edited;   // columns that were corrected
  std::vector<model::Issue> issues;  // at most kMostRowIssues
  std::vector<std::string> changes;  // records of the diff, while the job waits for review
};
inline constexpr std::size_t kMostRowIssues = 50;

struct GridPage {
  std::int64_t matching = 0;
  std::int64_t from = 0;
  std::vector<GridRow> rows;
};

class RowSearch;

// A job's file, open, with what is known of where its rows stand: every thousandth row of the chunks that were read.
// Thread-safe.
class GridFile {
 public:
  // Fails as load_job() does, and with results_not_ready when the job is not planned yet.
  static Result<std::shared_ptr<GridFile>> open(db::Connection& connection, const ReviewPlace& place,
                                                const store::JobRecord& record);
  const Job& job() const { return *stored_.job; }
  const std::vector<GridColumn>& columns() const { return columns_; }
  // Rows in ascending order. Fails with row_not_found.
  Result<std::vector<SourceRecord>> records(const std::vector<std::int64_t>& rows);

 private:
  void find_columns();
  Result<const std::vector<csv::ChunkStart>*> marks_of(std::size_t chunk);

  StoredJob stored_;
  std::vector<GridColumn> columns_;
  std::mutex mutex_;                                           // guards what follows
  std::map<std::size_t, std::vector<csv::ChunkStart>> marks_;  // by chunk; entries never change
};

// Thread-safe.
class Grid {
 public:
  Grid(std::shared_ptr<GridFile> file, std::shared_ptr<const RowIndex> index)
      : file_(std::move(file)), index_(std::move(index)) {}

  const std::shared_ptr<GridFile>& file() const { return file_; }
  const RowIndex& index() const { return *index_; }
  const std::shared_ptr<const RowIndex>& shared_index() const { return index_; }
  // The rows with these ids, ascending: with nothing but their cells, or with all that is known.
  Result<std::vector<GridRow>> cells(db::Connection& connection, const std::vector<std::int64_t>& ids) const;
  Result<std::vector<GridRow>> rows(db::Connection& connection, const std::vector<std::int64_t>& ids) const;
  Result<GridPage> page(db::Connection& connection, const RowWish& wish, std::int64_t from, std::int64_t limit) const;

 private:
  Result<void> add_cells(db::Connection& connection, std::vector<GridRow>& rows) const;
  Result<void> add_issues(db::Connection& connection, std::vector<GridRow>& rows) const;
  Result<void> add_changes(db::Connection& connection, std::vector<GridRow>& rows) const;

  const std::shared_ptr<GridFile> file_;
  const std::shared_ptr<const RowIndex> index_;
};

// The grids that were looked at last. Thread-safe.
class Grids {
 public:
  // As the job stands now.
  Result<std::shared_ptr<const Grid>> of(db::Connection& connection, const ReviewPlace& place,
                                         const store::JobRecord& job);
  // The search for wish.text, as far as it has come.
  std::shared_ptr<RowSearch> search(const Grid& grid, const store::JobRecord& job, const RowWish& wish);
  // The same without the file, which may be gone by now.
  Result<std::shared_ptr<const RowIndex>> index_of(db::Connection& connection, const store::JobRecord& job);

 private:
  struct Kept {
    std::int64_t job = 0;
    std::string stamp;
    std::shared_ptr<const RowIndex> index;
    std::shared_ptr<GridFile> file;  // null: nobody has asked for it
  };
  // What is kept of a job, as the one used last; nothing but its number when that is nothing.
  Kept find(std::int64_t job);
  void keep(Kept kept);

  static constexpr std::size_t kKept = 8;
  std::mutex mutex_;                                                          // guards what follows
  std::vector<Kept> kept_;                                                    // the one used last stands last
  std::vector<std::pair<std::string, std::shared_ptr<RowSearch>>> searches_;  // the same, by what is searched
};

}  // namespace lade::jobs
