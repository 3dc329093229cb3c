#include "source/input.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <vector>

#include "csv/reader.h"
#include "source/sniff.h"

namespace lade::source {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::chrono::milliseconds kStopInterval{100};
constexpr std::size_t kSampleBytes = 256 * 1024;
constexpr std::size_t kMaxSniffedColumns = 4096;

Error too_large(const std::string& name, std::uint64_t max_bytes) {
  return {"file_too_large", fmt::format("{}: more than {} bytes", name, max_bytes),
          "split the file, or raise --max-bytes", ErrorKind::invalid};
}

// Copies a stream aside, inflating it when it begins like a gzip file.
class Spooler {
 public:
  Spooler(File& from, File& to, std::uint64_t max_bytes, const std::stop_token& stop)
      : from_(from), to_(to), max_bytes_(max_bytes), stop_(stop) {}
  ~Spooler() { inflateEnd(&zlib_); }
  Spooler(const Spooler&) = delete;
  Spooler& operator=(const Spooler&) = delete;

  Result<std::uint64_t> run() {
    std::vector<char> block(kBlockBytes);
    bool first = true, gzip = false;
    for (;;) {
      while (!stop_.stop_requested() && !from_.wait_readable(kStopInterval)) continue;
      if (stop_.stop_requested()) return fail("cancelled", "the import was cancelled", {}, ErrorKind::cancelled);
      LADE_ASSIGN(const std::size_t count, from_.read(block));
      if (count == 0) break;
      const std::string_view bytes(block.data(), count);
      if (first) {
        gzip = bytes.starts_with("\x1f\x8b");
        if (gzip && inflateInit2(&zlib_, MAX_WBITS + 16) != Z_OK)
          return fail("gzip_damaged", from_.name() + ": cannot start to inflate");
        first = false;
      }
      LADE_TRY(gzip ? inflate_block(bytes) : write(bytes));
    }
    if (gzip && !ended_)
      return fail("gzip_damaged", fmt::format("{}: the compressed file ends too early", from_.name()),
                  "get the file again", ErrorKind::invalid);
    return written_;
  }

 private:
  Result<void> write(std::string_view bytes) {
    written_ += bytes.size();
    if (written_ > max_bytes_) return fail(too_large(from_.name(), max_bytes_));
    return to_.write(bytes);
  }

  Result<void> inflate_block(std::string_view bytes) {
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib_.avail_in = static_cast<uInt>(bytes.size());
    while (zlib_.avail_in > 0) {
      if (ended_) {  // a further member follows
        inflateReset(&zlib_);
        ended_ = false;
      }
      do {
        zlib_.next_out = reinterpret_cast<Bytef*>(out_.data());
        zlib_.avail_out = static_cast<uInt>(out_.size());
        const int status = inflate(&zlib_, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
          return fail("gzip_damaged", fmt::format("{}: {}", from_.name(), zlib_.msg == nullptr ? "damaged" : zlib_.msg),
                      "get the file again", ErrorKind::invalid);
        LADE_TRY(write({out_.data(), out_.size() - zlib_.avail_out}));
        ended_ = status == Z_STREAM_END;
      } while (!ended_ && zlib_.avail_out == 0);
    }
    return {};
  }

  File& from_;
  File& to_;
  const std::uint64_t max_bytes_;
  const std::stop_token& stop_;
  z_stream zlib_{};
  std::vector<char> out_ = std::vector<char>(kBlockBytes);
  std::uint64_t written_ = 0;
  bool ended_ = false;
};

// The offset behind the first `lines` physical lines, which end with CR alone only in files that have no LF.
Result<std::uint64_t> skip_lines(const Input& input, int lines) {
  std::uint64_t offset = 0;
  std::vector<char> block(lines > 0 ? kBlockBytes : 0);
  LADE_ASSIGN(const std::size_t seen, input.file.read_at(0, block));
  const char line_end = std::string_view(block.data(), seen).find('\n') == std::string_view::npos ? '\r' : '\n';
  while (lines > 0) {
    LADE_ASSIGN(const std::size_t count, input.file.read_at(offset, block));
    if (count == 0)
      return fail("header_not_found",
                  fmt::format("{}: the file has fewer lines than the header row asked for", input.name),
                  "correct source.header_row or source.skip_rows", ErrorKind::invalid);
    const auto begin = block.begin(), end = block.begin() + static_cast<std::ptrdiff_t>(count);
    auto at = begin;
    while (lines > 0 && at != end) {
      at = std::find(at, end, line_end);
      if (at != end) ++at, --lines;
    }
    offset += static_cast<std::uint64_t>(at - begin);
  }
  return offset;
}

void apply(const Overrides& overrides, csv::Dialect& dialect) {
  const char quote = dialect.quote;
  if (overrides.delimiter) dialect.delimiter = *overrides.delimiter;
  if (overrides.quote) dialect.quote = *overrides.quote;
  if (overrides.no_quote) dialect.quote = '\0';
  if (dialect.escape == quote) dialect.escape = dialect.quote;
  if (overrides.escape) dialect.escape = *overrides.escape;
}

// How many expected names the first record shows when it is read with this delimiter.
std::size_t names_shown(std::string_view sample, csv::Dialect dialect, char delimiter,
                        const std::vector<std::string>& expected) {
  dialect.delimiter = delimiter;
  MemorySource source(sample);
  csv::ReaderOptions options;
  options.dialect = dialect;
  options.max_columns = kMaxSniffedColumns;
  csv::Reader reader(source, options);
  csv::Batch batch;
  const auto more = reader.next(batch);
  if (!more || !*more) return 0;
  std::size_t shown = 0;
  std::string scratch;
  for (std::size_t i = 0; i < batch.columns(); ++i)
    shown += static_cast<std::size_t>(
        std::count(expected.begin(), expected.end(), csv::unescape(batch.field(0, i), dialect, scratch)));
  return shown;
}

// A file of few or ragged rows says little about its delimiter; the names that the definition expects say more.
void choose_by_names(std::string_view sample, const std::vector<std::string>& expected, Layout& layout) {
  std::size_t best = names_shown(sample, layout.dialect, layout.dialect.delimiter, expected);
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const std::size_t shown = names_shown(sample, layout.dialect, delimiter, expected);
    if (shown <= best) continue;
    best = shown;
    layout.dialect.delimiter = delimiter;
    layout.evidence.push_back(fmt::format(
        "delimiter '{}': the header then has {} of the names that the definition expects", delimiter, shown));
  }
}

// Finds the dialect of what stands from `offset` on, as far as nobody has said it.
Result<void> sniff_from(const Input& input, std::uint64_t offset, const Overrides& overrides, Layout& layout) {
  std::vector<char> sample(std::min<std::uint64_t>(kSampleBytes, input.bytes - offset));
  LADE_ASSIGN(const std::size_t count, input.file.read_at(offset, sample));
  auto sniffed = sniff_csv({sample.data(), count});
  if (!sniffed) return fail(std::move(sniffed.error()).within(input.name));
  layout.dialect = sniffed->dialect;
  layout.evidence = sniffed->evidence;
  if (!overrides.delimiter && overrides.header_row.value_or(1) > 0)
    choose_by_names({sample.data(), count}, overrides.expected, layout);
  apply(overrides, layout.dialect);
  return {};
}

// Reads the header record at `offset` and finds where the record behind it begins.
Result<void> read_header(const Input& input, const Overrides& overrides, std::uint64_t offset, std::int64_t line,
                         bool is_header, Layout& layout) {
  csv::ReaderOptions options;
  options.dialect = layout.dialect;
  options.max_columns = overrides.max_columns;
  options.max_record_bytes = overrides.max_record_bytes;
  options.first_offset = offset;
  options.first_line = line;
  FileRange range(input.file, offset, input.bytes);
  csv::Reader reader(range, options);
  csv::Batch batch;
  auto more = reader.next(batch);
  if (!more) return fail(std::move(more.error()).within(input.name));
  if (!*more)
    return fail("file_empty", fmt::format("{}: the file has no records", input.name),
                "check that the right file was given", ErrorKind::invalid);
  std::string scratch;
  const std::size_t fields =
      batch.ragged().empty() || batch.ragged().front().row != 0 ? batch.columns() : batch.ragged().front().fields;
  for (std::size_t i = 0; i < fields; ++i)
    layout.header.emplace_back(is_header ? std::string(csv::unescape(batch.field(0, i), layout.dialect, scratch))
                                         : fmt::format("column_{}", i + 1));
  if (is_header && !simdjson::validate_utf8(batch.record(0).data(), batch.record(0).size()))
    return fail("unsupported_encoding", fmt::format("{}: the header is not valid UTF-8", input.name),
                "save the file as UTF-8", ErrorKind::invalid);
  if (!is_header) {
    for (std::size_t i = 0; i < overrides.header.size() && i < fields; ++i) layout.header[i] = overrides.header[i];
    layout.data_offset = batch.offset(0);
    layout.data_line = batch.line(0);
  } else {
    layout.data_offset = batch.rows() > 1 ? batch.offset(1) : reader.offset();
    layout.data_line = batch.rows() > 1 ? batch.line(1) : reader.line();
  }
  return {};
}

}  // namespace

Result<Input> open_input(const std::string& path, const std::filesystem::path& spool_folder, std::uint64_t max_bytes,
                         const Overrides& overrides, const std::stop_token& stop) {
  if (path == "-")
    return as_input(File::standard_input(), "(standard input)", spool_folder, max_bytes, overrides, stop);
  LADE_ASSIGN(File file, File::open(path));
  return as_input(std::move(file), path, spool_folder, max_bytes, overrides, stop);
}

Result<Input> as_input(File file, const std::string& name, const std::filesystem::path& spool_folder,
                       std::uint64_t max_bytes, const Overrides& overrides, const std::stop_token& stop) {
  (void)overrides;
  Input input{name, std::move(file)};
  std::array<char, 2> magic{};
  const bool seekable = input.file.is_regular() && name != "(standard input)";
  if (seekable) {
    LADE_TRY(input.file.read_at(0, magic));
    LADE_ASSIGN(input.bytes, input.file.size());
    if (input.bytes > max_bytes) return fail(too_large(input.name, max_bytes));
  }
  const bool gzip = std::string_view(magic.data(), 2) == "\x1f\x8b";
  if (seekable && !gzip) return input;
  LADE_ASSIGN(File spool, File::temporary(spool_folder));
  {
    Spooler spooler(input.file, spool, max_bytes, stop);
    LADE_ASSIGN(input.bytes, spooler.run());
  }
  input.file = std::move(spool);
  input.spooled = true;
  return input;
}

Result<Layout> recognise(const Input& input, const Overrides& overrides) {
  if (!overrides.encoding.empty() && overrides.encoding != "utf-8")
    return fail("unsupported_encoding",
                fmt::format("{}: cannot be read as {}; only utf-8 is accepted", input.name, overrides.encoding),
                "convert the file to UTF-8", ErrorKind::invalid);
  const int header_row = overrides.header_row.value_or(1);
  const int before = overrides.skip_rows + std::max(0, header_row - 1);
  LADE_ASSIGN(const std::uint64_t offset, skip_lines(input, before));
  Layout layout;
  layout.origin = input.origin;
  LADE_TRY(sniff_from(input, offset, overrides, layout));
  LADE_TRY(read_header(input, overrides, offset, 1 + before, header_row > 0, layout));
  return layout;
}

}  // namespace lade::source
