#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program.h"
#include "base/result.h"
#include "staging/row_place.h"

// The diff: what a load will change, row by row and cell by cell, old → new. A record is a line of JSON:
//
//   {"kind":"update","table":"price","row":7,"line":8,"key":{"sku":"A1"},"cells":{"price":["1.00","1.20"]}}
//
// `cells` has what changes; of rows that are inserted or removed every value that is not NULL. Of tables that keep
// history a record is one stored slice, with its `period`. Values are text; null: there is none. Ids that are only
// drawn when the row is written are not in it; in `key` they are null. Sensitive values are masked.
namespace lade::load {

enum class ChangeKind : std::uint8_t { insert, update, remove };
inline constexpr ChangeKind kChangeKinds[] = {ChangeKind::insert, ChangeKind::update, ChangeKind::remove};
std::string_view to_string(ChangeKind kind);

// By kind.
using KindCounts = std::array<std::int64_t, std::size(kChangeKinds)>;

// How many records there are, and how many of them have a cell of which column.
struct DiffCounts {
  KindCounts records{};
  std::map<std::string, KindCounts, std::less<>> columns;

  DiffCounts& operator+=(const DiffCounts& other);
  std::int64_t total() const;
};
// As JSON, and back; fails with diff_damaged.
std::string to_text(const DiffCounts& counts);
Result<DiffCounts> read_diff_counts(std::string_view text);

// Which records somebody wants to see; empty: all.
struct DiffFilter {
  std::string kind;
  std::string column;
  // How many records of those counted.
  std::int64_t matches(const DiffCounts& counts) const;
};

// Tells which records a filter wants, without parsing them.
class DiffMatcher {
 public:
  explicit DiffMatcher(const DiffFilter& filter);
  bool matches(std::string_view record) const;

 private:
  std::string beginning_, cell_;
};

// One row of a target table that will be written or removed. Its views live in what gave it.
struct TableChange {
  staging::RowPlace place = {};  // the row of the file on whose account; row 0: none
  std::string_view before = {};  // tuples, in the order of the entry's fields; empty: the row is new …
  std::string_view now = {};     // … or goes. Fields that are missing at its end are not written
  // Fields whose values come only when the row is written.
  std::span<const std::size_t> drawn = {};
};

// How changes of one table are told. Immutable.
class DiffTable {
 public:
  DiffTable(const analysis::Program& program, std::size_t entry);
  bool is_sensitive(std::size_t field) const { return fields_[field].sensitive; }

 private:
  friend class DiffWriter;
  struct Field {
    const db::Column* column;
    definition::Type type;
    std::string name;  // as JSON
    bool sensitive;
  };
  std::string name_;  // as JSON
  std::vector<Field> fields_;
  std::vector<std::size_t> key_, period_;
};

// About a thousand records, packed.
struct DiffBlock {
  DiffCounts counts;
  std::string packed;
};

// Packs records into blocks, in the order they are added. Owned by one thread.
class DiffWriter {
 public:
  using Sink = std::function<Result<void>(DiffBlock&&)>;
  // `most`: further records are left out; 0: all are kept.
  explicit DiffWriter(Sink sink, std::int64_t most = 0) : sink_(std::move(sink)), most_(most) {}
  Result<void> add(const DiffTable& table, const TableChange& change);
  // Hands on what is left.
  Result<void> finish();

 private:
  void append(const DiffTable& table, const TableChange& change, ChangeKind kind);
  void append_named(const DiffTable& table, std::string_view title, std::span<const std::size_t> fields,
                    std::span<const std::size_t> drawn);
  void append_cells(const DiffTable& table, const TableChange& change, ChangeKind kind);
  void append_value(const DiffTable::Field& field, db::WireField value);

  const Sink sink_;
  const std::int64_t most_;
  std::int64_t kept_ = 0;
  DiffBlock block_;
  std::string lines_;
  std::vector<db::WireField> before_, now_;
  std::string text_;
  analysis::TextArena arena_;
};

// Unpacks a block. Its records stand one a line, each with its line end. Fails with diff_damaged.
Result<std::string> unpack_diff(std::string_view packed);

}  // namespace lade::load
