#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"
#include "model/issue.h"
#include "staging/issue_log.h"
#include "staging/segment.h"
#include "store/row_versions.h"

namespace lade::jobs {

// What stands in a cell.
struct CellText {
  CellText() = default;
  CellText(std::string words) : text(std::move(words)) {}  // NOLINT: a cell is its text, mostly
  CellText(const char* words) : text(words) {}             // NOLINT
  CellText(std::string words, bool is_typed) : text(std::move(words)), typed(is_typed) {}
  std::string text;
  bool typed = false;  // in a workbook: a number, date or boolean, not text
  bool operator==(const CellText&) const = default;
};
// By the name of their source column.
using Cells = std::map<std::string, CellText, std::less<>>;

// The rows of a job that people have corrected, each as it stands now, for whoever reads the job's rows: their staged
// rows and findings are passed over, and these take their place. Immutable.
class Corrections {
 public:
  // As the connection sees them; `splitters` are the plan's. Null when there are none.
  static Result<std::shared_ptr<const Corrections>> read(db::Connection& connection, std::int64_t job,
                                                         std::span<const std::string> splitters);
  // `versions`: all of each row, in their order.
  Corrections(std::span<const store::RowVersion> versions, std::span<const std::string> splitters);

  const std::set<std::uint32_t>& rows() const { return rows_; }
  // What is staged of corrected rows in this part of the plan; the range lives as long as this.
  staging::Range bucket(std::size_t part) const;
  // What their analysis has found.
  Result<void> write_findings(staging::IssueWriter& writer) const;
  // The cells that were changed; null when the row was not corrected.
  const Cells* cells_of(std::int64_t row) const;

  // Rows that were corrected after a revision of the job, and all keys under which they were or are staged in a part.
  struct Touched {
    std::set<std::uint32_t> rows;
    std::set<std::string, std::less<>> keys;
  };
  Touched touched(std::size_t part, std::int64_t since) const;

 private:
  std::set<std::uint32_t> rows_;
  std::map<std::size_t, std::string> parts_;  // records as a range holds them
  std::vector<staging::Finding> findings_;
  std::map<std::int64_t, Cells> cells_;
  struct Trace {
    std::uint32_t row;
    std::int64_t revision;  // of the row's newest version
    std::string key;
  };
  std::map<std::size_t, std::vector<Trace>> traces_;  // by part
};

// The part of the plan in which a staged key lies.
std::size_t part_of(std::span<const std::string> splitters, std::string_view key);

// As they are kept with a version of a row, and back.
std::string to_text(const Cells& cells);
Cells read_cells(std::string_view text);
std::string to_text(const std::vector<model::Issue>& issues);
std::vector<model::Issue> read_issues(std::string_view text);
bool has_error(const std::vector<model::Issue>& issues);

}  // namespace lade::jobs
