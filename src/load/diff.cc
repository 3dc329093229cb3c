#include "load/diff.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <numeric>

#include "base/assert.h"
#include "base/short_numbers.h"
#include "definition/utf8.h"
#include "load/tuple_fields.h"

namespace lade::load {
namespace {

namespace json = boost::json;

constexpr std::int64_t kBlockRecords = 1000;
constexpr std::size_t kBlockBytes = 1024 * 1024;  // before compression
constexpr std::size_t kLargestBlock = std::size_t{1} << 31;
constexpr int kCompression = 1;
constexpr std::string_view kMask = "***";

tl::unexpected<Error> damaged(std::string what) {
  return fail("diff_damaged", "a block of the stored diff cannot be read: " + std::move(what),
              "check the database; the target tables are not concerned");
}

void append_json(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (byte < 0x20) {
      out.append("\\u00").push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

std::string json_of(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

// Numbers without a declared scale are decoded with more digits than they have.
void trim_zeros(std::string& text, const db::Column& column) {
  const bool scaled = column.wire == db::WireType::numeric && column.precision != 0;
  if (scaled || text.find('.') == std::string::npos) return;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
}

// What no type of lade can say: as the database has it.
std::string raw_text(db::WireField value, db::WireType wire) {
  const std::string_view bytes = value.bytes();
  const bool sqlite = wire >= db::WireType::sqlite_integer && wire <= db::WireType::sqlite_any && !bytes.empty();
  if (sqlite && bytes.front() == 't') return std::string(bytes.substr(1));
  if (sqlite && bytes.front() == 'i') return std::to_string(db::read_big_endian<std::int64_t>(bytes.data() + 1));
  if (sqlite && bytes.front() == 'r')
    return fmt::format("{}", std::bit_cast<double>(db::read_big_endian<std::int64_t>(bytes.data() + 1)));
  if (wire == db::WireType::float8 && bytes.size() == 8)
    return fmt::format("{}", std::bit_cast<double>(db::read_big_endian<std::int64_t>(bytes.data())));
  if (wire == db::WireType::float4 && bytes.size() == 4)
    return fmt::format("{}", std::bit_cast<float>(db::read_big_endian<std::int32_t>(bytes.data())));
  std::string hex = "\\x";
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

void make_readable(std::string& text) {
  for (auto bad = definition::find_invalid_utf8(text); bad; bad = definition::find_invalid_utf8(text))
    text.replace(*bad, 1, "\uFFFD");
}

bool hides(const analysis::Program& program, const analysis::TargetField& field) {
  if (field.ref_entry >= 0) {
    const auto& fields = program.entries[static_cast<std::size_t>(field.ref_entry)].fields;
    return hides(program, fields[static_cast<std::size_t>(field.ref_field)]);
  }
  if (field.slot < 0) return false;
  const int column = program.slots[static_cast<std::size_t>(field.slot)].column;
  return program.columns[static_cast<std::size_t>(column)].column.sensitive;
}

bool contains(std::span<const std::size_t> fields, std::size_t field) {
  return std::ranges::find(fields, field) != fields.end();
}

json::object object_of(const KindCounts& counts) {
  json::object object;
  for (const ChangeKind kind : kChangeKinds)
    if (const std::int64_t count = counts[static_cast<std::size_t>(kind)]; count > 0) object[to_string(kind)] = count;
  return object;
}

KindCounts kind_counts(const json::value& value) {
  KindCounts counts{};
  for (const ChangeKind kind : kChangeKinds)
    if (const json::value* count = value.as_object().if_contains(to_string(kind)))
      counts[static_cast<std::size_t>(kind)] = count->to_number<std::int64_t>();
  return counts;
}

void add(KindCounts& counts, const KindCounts& more) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += more[i];
}

}  // namespace

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::insert: return "insert";
    case ChangeKind::update: return "update";
    case ChangeKind::remove: return "remove";
  }
  return "";
}

DiffCounts& DiffCounts::operator+=(const DiffCounts& other) {
  add(records, other.records);
  for (const auto& [column, counts] : other.columns) add(columns[column], counts);
  return *this;
}

std::int64_t DiffCounts::total() const {
  return std::accumulate(records.begin(), records.end(), std::int64_t{0});
}

std::string to_text(const DiffCounts& counts) {
  json::object columns;
  for (const auto& [column, of_kind] : counts.columns) columns[column] = object_of(of_kind);
  return json::serialize(json::object{{"records", object_of(counts.records)}, {"columns", std::move(columns)}});
}

Result<DiffCounts> read_diff_counts(std::string_view text) {
  DiffCounts counts;
  try {
    const json::value value = json::parse(text);
    counts.records = kind_counts(value.at("records"));
    for (const auto& [column, of_kind] : value.at("columns").as_object()) counts.columns[column] = kind_counts(of_kind);
  } catch (const std::exception& error) {
    return damaged(error.what());
  }
  return counts;
}

std::int64_t DiffFilter::matches(const DiffCounts& counts) const {
  const KindCounts* found = &counts.records;
  if (!column.empty()) {
    const auto at = counts.columns.find(column);
    if (at == counts.columns.end()) return 0;
    found = &at->second;
  }
  std::int64_t matching = 0;
  for (const ChangeKind which : kChangeKinds)
    if (kind.empty() || kind == to_string(which)) matching += (*found)[static_cast<std::size_t>(which)];
  return matching;
}

// A record begins with its kind, and only the names of cells are followed by a list. (Inside of texts, quotes have a
// backslash before them.)
DiffMatcher::DiffMatcher(const DiffFilter& filter)
    : beginning_(filter.kind.empty() ? "" : fmt::format("{{\"kind\":\"{}\"", filter.kind)),
      cell_(filter.column.empty() ? "" : json_of(filter.column) + ":[") {}

bool DiffMatcher::matches(std::string_view record) const {
  return record.starts_with(beginning_) && (cell_.empty() || record.find(cell_) != std::string_view::npos);
}

DiffTable::DiffTable(const analysis::Program& program, std::size_t entry)
    : name_(json_of(program.entries[entry].table.name)) {
  const analysis::EntryProgram& table = program.entries[entry];
  for (const analysis::TargetField& field : table.fields)
    fields_.push_back(
        {&field.column, analysis::natural_type(field.column), json_of(field.column.name), hides(program, field)});
  for (const analysis::KeyPart& part : table.key) key_.push_back(static_cast<std::size_t>(part.field));
  if (table.period)
    for (const int field : {table.period->from_field, table.period->until_field})
      period_.push_back(static_cast<std::size_t>(field));
}

Result<void> DiffWriter::add(const DiffTable& table, const TableChange& change) {
  split(change.before, before_);
  split(change.now, now_);
  const ChangeKind kind = change.before.empty() ? ChangeKind::insert
                          : change.now.empty()  ? ChangeKind::remove
                                                : ChangeKind::update;
  if (most_ > 0 && kept_ == most_) return {};
  ++kept_;
  append(table, change, kind);
  ++block_.counts.records[static_cast<std::size_t>(kind)];
  const bool is_full = block_.counts.total() == kBlockRecords || lines_.size() >= kBlockBytes;
  return is_full ? finish() : Result<void>();
}

void DiffWriter::append(const DiffTable& table, const TableChange& change, ChangeKind kind) {
  lines_.append("{\"kind\":\"").append(to_string(kind)).append("\",\"table\":").append(table.name_);
  fmt::format_to(std::back_inserter(lines_), ",\"row\":{},\"line\":{}", change.place.row_id, change.place.line);
  append_named(table, "key", table.key_, change.drawn);
  if (!table.period_.empty()) append_named(table, "period", table.period_, {});
  append_cells(table, change, kind);
  lines_.append("}\n");
}

// An object of fields as they will be or, of a row that goes, as they were.
void DiffWriter::append_named(const DiffTable& table, std::string_view title, std::span<const std::size_t> fields,
                              std::span<const std::size_t> drawn) {
  const std::vector<db::WireField>& values = now_.empty() ? before_ : now_;
  lines_.append(",\"").append(title).append("\":{");
  for (const std::size_t at : fields) {
    if (lines_.back() != '{') lines_.push_back(',');
    lines_.append(table.fields_[at].name).push_back(':');
    append_value(table.fields_[at], contains(drawn, at) ? db::WireField{} : values[at]);
  }
  lines_.push_back('}');
}

void DiffWriter::append_cells(const DiffTable& table, const TableChange& change, ChangeKind kind) {
  lines_.append(",\"cells\":{");
  for (std::size_t at = 0; at < table.fields_.size(); ++at) {
    const DiffTable::Field& field = table.fields_[at];
    const db::WireField before = at < before_.size() ? before_[at] : db::WireField{};
    const db::WireField now = at < now_.size() ? now_[at] : db::WireField{};
    const bool same = (before.length < 0 && now.length < 0) ||
                      (before.length >= 0 && now.length >= 0 && analysis::same_value(before, now, *field.column));
    if (same || contains(change.drawn, at)) continue;
    if (lines_.back() != '{') lines_.push_back(',');
    lines_.append(field.name).append(":[");
    append_value(field, before);
    lines_.push_back(',');
    append_value(field, now);
    lines_.push_back(']');
    auto found = block_.counts.columns.find(field.column->name);
    if (found == block_.counts.columns.end())
      found = block_.counts.columns.emplace(field.column->name, KindCounts{}).first;
    ++found->second[static_cast<std::size_t>(kind)];
  }
  lines_.push_back('}');
}

void DiffWriter::append_value(const DiffTable::Field& field, db::WireField value) {
  if (value.length < 0) {
    lines_.append("null");
    return;
  }
  if (field.sensitive) {
    append_json(lines_, kMask);
    return;
  }
  analysis::Cell cell;
  arena_.clear();
  if (analysis::decode_value(value, field.column->wire, field.type, arena_, cell)) {
    text_ = analysis::to_text(cell, field.type);
    if (field.type.kind == definition::TypeKind::decimal) trim_zeros(text_, *field.column);
  } else {
    text_ = raw_text(value, field.column->wire);
  }
  make_readable(text_);
  append_json(lines_, text_);
}

Result<void> DiffWriter::finish() {
  if (block_.counts.total() == 0) return {};
  put_number(block_.packed, lines_.size());
  const std::size_t head = block_.packed.size();
  block_.packed.resize(head + ZSTD_compressBound(lines_.size()));
  const std::size_t size = ZSTD_compress(block_.packed.data() + head, block_.packed.size() - head, lines_.data(),
                                         lines_.size(), kCompression);
  LADE_ASSERT(ZSTD_isError(size) == 0U);  // there is room for whatever comes
  block_.packed.resize(head + size);
  lines_.clear();
  return sink_(std::exchange(block_, {}));
}

Result<std::string> unpack_diff(std::string_view packed) {
  const auto size = take_number(packed);
  if (!size || *size > kLargestBlock) return damaged("its size makes no sense");
  std::string lines(*size, '\0');
  const std::size_t unpacked = ZSTD_decompress(lines.data(), lines.size(), packed.data(), packed.size());
  if (ZSTD_isError(unpacked) != 0U || unpacked != *size) return damaged("its records do not unpack");
  return lines;
}

}  // namespace lade::load
