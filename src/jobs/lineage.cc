#include "jobs/lineage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/wire_codec.h"
#include "jobs/stored_job.h"
#include "load/journal.h"
#include "store/lineage.h"

namespace lade::jobs {
namespace {

// Behind every key that begins with another one.
constexpr std::string_view kBehind = "\xff\xff\xff\xff\xff\xff\xff\xff";

Error key_invalid(std::string message, std::string hint) {
  return {"lineage_key_invalid", std::move(message), std::move(hint), ErrorKind::invalid};
}

std::string_view action_of(const load::JournalEntry& entry) {
  static const std::uint64_t nothing = load::fingerprint({});
  if (entry.before.empty()) return "inserted";
  return entry.after == nothing ? "deleted" : "updated";
}

// A statement that gives a text as the column would store it; the database itself reads it. PostgreSQL takes it from a
// setting. SQLite's columns keep what does not fit them, so it takes it from one that is like this one.
Result<std::string> select_stored(db::Connection& connection, const db::Table& table, const db::Column& column,
                                  const std::string& text) {
  const db::Value value[] = {text};
  if (connection.backend() == db::Backend::postgresql) {
    LADE_TRY(connection.query("SELECT set_config('lade.lineage_key', $1, false)", value));
    return fmt::format("SELECT CAST(current_setting('lade.lineage_key') AS {})", column.type);
  }
  const std::string name = db::Connection::quote_name(column.name),
                    alike = db::Connection::temporary_name("lade_lineage_", table.quoted + "." + name);
  LADE_TRY(connection.run(fmt::format("CREATE TEMP TABLE IF NOT EXISTS {} AS SELECT {} FROM {} LIMIT 0; DELETE FROM {}",
                                      alike, name, table.quoted, alike)));
  LADE_TRY(connection.execute(fmt::format("INSERT INTO {} VALUES ($1)", alike), value));
  return fmt::format("SELECT {} FROM {}", name, alike);
}

Result<std::string> stored_value(db::Connection& connection, const db::Table& table, const db::Column& column,
                                 const std::string& text) {
  LADE_ASSIGN(const std::string select, select_stored(connection, table, column, text));
  std::string field;
  auto read = connection.copy_out(select, [&](std::string_view tuple) -> Result<void> {
    field = tuple;
    return {};
  });
  if (read) return field;
  return fail(key_invalid(fmt::format("'{}' is no value of the column {}", text, column.name),
                          fmt::format("the column is of type {}", column.type)));
}

std::optional<std::string> shown(db::WireField field, const db::Column* column) {
  analysis::TextArena arena;
  analysis::Cell cell;
  if (column == nullptr || field.length < 0) return std::nullopt;
  const definition::Type type = analysis::natural_type(*column);
  if (!analysis::decode_value(field, column->wire, type, arena, cell)) return std::nullopt;
  return analysis::to_text(cell, type);
}

// Entries of journals as people read them. Jobs and tables are asked for once.
class Telling {
 public:
  explicit Telling(db::Connection& connection) : connection_(connection) {}

  Result<WrittenRow> tell(std::int64_t job, const std::string& table, const load::JournalReader& block,
                          const load::JournalEntry& entry) {
    LADE_ASSIGN(const Known* const known, known_job(job));
    LADE_ASSIGN(const db::Table* const described, described_table(table));
    WrittenRow row{.table = described == nullptr ? table : described->name,
                   .key = {},
                   .action = action_of(entry),
                   .job = known->record,
                   .sha256 = known->sha256,
                   .row = entry.row_id,
                   .line = entry.line,
                   .by = known->record.created_by};
    std::string_view rest = entry.key;
    for (const std::string& name : block.key_columns())
      row.key.emplace_back(name, shown(db::take_field(rest), described == nullptr ? nullptr : described->find(name)));
    return row;
  }

  // Rows that people have corrected are theirs.
  Result<void> name_correctors(std::vector<WrittenRow>& rows) {
    std::map<std::int64_t, std::set<std::int64_t>> by_job;
    for (const WrittenRow& row : rows)
      if (row.row > 0) by_job[row.job.id].insert(row.row);
    for (const auto& [job, wanted] : by_job) {
      LADE_ASSIGN(const auto correctors, store::correctors_of(connection_, job, wanted));
      for (WrittenRow& row : rows)
        if (const auto found = correctors.find(row.row); row.job.id == job && found != correctors.end())
          row.by = found->second;
    }
    return {};
  }

 private:
  struct Known {
    store::JobRecord record;
    std::string sha256;
  };
  Result<const Known*> known_job(std::int64_t id) {
    auto& known = jobs_[id];
    if (!known) {
      LADE_ASSIGN(auto record, store::job_with_id(connection_, id));
      if (!record) return fail("job_not_found", "the job was deleted", "", ErrorKind::invalid);
      LADE_ASSIGN(std::string sha256, store::file_sha256(connection_, record->file_id));
      known = Known{std::move(*record), std::move(sha256)};
    }
    return &*known;
  }
  // By its quoted name; null when it is not there any more.
  Result<const db::Table*> described_table(const std::string& quoted) {
    auto found = tables_.find(quoted);
    if (found == tables_.end()) {
      LADE_ASSIGN(auto described, connection_.describe(unquoted(quoted)));
      found = tables_.emplace(quoted, std::move(described)).first;
    }
    return found->second ? &*found->second : nullptr;
  }
  static std::string unquoted(std::string_view quoted) {
    std::string name;
    bool inside = false;
    for (std::size_t i = 0; i < quoted.size(); ++i) {
      const bool is_quote = quoted[i] == '"';
      if (is_quote && inside && i + 1 < quoted.size() && quoted[i + 1] == '"') {
        name.push_back('"'), ++i;
      } else if (is_quote) {
        inside = !inside;
      } else {
        name.push_back(quoted[i]);
      }
    }
    return name;
  }

  db::Connection& connection_;
  std::map<std::int64_t, std::optional<Known>> jobs_;
  std::map<std::string, std::optional<db::Table>> tables_;
};

// The row that is looked for.
class Search {
 public:
  Search(db::Connection& connection, const LineageDemand& demand, db::Table table)
      : connection_(connection), demand_(demand), table_(std::move(table)), telling_(connection) {}

  Result<std::vector<WrittenRow>> run() {
    for (const auto& [name, text] : demand_.key) {
      const db::Column* const column = table_.find(name);
      if (column == nullptr)
        return fail(key_invalid(fmt::format("{} has no column '{}'", demand_.table, name), "give the table's key"));
      LADE_ASSIGN(values_[name], stored_value(connection_, table_, *column, text));
    }
    LADE_ASSIGN(const auto definitions, store::definitions_writing(connection_, demand_.company, table_.quoted));
    if (definitions.empty())
      return fail("lineage_not_kept", fmt::format("no job is known to have written to {}", demand_.table),
                  "journals are kept for 30 days, and longer with lineage: true in the definition; tables that are "
                  "only appended to have none",
                  ErrorKind::invalid);
    // The key of a table with versions is told with and without the version.
    std::optional<Error> unfit;
    std::size_t searched = 0;
    for (const store::WritingDefinition& definition : definitions) {
      const auto done = search(definition);
      if (done)
        ++searched;
      else if (done.error().code == "lineage_key_invalid")
        unfit = done.error();
      else
        return fail(done.error());
    }
    if (searched == 0) return fail(*unfit);
    // Newest first; within a job in the order it was done, the last first.
    std::ranges::stable_sort(found_, std::ranges::greater(), [](const WrittenRow& row) { return row.job.id; });
    LADE_TRY(telling_.name_correctors(found_));
    return std::move(found_);
  }

 private:
  // Types of the key's values as the definition has them: the form that sorts depends on them.
  Result<std::map<std::string, definition::Type>> types_of(std::int64_t job) {
    std::map<std::string, definition::Type> types;
    LADE_ASSIGN(const auto record, store::job_with_id(connection_, job));
    if (!record) return types;
    LADE_ASSIGN(const definition::Definition definition, definition_of(connection_, *record));
    for (const definition::LoadEntry& entry : definition.load) {
      LADE_ASSIGN(const auto table, connection_.describe(entry.table));
      if (!table || table->quoted != table_.quoted) continue;
      const auto add = [&](const std::string& target, const std::string& data) {
        const auto column = std::ranges::find(definition.columns, data, &definition::DataColumn::name);
        if (column != definition.columns.end() && (column->type_given || !column->lookup))
          types.emplace(target, column->type);
      };
      for (const definition::TargetColumn& column : entry.columns) add(column.target, column.data_column);
      if (entry.columns.empty())
        for (const db::Column& column : table->columns) add(column.name, column.name);
    }
    return types;
  }

  Result<void> search(const store::WritingDefinition& definition) {
    LADE_ASSIGN(const std::string block, store::some_block(connection_, definition.job, table_.quoted));
    LADE_ASSIGN(const load::JournalReader head, load::JournalReader::open(block));
    LADE_ASSIGN(const auto types, types_of(definition.job));
    const std::vector<std::string>& names = head.key_columns();
    std::string key;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto value = i < names.size() ? values_.find(names[i]) : values_.end();
      if (value == values_.end())
        return fail(key_invalid(fmt::format("the key of {} is given by other columns", demand_.table),
                                fmt::format("its key: {}", fmt::join(names, ", "))));
      const db::Column& column = *table_.find(names[i]);
      const auto declared = types.find(names[i]);
      const definition::Type type = declared == types.end() ? analysis::natural_type(column) : declared->second;
      std::string_view rest = value->second;
      analysis::TextArena arena;
      analysis::Cell cell;
      const db::WireField field = db::take_field(rest);
      if (field.length < 0 || !analysis::decode_value(field, column.wire, type, arena, cell)) return {};
      analysis::append_sort_key(key, cell, type, column.folds_case, analysis::is_padded(column));
    }
    LADE_ASSIGN(const auto blocks, store::blocks_between(connection_, demand_.company, table_.quoted,
                                                         definition.definition, key, key + std::string(kBehind)));
    for (const store::LineageBlock& one : blocks) LADE_TRY(look_into(one));
    return {};
  }

  bool is_wanted(const load::JournalReader& block, const load::JournalEntry& entry) const {
    std::string_view rest = entry.key;
    for (const std::string& name : block.key_columns()) {
      const db::WireField field = db::take_field(rest);
      const auto value = values_.find(name);
      if (value == values_.end()) continue;
      std::string_view wanted = value->second;
      if (!analysis::same_value(field, db::take_field(wanted), *table_.find(name))) return false;
    }
    return true;
  }

  Result<void> look_into(const store::LineageBlock& block) {
    LADE_ASSIGN(load::JournalReader reader, load::JournalReader::open(block.images));
    for (load::JournalEntry entry;;) {
      LADE_ASSIGN(const bool more, reader.next(entry));
      if (!more) return {};
      if (!is_wanted(reader, entry)) continue;
      LADE_ASSIGN(WrittenRow row, telling_.tell(block.job, block.table, reader, entry));
      found_.insert(found_.begin(), std::move(row));
    }
  }

  db::Connection& connection_;
  const LineageDemand& demand_;
  const db::Table table_;
  Telling telling_;
  std::map<std::string, std::string> values_;  // by column, as fields
  std::vector<WrittenRow> found_;
};

}  // namespace

Result<std::vector<WrittenRow>> lineage_of_row(db::Connection& connection, const LineageDemand& demand) {
  if (demand.key.empty()) return fail(key_invalid("no key is given", "name the table's key columns"));
  LADE_ASSIGN(auto table, connection.describe(demand.table));
  if (!table)
    return fail("table_not_found", fmt::format("there is no table '{}'", demand.table), "", ErrorKind::invalid);
  return Search(connection, demand, std::move(*table)).run();
}

Result<LineagePage> lineage_of_job(db::Connection& connection, const store::JobRecord& job, std::int64_t from,
                                   std::int64_t limit) {
  LADE_ASSIGN(const auto places, store::block_places(connection, job.id));
  Telling telling(connection);
  LineagePage page;
  std::int64_t at = 0;  // of the first entry of the block
  for (const store::LineageBlock& place : places) {
    const std::int64_t begin = at;
    at += place.rows;
    if (at <= from) continue;
    if (static_cast<std::int64_t>(page.rows.size()) == limit) {
      page.next = begin;
      break;
    }
    LADE_ASSIGN(const std::string images, store::block_images(connection, place));
    LADE_ASSIGN(load::JournalReader reader, load::JournalReader::open(images));
    load::JournalEntry entry;
    for (std::int64_t number = begin;; ++number) {
      LADE_ASSIGN(const bool more, reader.next(entry));
      if (!more) break;
      if (number < from) continue;
      if (static_cast<std::int64_t>(page.rows.size()) == limit) {
        page.next = number;
        break;
      }
      LADE_ASSIGN(WrittenRow row, telling.tell(job.id, place.table, reader, entry));
      page.rows.push_back(std::move(row));
    }
    if (page.next != 0) break;
  }
  LADE_TRY(telling.name_correctors(page.rows));
  return page;
}

}  // namespace lade::jobs
