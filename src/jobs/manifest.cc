#include "jobs/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <unordered_map>

#include "base/one_line.h"
#include "base/sha256.h"
#include "csv/reader.h"
#include "csv/writer.h"
#include "definition/match.h"
#include "harvest/url.h"
#include "jobs/job.h"
#include "jobs/open_source.h"
#include "source/sheet_input.h"

namespace lade::jobs {
namespace {

namespace json = boost::json;
using store::NewPage;
using store::PageRecord;

constexpr std::size_t kPagesAtOnce = 1000;
constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::size_t kMostKeyBytes = 1000;
constexpr std::size_t kMostCellBytes = 8 << 20;

std::optional<std::size_t> find_column(const std::vector<std::string>& header, const std::string& name) {
  const int found = name.empty() ? -1 : definition::find_name(header, name);
  return found < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(found));
}

csv::ReaderOptions reader_options(const source::Layout& layout) {
  csv::ReaderOptions options;
  options.dialect = layout.dialect;
  options.columns = layout.header.size();
  options.first_offset = layout.data_offset;
  options.first_line = layout.data_line;
  return options;
}

// Rows one after another, with the text of their fields.
class Rows {
 public:
  explicit Rows(const Manifest& manifest)
      : manifest_(manifest),
        range_(manifest.input.file, manifest.layout.data_offset, manifest.input.bytes),
        reader_(range_, reader_options(manifest.layout)) {}

  Result<bool> next() {
    if (++row_ < batch_.rows()) return true;
    for (;;) {
      LADE_ASSIGN(const bool more, reader_.next(batch_));
      row_ = 0;
      if (!more) return false;
      if (batch_.rows() > 0) return true;
    }
  }
  std::int64_t id() const { return batch_.row_id(row_); }
  std::string text(std::size_t column) {
    return std::string(csv::unescape(batch_.field(row_, column), manifest_.layout.dialect, scratch_));
  }
  csv::Field field(std::size_t column) const { return batch_.field(row_, column); }

 private:
  const Manifest& manifest_;
  FileRange range_;
  csv::Reader reader_;
  csv::Batch batch_;
  std::size_t row_ = 0;
  std::string scratch_;
};

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// Text that every database takes, of a length that can be searched for.
std::string shown(const std::string& text) {
  return one_line(text.substr(0, kMostKeyBytes));
}

NewPage page_of(Rows& rows, const Manifest& manifest, const std::string& job,
                std::unordered_map<std::string, std::int64_t>& seen) {
  NewPage page{.row_id = rows.id()};
  const std::string address = trimmed(rows.text(manifest.url));
  page.key = shown(manifest.key ? trimmed(rows.text(*manifest.key)) : address);
  if (address.empty()) {
    page.error = {.code = "missing_source_url", .message = "the row names no page", .reason = "missing_source_url"};
    return page;
  }
  const auto url = harvest::Url::parse(address);
  if (!url) {
    page.url = shown(address);
    page.error = {.code = url.error().code, .message = url.error().message, .reason = "url_invalid", .url = page.url};
    return page;
  }
  page.url = url->text;
  page.host = url->host;
  const auto [first, is_new] = seen.emplace(sha256_of(url->text), page.row_id);
  if (!is_new) {
    page.error = {.code = "duplicate_url",
                  .message = fmt::format("row {} names the same page", first->second),
                  .reason = "duplicate_url",
                  .url = page.url};
    return page;
  }
  page.idempotency_key = sha256_of(fmt::format("{}\n{}\n{}", job, page.url, page.key));
  return page;
}

// The values of a field as one cell.
std::string cell_of(const json::array& values, const steps::FieldCell& field) {
  if (!field.is_list) return values.empty() ? std::string() : std::string(values.front().as_string());
  if (!field.separator) return values.empty() ? std::string() : json::serialize(values);
  std::string cell;
  for (const json::value& value : values) {
    if (&value != &values.front()) cell += *field.separator;
    cell += std::string_view(value.as_string());
  }
  return cell;
}

std::string text_at(const json::value& object, std::string_view key) {
  const json::value* const found = object.is_object() ? object.get_object().if_contains(key) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

json::value parsed(const std::string& text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  return error ? json::value() : value;
}

// Pages of a job in the order of their rows.
class StoredPages {
 public:
  StoredPages(db::Connection& connection, std::int64_t job) : connection_(connection), job_(job) {}
  // Null when the row has none.
  Result<const PageRecord*> next(std::int64_t row) {
    while (at_ < pages_.size() && pages_[at_].row_id < row) ++at_;
    if (at_ == pages_.size()) {
      LADE_ASSIGN(pages_, store::list_pages(connection_, job_,
                                            {.after = row - 1, .limit = static_cast<std::int64_t>(kPagesAtOnce)}));
      at_ = 0;
    }
    return at_ < pages_.size() && pages_[at_].row_id == row ? &pages_[at_] : nullptr;
  }

 private:
  db::Connection& connection_;
  const std::int64_t job_;
  std::vector<PageRecord> pages_;
  std::size_t at_ = 0;
};

// A record that nobody could read would end the whole job.
Cells bounded(Cells cells) {
  std::size_t bytes = 0;
  for (const auto& [column, cell] : cells) bytes += cell.text.size();
  if (bytes <= kMostCellBytes) return cells;
  return {{std::string(steps::page_column::kError),
           store::to_json({.code = "field_too_large", .message = "the page's fields are larger than 8 MiB"})}};
}

// Records on their way into a nameless file.
class RecordWriter {
 public:
  RecordWriter(File file, const csv::Dialect& dialect) : file_(std::move(file)), dialect_(dialect) {}

  // A cell that a workbook has typed stays so: it has no quotes.
  void add(std::string_view text, bool is_typed) {
    if (!is_first_) block_.push_back(dialect_.delimiter);
    is_first_ = false;
    if (is_typed)
      block_.append(text);
    else if (dialect_.rows_are_lines)
      text.empty() ? void() : csv::append_quoted_field(block_, text, dialect_);
    else
      csv::append_field(block_, text, dialect_);
  }
  Result<void> end_record() {
    block_.push_back('\n');
    is_first_ = true;
    return block_.size() < kBlockBytes ? Result<void>() : flush();
  }
  Result<File> finish(std::uint64_t& bytes) && {
    LADE_TRY(flush());
    bytes = bytes_;
    return std::move(file_);
  }

 private:
  Result<void> flush() {
    LADE_TRY(file_.write_at(bytes_, block_));
    bytes_ += block_.size();
    block_.clear();
    return {};
  }
  File file_;
  const csv::Dialect dialect_;
  std::string block_;
  std::uint64_t bytes_ = 0;
  bool is_first_ = true;
};

Error manifest_empty(std::string_view why) {
  return {"manifest_empty", fmt::format("the file names no pages: {}", why), "name at least one", ErrorKind::invalid};
}

}  // namespace

Result<Manifest> read_manifest(const source::Input& input, const definition::Definition& definition) {
  source::Overrides overrides = overrides_of(definition);
  const steps::FetchRules rules = steps::page_rules(definition).fetch;
  overrides.expected = {rules.url};
  if (!rules.key.empty()) overrides.expected.push_back(rules.key);
  auto layout = source::recognise(input, overrides);
  if (!layout && layout.error().code == "file_empty") return fail(manifest_empty("it is empty"));
  if (!layout) return fail(std::move(layout).error());
  Manifest manifest{input, std::move(*layout)};
  const auto missing = [&](const std::string& column) {
    return fail("manifest_ingest_failed", fmt::format("the file has no column '{}'", column),
                fmt::format("it has {}", fmt::join(manifest.layout.header, ", ")), ErrorKind::invalid);
  };
  const auto url = find_column(manifest.layout.header, rules.url);
  if (!url) return missing(rules.url);
  manifest.url = *url;
  manifest.key = find_column(manifest.layout.header, rules.key);
  if (!manifest.key && !rules.key.empty()) return missing(rules.key);
  LADE_ASSIGN(const bool has_rows, Rows(manifest).next());
  if (!has_rows) return fail(manifest_empty("it has only a header"));
  return manifest;
}

Result<std::int64_t> read_pages(const Manifest& manifest, const std::string& job, const std::stop_token& stop,
                                const std::function<Result<void>(std::vector<NewPage>)>& take) {
  Rows rows(manifest);
  std::unordered_map<std::string, std::int64_t> seen;
  std::vector<NewPage> pages;
  std::int64_t count = 0;
  for (;;) {
    auto more = rows.next();
    if (!more)
      return fail("manifest_ingest_failed", "the file cannot be read: " + more.error().message, more.error().hint,
                  ErrorKind::invalid);
    if (!*more) break;
    pages.push_back(page_of(rows, manifest, job, seen));
    ++count;
    if (pages.size() < kPagesAtOnce) continue;
    if (stop.stop_requested()) return fail(cancelled());
    LADE_TRY(take(std::exchange(pages, {})));
  }
  if (!pages.empty()) LADE_TRY(take(std::move(pages)));
  return count;
}

std::vector<std::string> record_header(const Manifest& manifest, const steps::PageRules& rules) {
  std::vector<std::string> header = manifest.layout.header;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(header, name) == header.end()) header.push_back(name);
  };
  for (const steps::FieldCell& field : rules.cells) add(field.name);
  for (const std::string& name : steps::page_columns()) add(name);
  return header;
}

Cells page_cells(const PageRecord& page, const steps::PageRules& rules) {
  using namespace steps::page_column;
  Cells cells;
  const bool is_here = page.status == store::page_status::kSucceeded;
  cells[std::string(kError)] = is_here ? std::string() : page.error;
  cells[std::string(kIssues)] = "";
  cells[std::string(kChecksum)] = page.checksum;
  const json::value metadata = parsed(page.evidence.metadata);
  cells[std::string(kUrl)] = text_at(metadata, "final_url");
  cells[std::string(kFetchedAt)] = text_at(metadata, "fetched_at");
  const json::value extracted = parsed(page.fields);
  if (!is_here || !extracted.is_object()) return cells;
  if (const json::value* issues = extracted.get_object().if_contains("issues"))
    if (issues->is_array() && !issues->get_array().empty()) cells[std::string(kIssues)] = json::serialize(*issues);
  const json::value* const fields = extracted.get_object().if_contains("fields");
  for (const steps::FieldCell& field : rules.cells) {
    const json::value* const values =
        fields != nullptr && fields->is_object() ? fields->get_object().if_contains(field.name) : nullptr;
    if (values == nullptr || !values->is_array() || values->get_array().empty()) continue;  // the manifest's stays
    cells[field.name] = cell_of(values->get_array(), field);
  }
  return cells;
}

Result<source::Input> gather_records(db::Connection& connection, std::int64_t job, const Manifest& manifest,
                                     const steps::PageRules& rules, const ImportOptions& here,
                                     const std::stop_token& stop) {
  const csv::Dialect dialect = manifest.input.sheet_rows ? source::sheet_dialect() : csv::Dialect();
  LADE_ASSIGN(File file, File::temporary(here.scratch()));
  RecordWriter writer(std::move(file), dialect);
  const std::vector<std::string> header = record_header(manifest, rules);
  for (const std::string& name : header) writer.add(name, false);
  LADE_TRY(writer.end_record());
  Rows rows(manifest);
  StoredPages pages(connection, job);
  for (std::int64_t count = 0;; ++count) {
    LADE_ASSIGN(const bool more, rows.next());
    if (!more) break;
    if (count % 1000 == 0 && stop.stop_requested()) return fail(cancelled());
    LADE_ASSIGN(const PageRecord* const page, pages.next(rows.id()));
    const Cells cells = page == nullptr ? Cells() : bounded(page_cells(*page, rules));
    for (std::size_t column = 0; column < header.size(); ++column) {
      const auto given = cells.find(header[column]);
      if (given != cells.end()) {
        writer.add(given->second.text, false);
      } else if (column < manifest.layout.header.size()) {
        writer.add(rows.text(column), manifest.input.sheet_rows && !rows.field(column).quoted);
      } else {
        writer.add("", false);
      }
    }
    LADE_TRY(writer.end_record());
  }
  source::Input input;
  input.name = manifest.input.name;
  input.origin = manifest.input.origin;
  input.spooled = true;
  input.sheet_rows = manifest.input.sheet_rows;
  LADE_ASSIGN(input.file, std::move(writer).finish(input.bytes));
  return input;
}

source::Overrides record_overrides(const definition::Definition& definition) {
  source::Overrides overrides = overrides_of(definition);
  const csv::Dialect dialect;
  overrides.delimiter = dialect.delimiter;
  overrides.quote = dialect.quote;
  overrides.escape = dialect.escape;
  overrides.comment.reset();
  overrides.no_quote = false;
  overrides.header.clear();
  overrides.header_row = 1;
  overrides.skip_rows = 0;
  return overrides;
}

}  // namespace lade::jobs
