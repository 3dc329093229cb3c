#include "load/undo_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "load/loader.h"
#include "load/refusal_code.h"
#include "load/tuple_fields.h"

namespace lade::load {
namespace {

using analysis::EntryProgram;
using analysis::KeyPart;
using analysis::TargetField;

Error cannot_undo(const db::Table& table, std::string_view column) {
  return {"cannot_undo",
          fmt::format("table {} has no column '{}' any more, which the import has written", table.name, column),
          "bring the column back, or correct the rows by hand", ErrorKind::invalid};
}

int field_named(const EntryProgram& entry, std::string_view name) {
  for (std::size_t i = 0; i < entry.fields.size(); ++i)
    if (entry.fields[i].column.name == name) return static_cast<int>(i);
  return -1;
}

// False when a column of the key is not among the fields.
bool set_key(EntryProgram& entry, const std::vector<std::string>& key) {
  for (const std::string& name : key) {
    const int field = field_named(entry, name);
    if (field < 0) return false;
    TargetField& target = entry.fields[static_cast<std::size_t>(field)];
    target.key = true;
    target.drawn = false;
    KeyPart part;
    part.column = -1;
    part.field = field;
    part.type = analysis::natural_type(target.column);
    entry.key.push_back(part);
  }
  return true;
}

EntryProgram without_drawn(EntryProgram entry) {
  for (TargetField& field : entry.fields) field.drawn = false;
  return entry;
}

// Something of each row.
template <class Get>
class RowTuples final : public db::TupleSource {
 public:
  RowTuples(std::span<UndoRow* const> rows, Get get) : rows_(rows), get_(std::move(get)) {}
  std::optional<std::string_view> next() override {
    if (at_ == rows_.size()) return std::nullopt;
    return get_(*rows_[at_++]);
  }

 private:
  std::span<UndoRow* const> rows_;
  Get get_;
  std::size_t at_ = 0;
};

std::string_view key_of(const UndoRow& row) {
  return row.key;
}
std::string_view before_of(const UndoRow& row) {
  return row.before;
}

std::string_view code_of(UndoAction action, std::string_view sqlstate) {
  if (sqlstate == "23503" && action == UndoAction::remove) return "still_referenced";
  return refusal_code(sqlstate);
}

model::Issue changed_since(std::string message) {
  model::Issue issue;
  issue.severity = model::Severity::warning;
  issue.code = "changed_since";
  issue.message = std::move(message);
  issue.hint = "compare it with the file and correct it by hand";
  return issue;
}

}  // namespace

bool UndoRow::was_deleted() const {
  static const std::uint64_t nothing = fingerprint("");
  return after == nothing;
}

Result<std::unique_ptr<UndoTable>> UndoTable::make(db::Connection& connection, const db::Table& table,
                                                   const std::vector<std::string>& key,
                                                   const std::vector<std::string>& columns) {
  EntryProgram whole, image;
  whole.table = image.table = table;
  whole.strategy = image.strategy = definition::Strategy::insert_or_replace;
  for (const db::Column& column : table.columns)
    if (!column.generated) whole.fields.push_back({.column = column});
  for (const std::string& name : columns) {
    const int field = field_named(whole, name);
    if (field < 0) return fail(cannot_undo(table, name));
    // Some databases refuse to write ids, even the same.
    const db::Column& column = whole.fields[static_cast<std::size_t>(field)].column;
    image.fields.push_back({.column = column, .drawn = !column.sequence.empty()});
  }
  if (key.empty() || !set_key(whole, key) || !set_key(image, key))
    return fail(cannot_undo(table, key.empty() ? "" : key.front()));
  std::unique_ptr<UndoTable> undo(new UndoTable(connection, std::move(whole), std::move(image)));
  LADE_TRY(undo->prepare());
  return undo;
}

UndoTable::UndoTable(db::Connection& connection, EntryProgram whole, EntryProgram image)
    : connection_(connection),
      whole_(std::move(whole)),
      image_(std::move(image)),
      with_ids_(without_drawn(image_)),
      rows_(connection, whole_),
      images_(connection, image_),
      images_with_ids_(connection, with_ids_) {
  for (const TargetField& field : image_.fields)
    places_.push_back(static_cast<std::size_t>(field_named(whole_, field.column.name)));
}

Result<void> UndoTable::prepare() {
  LADE_ASSIGN(references_, references_to(connection_, whole_.table));
  LADE_TRY(rows_.prepare());
  LADE_TRY(images_.prepare());
  return images_with_ids_.prepare();
}

std::string_view UndoTable::image_of(std::string_view whole) {
  split(whole, fields_);
  scratch_.clear();
  for (const std::size_t place : places_) append_whole(scratch_, fields_[place]);
  return scratch_;
}

void UndoTable::compare(UndoRow& row) {
  row.action = UndoAction::leave;
  row.refused = false;
  if (row.was_deleted()) {
    if (row.before.empty()) {
      row.action = UndoAction::nothing;
    } else if (row.stored.empty()) {
      row.action = UndoAction::put_back;
    } else {
      row.issue = changed_since("was deleted by the import and is stored again since");
    }
  } else if (row.stored.empty()) {
    row.issue = changed_since("is not stored any more");
  } else if (fingerprint(image_of(row.stored)) != row.after) {
    row.issue = changed_since("was changed since");
  } else {
    row.action = row.before.empty() ? UndoAction::remove : UndoAction::restore;
  }
}

Result<void> UndoTable::decide(std::span<UndoRow> rows, bool lock) {
  arena_.clear();
  std::unordered_map<std::string_view, UndoRow*> by_key;
  std::vector<UndoRow*> all;
  for (UndoRow& row : rows) {
    row.stored = {};
    by_key.emplace(row.key, &row);
    all.push_back(&row);
  }
  std::string key;
  const auto on_row = [&](std::string_view stored) -> Result<void> {
    split(stored, fields_);
    key.clear();
    for (const KeyPart& part : whole_.key) append_whole(key, fields_[static_cast<std::size_t>(part.field)]);
    // A key that is spelled otherwise by now is not the row that was written.
    if (const auto found = by_key.find(key); found != by_key.end()) found->second->stored = arena_.keep(stored);
    return {};
  };
  RowTuples keys(std::span<UndoRow* const>(all), key_of);
  LADE_TRY(lock ? rows_.lock_keys(keys, on_row) : rows_.read_keys(keys, on_row));
  for (UndoRow& row : rows) compare(row);
  return {};
}

Result<void> UndoTable::write(std::span<UndoRow> rows) {
  for (const UndoAction action : {UndoAction::remove, UndoAction::restore, UndoAction::put_back}) {
    std::vector<UndoRow*> chosen;
    for (UndoRow& row : rows)
      if (row.action == action) chosen.push_back(&row);
    LADE_TRY(action == UndoAction::remove ? remove(chosen) : apply(action, chosen));
  }
  return {};
}

// What refers to a row is somebody else's by now: the job's own rows of later tables went before.
Result<std::vector<UndoRow*>> UndoTable::without_referred(std::span<UndoRow* const> rows, bool all) {
  std::vector<UndoRow*> left(rows.begin(), rows.end());
  std::vector<Reference> references = references_;
  if (!all) std::erase_if(references, [](const Reference& reference) { return !reference.changes; });
  for (bool found = true; found && !left.empty();) {
    std::unordered_set<std::string> referred;
    RowTuples keys(std::span<UndoRow* const>(left), key_of);
    LADE_TRY(read_referred(connection_, whole_, references, keys, [&](std::string_view key) -> Result<void> {
      referred.emplace(key);
      return {};
    }));
    found = std::erase_if(left, [&](UndoRow* row) {
              if (!referred.contains(std::string(row->key))) return false;
              row->action = UndoAction::leave;
              row->refused = true;
              row->issue = refusal_of(UndoAction::remove, {.sqlstate = "23503", .message = "other rows refer to it"});
              return true;
            }) > 0;
  }
  return left;
}

// Rows that would take others with them are left, whatever the database says; those that it refuses for that reason
// are found at once rather than by halving.
Result<void> UndoTable::remove(std::span<UndoRow* const> rows) {
  std::vector<UndoRow*> left(rows.begin(), rows.end());
  if (std::ranges::any_of(references_, &Reference::changes)) {
    LADE_ASSIGN(left, without_referred(left, false));
  }
  if (left.size() > 1 && !references_.empty()) {
    LADE_ASSIGN(const bool done, attempt(UndoAction::remove, left));
    if (done) return {};
    if (refusal_.sqlstate == "23503") {
      LADE_ASSIGN(left, without_referred(left, true));
    }
  }
  return apply(UndoAction::remove, left);
}

// False when the database refuses; then nothing is done.
Result<bool> UndoTable::attempt(UndoAction action, std::span<UndoRow* const> rows) {
  LADE_ASSIGN(db::Savepoint savepoint, db::Savepoint::begin(connection_));
  Result<void> done = carry_out(action, rows);
  if (done) done = connection_.check_deferred();
  if (done) {
    LADE_TRY(savepoint.release());
    LADE_TRY(journal(action, rows));
    return true;
  }
  refusal_ = connection_.diagnosis();
  if (!is_data_refusal(refusal_)) return fail(std::move(done).error());
  LADE_TRY(savepoint.rollback());
  return false;
}

Result<void> UndoTable::apply(UndoAction action, std::span<UndoRow* const> rows) {
  if (rows.empty()) return {};
  LADE_ASSIGN(const bool done, attempt(action, rows));
  if (done) return {};
  if (rows.size() == 1) {
    rows.front()->action = UndoAction::leave;
    rows.front()->refused = true;
    rows.front()->issue = refusal_of(action, refusal_);
    return {};
  }
  LADE_TRY(apply(action, rows.first(rows.size() / 2)));
  return apply(action, rows.subspan(rows.size() / 2));
}

bool UndoTable::changes_ids(std::span<UndoRow* const> rows) {
  std::vector<std::size_t> ids;
  for (std::size_t i = 0; i < image_.fields.size(); ++i)
    if (image_.fields[i].drawn) ids.push_back(i);
  if (ids.empty()) return false;
  std::vector<db::WireField> before;
  return std::any_of(rows.begin(), rows.end(), [&](const UndoRow* row) {
    split(row->before, before);
    split(row->stored, fields_);
    return std::any_of(ids.begin(), ids.end(),
                       [&](std::size_t at) { return before[at].bytes() != fields_[places_[at]].bytes(); });
  });
}

Result<void> UndoTable::carry_out(UndoAction action, std::span<UndoRow* const> rows) {
  if (action == UndoAction::remove) {
    RowTuples keys(rows, key_of);
    LADE_TRY(rows_.stage_keys(keys));
    return rows_.apply_delete();
  }
  RowTuples tuples(rows, before_of);
  if (action == UndoAction::put_back) return images_.insert(tuples);
  Target& target = changes_ids(rows) ? images_with_ids_ : images_;
  if (!target.can_update()) return {};  // nothing beside the key: it is what it was
  LADE_TRY(target.stage(tuples));
  return target.apply_update();
}

// Triggers may have stored something else than was written.
Result<void> UndoTable::read_back(std::span<UndoRow* const> rows) {
  std::unordered_map<std::string, std::string_view> found;
  RowTuples keys(rows, key_of);
  LADE_TRY(rows_.read_keys(keys, [&](std::string_view stored) -> Result<void> {
    split(stored, fields_);
    std::string key;
    for (const KeyPart& part : whole_.key) append_whole(key, fields_[static_cast<std::size_t>(part.field)]);
    found.emplace(std::move(key), arena_.keep(stored));
    return {};
  }));
  for (UndoRow* row : rows)
    if (const auto stored = found.find(std::string(row->key)); stored != found.end())
      row->before = arena_.keep(image_of(stored->second));
  return {};
}

Result<void> UndoTable::journal(UndoAction action, std::span<UndoRow* const> rows) {
  if (!whole_journal_) return {};
  if (action == UndoAction::remove) {
    for (const UndoRow* row : rows)
      LADE_TRY(whole_journal_->add({}, {row->key, row->stored, fingerprint(""), row->row_id, row->line}));
    return {};
  }
  std::vector<std::string_view> were;
  for (const UndoRow* row : rows)
    were.push_back(action == UndoAction::restore ? arena_.keep(image_of(row->stored)) : std::string_view());
  if (whole_.table.has_triggers) LADE_TRY(read_back(rows));
  for (std::size_t i = 0; i < rows.size(); ++i)
    LADE_TRY(
        image_journal_->add({}, {rows[i]->key, were[i], fingerprint(rows[i]->before), rows[i]->row_id, rows[i]->line}));
  return {};
}

void UndoTable::journal_to(const JournalSink& sink) {
  whole_journal_.emplace(whole_, sink);
  image_journal_.emplace(image_, sink);
}

Result<void> UndoTable::finish_journal() {
  if (!whole_journal_) return {};
  LADE_TRY(whole_journal_->finish());
  return image_journal_->finish();
}

model::Issue UndoTable::refusal_of(UndoAction action, const db::Diagnosis& refusal) const {
  model::Issue issue;
  issue.severity = model::Severity::warning;
  issue.code = code_of(action, refusal.sqlstate);
  const std::string_view what = action == UndoAction::remove     ? "cannot be removed"
                                : action == UndoAction::put_back ? "cannot be put back"
                                                                 : "cannot be restored";
  issue.message = fmt::format("{}: {}", what, refusal.message);
  issue.hint = issue.code == "still_referenced" ? "remove what refers to it first"
               : refusal.constraint.empty()     ? "correct it by hand"
                                                : fmt::format("see the constraint '{}'", refusal.constraint);
  return issue;
}

std::string UndoTable::key_text(std::string_view key) const {
  std::string text;
  analysis::TextArena arena;
  for (const KeyPart& part : whole_.key) {
    const db::Column& column = whole_.fields[static_cast<std::size_t>(part.field)].column;
    analysis::Cell cell;
    const db::WireField field = db::take_field(key);
    const bool readable = field.length >= 0 && analysis::decode_value(field, column.wire, part.type, arena, cell);
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", column.name,
                        readable ? analysis::to_text(cell, part.type) : "?");
  }
  return text;
}

}  // namespace lade::load
