// Writes the difference of timelines and tells the journal.
#include <algorithm>
#include <unordered_map>

#include "load/temporal_load.h"
#include "load/tuple_fields.h"

namespace lade::load {
namespace {

using analysis::KeyPart;

void append_key(std::string& key, std::string_view tuple, std::span<const KeyPart> parts,
                std::vector<db::WireField>& fields) {
  split(tuple, fields);
  for (const KeyPart& part : parts) append_whole(key, fields[static_cast<std::size_t>(part.field)]);
}

// Something of each change: its tuple, the row before, or its key.
template <class Changes, class Get>
class Tuples final : public db::TupleSource {
 public:
  Tuples(const Changes& changes, Get get) : changes_(changes), get_(std::move(get)) {}
  std::optional<std::string_view> next() override {
    if (at_ == changes_.size()) return std::nullopt;
    return get_(changes_[at_++]);
  }

 private:
  const Changes& changes_;
  Get get_;
  std::size_t at_ = 0;
};

}  // namespace

// Locks the stored rows and looks whether they are still what was read. (SQLite's only writer needs no locks.)
Result<bool> TemporalLoad::lock(const std::vector<Change>& changes) {
  Tuples tuples(changes, [](const Change& change) { return change.tuple.empty() ? change.before : change.tuple; });
  std::unordered_set<std::string_view> expected;
  if (connection_.backend() == db::Backend::postgresql)
    for (const Change& change : changes) expected.insert(change.before);
  std::size_t same = 0;
  LADE_TRY(rows_.stage_update(tuples, [&](std::string_view stored) -> Result<void> {
    same += expected.count(stored);
    return {};
  }));
  return same == expected.size();
}

Result<bool> TemporalLoad::insert(Target& target, const std::vector<Change>& changes) {
  if (changes.empty()) return true;
  inserting_ = &changes;
  inserter_ = &target;
  Tuples tuples(changes, [](const Change& change) { return change.tuple; });
  if (auto inserted = target.insert(tuples); !inserted) {
    if (target.key_was_taken()) return false;
    return fail(std::move(inserted).error());
  }
  inserting_ = nullptr;
  return true;
}

Result<bool> TemporalLoad::write() {
  inserting_ = nullptr;
  if (!deletes_.empty()) {
    LADE_ASSIGN(const bool same, lock(deletes_));
    if (!same) return false;
    LADE_TRY(rows_.apply_delete());
  }
  if (!updates_.empty()) {
    LADE_ASSIGN(const bool same, lock(updates_));
    if (!same) return false;
    LADE_TRY(rows_.apply_update());
  }
  LADE_ASSIGN(const bool inserted, insert(rows_, inserts_));
  if (!inserted) return false;
  return insert(fresh_rows_, fresh_inserts_);
}

std::optional<std::size_t> TemporalLoad::refused_row() const {
  if (inserting_ == nullptr) return std::nullopt;
  const std::int64_t at = inserter_->refused_row();
  if (at < 1 || at > static_cast<std::int64_t>(inserting_->size())) return std::nullopt;
  return (*inserting_)[static_cast<std::size_t>(at - 1)].row;
}

// Entities that a later job has written are left as they are.
Result<void> TemporalLoad::give_way(const LaterBlocks& later) {
  std::unordered_map<std::string, std::uint32_t> changed;  // by the key of a slice without its day
  std::string first, last;
  const auto keys = std::span(row_entry_.key).first(row_entry_.key.size() - 1);
  for (const auto* changes : {&deletes_, &updates_}) {
    for (const Change& change : *changes) {
      const std::string_view sorted = entities_[change.entity].key;
      if (changed.empty() || sorted < first) first = sorted;
      if (changed.empty() || sorted > last) last = sorted;
      std::string key;
      append_key(key, change.before, keys, fields_);
      changed.emplace(std::move(key), change.entity);
    }
  }
  if (changed.empty()) return {};
  LADE_ASSIGN(const std::vector<std::string> blocks, later(entry_.table.quoted, first, last));
  std::unordered_set<std::uint32_t> superseded;
  for (const std::string& block : blocks) {
    LADE_ASSIGN(JournalReader reader, JournalReader::open(block));
    JournalEntry entry;
    for (;;) {
      LADE_ASSIGN(const bool more, reader.next(entry));
      if (!more) break;
      std::string_view rest = entry.key;
      for (std::size_t i = 0; i < keys.size() && !rest.empty(); ++i) db::take_field(rest);
      const auto found = changed.find(std::string(entry.key.substr(0, entry.key.size() - rest.size())));
      if (found != changed.end()) superseded.insert(found->second);
    }
  }
  leave(superseded);
  return {};
}

void TemporalLoad::leave(const std::unordered_set<std::uint32_t>& entities) {
  for (const std::uint32_t entity : entities) skip(entities_[entity], Action::skip_superseded);
  for (auto* changes : {&deletes_, &updates_, &inserts_, &fresh_inserts_})
    std::erase_if(*changes, [&](const Change& change) { return entities.contains(change.entity); });
}

void TemporalLoad::journal_to(const JournalSink& sink) {
  journal_.emplace(row_entry_, sink);
  fresh_journal_.emplace(fresh_entry_, sink);
}

// Takes the tuples of written rows from the database. A row that is not found was not left as it was written.
Result<void> TemporalLoad::read_back(Target& target, std::vector<Change>& changes) {
  std::string key;
  Tuples keys(changes, [&](const Change& change) -> std::string_view {
    key.clear();
    append_key(key, change.tuple, row_entry_.key, fields_);
    return key;
  });
  std::unordered_map<std::string, std::string_view> found;
  LADE_TRY(target.read_keys(keys, [&](std::string_view stored) -> Result<void> {
    std::string stored_key;
    append_key(stored_key, stored, row_entry_.key, pool_);
    found.emplace(std::move(stored_key), arena_.keep(stored));
    return {};
  }));
  for (Change& change : changes) {
    key.clear();
    append_key(key, change.tuple, row_entry_.key, fields_);
    if (const auto stored = found.find(key); stored != found.end()) change.tuple = stored->second;
  }
  return {};
}

Result<void> TemporalLoad::tell(JournalWriter& writer, Target& target, std::vector<Change>& changes) {
  if (changes.empty()) return {};
  if (respelled_ && &changes != &deletes_) LADE_TRY(read_back(target, changes));
  std::string key;
  for (const Change& change : changes) {
    const std::string_view tuple = change.tuple.empty() ? change.before : change.tuple;
    key.clear();
    append_key(key, tuple, row_entry_.key, fields_);
    const staging::RowPlace& place = slice_->rows[change.row].place;
    LADE_TRY(writer.add(sort_key_of(tuple), {key, change.before, fingerprint(change.tuple), place.row_id, place.line}));
  }
  return {};
}

Result<void> TemporalLoad::journal() {
  if (!journal_) return {};
  LADE_TRY(tell(*journal_, rows_, deletes_));
  LADE_TRY(tell(*journal_, rows_, updates_));
  LADE_TRY(tell(*journal_, rows_, inserts_));
  return tell(*fresh_journal_, fresh_rows_, fresh_inserts_);
}

// Of one entity after the other, in the order in which the slices are written.
Result<void> TemporalLoad::tell_changes(std::span<TableLoad* const> tables, DiffWriter& diff) const {
  std::vector<const Change*> all;
  for (const auto* changes : {&deletes_, &updates_, &inserts_, &fresh_inserts_})
    for (const Change& change : *changes) all.push_back(&change);
  std::ranges::stable_sort(all, {}, [](const Change* change) { return change->entity; });
  for (const Change* change : all) {
    const std::vector<std::size_t> drawn = drawn_fields(tables, change->row);
    LADE_TRY(diff.add(diff_table_, {slice_->rows[change->row].place, change->before, change->tuple, drawn}));
  }
  return {};
}

void TemporalLoad::mix_stored(std::span<std::uint64_t> fingerprints) const {
  for (std::size_t i = 0; i < carrier_.size(); ++i) {
    if (carrier_[i] == 0) continue;
    const Entity& entity = entities_[members_[carrier_[i] - 1].entity];
    for (std::uint32_t slice = 0; slice < entity.slices; ++slice)
      fingerprints[i] = mixed(fingerprints[i], fingerprint(stored_[entity.stored + slice].tuple));
  }
}

bool TemporalLoad::is_drawn(std::size_t row, std::size_t field) const {
  const std::uint32_t at = carrier_[row - begin_];
  return at != 0 && static_cast<int>(field) == period_.id_field && entities_[members_[at - 1].entity].drawn;
}

Result<void> TemporalLoad::finish_journal() {
  if (!journal_) return {};
  LADE_TRY(journal_->finish());
  return fresh_journal_->finish();
}

}  // namespace lade::load
