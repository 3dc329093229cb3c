#pragma once

#include <optional>
#include <string>

#include "analysis/cell.h"
#include "db/catalogue.h"
#include "definition/definition.h"

// Values of data columns ↔ the bytes a database column takes, and keys whose bytes sort like their values.
namespace lade::analysis {

// Marks a value that is not written: the stored one stays, a new row gets NULL. Never leaves lade.
constexpr std::int32_t kKeep = -2;

// One field of a staged tuple: a data column in the form of one target column.
struct WireForm {
  db::WireType wire = db::WireType::text;
  int scale = 0;     // of the target's numeric(p,s), or of the value when the target declares none; of timestamp(p)
  bool pad = false;  // char(n): trailing spaces do not count
  bool operator==(const WireForm&) const = default;
};

// How values of `type` are written to `column`; nullopt when they do not fit (text into an integer column, say).
std::optional<WireForm> wire_form(const definition::Type& type, const db::Column& column);

inline bool is_text(const definition::Type& type) {
  return type.kind == definition::TypeKind::text || type.kind == definition::TypeKind::json;
}

// The room that write_value() may need.
constexpr std::size_t kMostBytesBesidesText = 64;
inline std::size_t room_for(const Cell& cell, const definition::Type& type) {
  return kMostBytesBesidesText + (is_text(type) ? cell.text.size() : 0);
}

// Writes one field (length and bytes) at `at` and gives its end; nullptr when the value does not fit the column's range
// (out_of_range).
char* write_value(char* at, const Cell& cell, const definition::Type& type, const WireForm& form);
// The same, appended; false when it does not fit.
bool append_value(std::string& tuple, const Cell& cell, const definition::Type& type, const WireForm& form);

// Reads a field of a database column as a value of `type`; text points into the field or into `arena`. False when it
// cannot be one.
bool decode_value(db::WireField field, db::WireType wire, const definition::Type& type, TextArena& arena, Cell& cell);

// The type that a column's values have inside lade, for looked-up columns without a declared type.
definition::Type natural_type(const db::Column& column);

// Appends bytes that compare like the values do; equal bytes mean equal keys in the target.
void append_sort_key(std::string& key, const Cell& cell, const definition::Type& type, bool folds_case, bool pad);

// char(n): the database fills values up with spaces and does not count them.
bool is_padded(const db::Column& column);

// Whether a written field is read back with the same bytes (unless a trigger changes it).
bool is_stored_as_written(const db::Column& column);

// Two fields of one column that mean the same though their bytes may differ (numeric scale, padding, JSON spelling).
bool same_value(db::WireField left, db::WireField right, const db::Column& column);

// The canonical text of a value, for messages.
std::string to_text(const Cell& cell, const definition::Type& type);

}  // namespace lade::analysis
