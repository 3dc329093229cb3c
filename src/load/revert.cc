#include "load/revert.h"

#include <map>

#include "db/connection.h"
#include "load/loader.h"
#include "load/sort_key_of.h"
#include "load/target.h"
#include "load/tuple_fields.h"

namespace lade::load {
namespace {

// All that the job has done to one stored row.
struct Written {
  std::string before;       // the oldest image; empty: the job has added the row
  std::uint64_t after = 0;  // what it has left last
  std::uint32_t row = 0;    // of the file, which has written it last
  std::uint32_t line = 0;
  bool concerned = false;
  std::string stored = {};  // what is there now, if that is still so
  bool is_left = false;
};
using AllWritten = std::map<std::string, Written>;  // by the fields of the key

class Tuples final : public db::TupleSource {
 public:
  explicit Tuples(std::vector<std::string_view> tuples) : tuples_(std::move(tuples)) {}
  std::optional<std::string_view> next() override {
    if (at_ == tuples_.size()) return std::nullopt;
    return tuples_[at_++];
  }

 private:
  const std::vector<std::string_view> tuples_;
  std::size_t at_ = 0;
};

template <class Take>
Result<void> for_each_entry(const std::vector<std::string>& blocks, Take&& take) {
  for (const std::string& block : blocks) {
    LADE_ASSIGN(JournalReader reader, JournalReader::open(block));
    for (JournalEntry entry;;) {
      LADE_ASSIGN(const bool more, reader.next(entry));
      if (!more) break;
      take(entry);
    }
  }
  return {};
}

// One table.
class TableReversal {
 public:
  TableReversal(const analysis::EntryProgram& entry, db::Connection& connection, const Reversal& reversal)
      : entry_(entry), target_(connection, entry), reversal_(reversal) {}

  // Adds the rows of which something must stay to `left`, those that are put back to `reverted`.
  Result<void> run(std::set<std::uint32_t>& left, std::set<std::uint32_t>& reverted) {
    LADE_TRY(collect());
    if (written_.empty()) return {};
    LADE_TRY(target_.prepare());
    LADE_TRY(compare());
    LADE_TRY(leave_superseded());
    LADE_TRY(put_back());
    for (const auto& [key, one] : written_) (one.is_left ? left : reverted).insert(one.row);
    return {};
  }

 private:
  Result<void> collect() {
    LADE_ASSIGN(const auto blocks, reversal_.own(entry_.table.quoted));
    LADE_TRY(for_each_entry(blocks, [&](const JournalEntry& entry) {
      const auto [at, is_new] = written_.try_emplace(std::string(entry.key));
      Written& one = at->second;
      if (is_new) one.before = entry.before;
      one.after = entry.after, one.row = entry.row_id, one.line = entry.line;
      one.concerned = reversal_.rows.contains(entry.row_id);
    }));
    std::erase_if(written_, [](const auto& entry) { return !entry.second.concerned; });
    return {};
  }

  // The key columns of a stored tuple, as the journal has them.
  std::string key_of(std::string_view tuple) {
    split(tuple, fields_);
    std::string key;
    for (const analysis::KeyPart& part : entry_.key) append_whole(key, fields_[static_cast<std::size_t>(part.field)]);
    return key;
  }

  Result<void> compare() {
    std::vector<std::string_view> keys;
    for (const auto& [key, one] : written_) keys.push_back(key);
    std::vector<std::string> found;
    Tuples wanted(std::move(keys));
    LADE_TRY(target_.read_keys(wanted, [&](std::string_view stored) -> Result<void> {
      found.emplace_back(stored);
      return {};
    }));
    for (std::string& stored : found) {
      const auto at = written_.find(key_of(stored));
      if (at != written_.end()) at->second.stored = std::move(stored);
    }
    // Taken back before: there is nothing to do, and nothing in the way.
    std::erase_if(written_, [](const auto& entry) {
      return entry.second.stored.empty() && entry.second.after == fingerprint({});
    });
    for (auto& [key, one] : written_) one.is_left = one.stored.empty() || fingerprint(one.stored) != one.after;
    return {};
  }

  Result<void> leave_superseded() {
    if (!reversal_.later || written_.empty()) return {};
    std::string first, last;
    for (const auto& [key, one] : written_) {
      const std::string sorted = sort_key_of(entry_, key);
      if (first.empty() || sorted < first) first = sorted;
      if (sorted > last) last = sorted;
    }
    LADE_ASSIGN(const auto blocks, reversal_.later(entry_.table.quoted, first, last));
    return for_each_entry(blocks, [&](const JournalEntry& entry) {
      if (const auto at = written_.find(std::string(entry.key)); at != written_.end()) at->second.is_left = true;
    });
  }

  Result<void> put_back() {
    std::vector<std::string_view> added, changed;
    for (const auto& [key, one] : written_)
      if (!one.is_left) one.before.empty() ? added.push_back(one.stored) : changed.push_back(one.before);
    const auto ignore = [](std::string_view) -> Result<void> { return {}; };
    if (!changed.empty()) {
      Tuples tuples(std::move(changed));
      LADE_TRY(target_.stage_update(tuples, ignore));
      LADE_TRY(target_.apply_update());
    }
    if (!added.empty()) {
      Tuples tuples(std::move(added));
      LADE_TRY(target_.stage_update(tuples, ignore));
      LADE_TRY(target_.apply_delete());
    }
    JournalWriter journal(entry_, reversal_.journal);
    for (const auto& [key, one] : written_)
      if (!one.is_left)
        LADE_TRY(journal.add(sort_key_of(entry_, key), {key, one.stored, fingerprint(one.before), one.row, one.line}));
    return journal.finish();
  }

  const analysis::EntryProgram& entry_;
  Target target_;
  const Reversal& reversal_;
  AllWritten written_;
  std::vector<db::WireField> fields_;
};

}  // namespace

Result<std::set<std::uint32_t>> revert(const analysis::Program& program, db::Connection& connection,
                                       const Reversal& reversal) {
  std::set<std::uint32_t> left, reverted;
  LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection));
  for (auto entry = program.entries.rbegin(); entry != program.entries.rend(); ++entry) {
    if (entry->period || !entry->by_key()) continue;
    auto done = TableReversal(*entry, connection, reversal).run(left, reverted);
    if (done) continue;
    if (!is_data_refusal(connection.diagnosis())) return fail(std::move(done).error());
    LADE_TRY(savepoint.rollback());
    return std::set<std::uint32_t>();
  }
  LADE_TRY(savepoint.release());
  for (const std::uint32_t row : left) reverted.erase(row);
  return reverted;
}

}  // namespace lade::load
