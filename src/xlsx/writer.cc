#include "xlsx/writer.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "base/file.h"
#include "xlsx/written_cell.h"

namespace lade::xlsx {
namespace {

constexpr std::size_t kMaxRows = LXW_ROW_MAX;
constexpr std::size_t kMaxColumns = LXW_COL_MAX;
constexpr std::size_t kMaxWidth = 60;
constexpr std::time_t kCreated = 946'684'800;  // 2000-01-01: what a workbook says instead of the time
constexpr std::size_t kInlineChoices = 255;    // characters of a drop-down list that stands in its cell's rule

Error refused(lxw_error code) {
  return {"workbook_write", fmt::format("cannot write the workbook: {}", lxw_strerror(code)),
          "check the space and rights of the data folder"};
}

Error full() {
  return {"workbook_full", "a sheet has at most 1,048,576 rows and 16,384 columns", "ask for the results as CSV",
          ErrorKind::invalid};
}

Result<void> check(lxw_error code) {
  if (code == LXW_NO_ERROR) return {};
  return fail(refused(code));
}

// A file that is gone when nobody needs it any more.
class ShortLivedFile {
 public:
  static Result<std::unique_ptr<ShortLivedFile>> create(const std::filesystem::path& folder) {
    std::string path = (folder / "workbook-XXXXXX").string();
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0) return fail(system_error(errno, "create a file in", folder.string()));
    ::close(descriptor);
    return std::make_unique<ShortLivedFile>(std::move(path));
  }
  explicit ShortLivedFile(std::string path) : path_(std::move(path)) {}
  ~ShortLivedFile() { ::unlink(path_.c_str()); }
  ShortLivedFile(const ShortLivedFile&) = delete;
  ShortLivedFile& operator=(const ShortLivedFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::size_t length_of(const std::vector<std::string>& choices) {
  std::size_t length = choices.size();
  for (const std::string& choice : choices) length += choice.size();
  return length;
}

bool fits_inline(const std::vector<std::string>& choices) {
  const auto plain = [](const std::string& text) { return text.find(',') == std::string::npos; };
  return length_of(choices) <= kInlineChoices && std::ranges::all_of(choices, plain);
}

}  // namespace

struct Writer::State {
  ~State() {
    if (book != nullptr) lxw_workbook_free(book);
  }

  // Long lists of choices stand in a hidden sheet, one column each, written row by row.
  Result<void> write_choices(std::span<const ColumnHint> hints) {
    std::vector<const ColumnHint*> listed;
    std::size_t longest = 0;
    for (const ColumnHint& hint : hints) {
      if (hint.choices.empty() || fits_inline(hint.choices)) continue;
      listed.push_back(&hint);
      longest = std::max(longest, hint.choices.size());
    }
    if (listed.empty()) return {};
    lxw_worksheet* lists = workbook_add_worksheet(book, "lists");
    if (lists == nullptr) return fail(refused(LXW_ERROR_MEMORY_MALLOC_FAILED));
    worksheet_hide(lists);
    for (std::size_t at = 0; at < longest; ++at)
      for (std::size_t column = 0; column < listed.size(); ++column)
        if (at < listed[column]->choices.size())
          LADE_TRY(check(worksheet_write_string(lists, static_cast<lxw_row_t>(at), static_cast<lxw_col_t>(column),
                                                written_text(listed[column]->choices[at], scratch).c_str(), nullptr)));
    return {};
  }

  Result<void> offer(const ColumnHint& hint, lxw_col_t column, std::size_t& listed) {
    lxw_data_validation rule{};
    rule.validate = LXW_VALIDATION_TYPE_LIST;
    std::vector<const char*> choices;
    std::string range;
    if (fits_inline(hint.choices)) {
      for (const std::string& choice : hint.choices) choices.push_back(choice.c_str());
      choices.push_back(nullptr);
      rule.value_list = const_cast<char**>(choices.data());
    } else {
      char name[8];
      lxw_col_to_name(name, static_cast<lxw_col_t>(listed++), LXW_TRUE);
      range = fmt::format("=lists!{}$1:{}${}", name, name, hint.choices.size());
      rule.validate = LXW_VALIDATION_TYPE_LIST_FORMULA;
      rule.value_formula = range.data();
    }
    rule.error_type = LXW_VALIDATION_ERROR_TYPE_WARNING;
    return check(worksheet_data_validation_range(sheet, 1, column, kMaxRows - 1, column, &rule));
  }

  lxw_error write(lxw_row_t row, lxw_col_t column, const WrittenCell& cell) {
    if (cell.typed) {
      if (const auto number = written_number(cell.text))
        return worksheet_write_number(sheet, row, column, *number, nullptr);
      if (const auto serial = written_date(cell.text))
        return worksheet_write_number(sheet, row, column, *serial, cell.text.size() > 10 ? timestamp : date);
      if (cell.text == "TRUE" || cell.text == "FALSE")
        return worksheet_write_boolean(sheet, row, column, cell.text == "TRUE", nullptr);
    }
    return worksheet_write_string(sheet, row, column, written_text(cell.text, scratch).c_str(), nullptr);
  }

  std::unique_ptr<ShortLivedFile> file;
  std::string folder;
  lxw_workbook* book = nullptr;
  lxw_worksheet* sheet = nullptr;
  lxw_format* date = nullptr;  // owned by the book, as the sheet is
  lxw_format* timestamp = nullptr;
  std::size_t rows = 0;
  std::string scratch;
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Result<Writer> Writer::create(const std::filesystem::path& folder, std::string_view sheet) {
  auto state = std::make_unique<State>();
  LADE_ASSIGN(state->file, ShortLivedFile::create(folder));
  state->folder = folder.string();
  lxw_workbook_options options{};
  options.constant_memory = LXW_TRUE;
  options.tmpdir = state->folder.data();
  options.use_zip64 = LXW_TRUE;
  state->book = workbook_new_opt(state->file->path().c_str(), &options);
  if (state->book == nullptr) return fail(refused(LXW_ERROR_MEMORY_MALLOC_FAILED));
  // The same rows give the same bytes.
  lxw_doc_properties properties{};
  properties.created = kCreated;
  LADE_TRY(check(workbook_set_properties(state->book, &properties)));
  state->sheet = workbook_add_worksheet(state->book, sheet_name(sheet).c_str());
  if (state->sheet == nullptr) return fail(refused(LXW_ERROR_MEMORY_MALLOC_FAILED));
  state->date = workbook_add_format(state->book);
  format_set_num_format(state->date, "yyyy-mm-dd");
  state->timestamp = workbook_add_format(state->book);
  format_set_num_format(state->timestamp, "yyyy-mm-dd hh:mm:ss");
  return Writer(std::move(state));
}

Result<void> Writer::header(std::span<const std::string> names, std::span<const ColumnHint> hints) {
  State& state = *state_;
  lxw_format* bold = workbook_add_format(state.book);
  format_set_bold(bold);
  lxw_format* required = workbook_add_format(state.book);
  format_set_bold(required);
  format_set_bg_color(required, 0xFFF2CC);
  if (names.size() > kMaxColumns) return fail(full());
  LADE_TRY(state.write_choices(hints));
  std::size_t listed = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto column = static_cast<lxw_col_t>(i);
    const ColumnHint hint = i < hints.size() ? hints[i] : ColumnHint{};
    const std::size_t width = hint.width > 0 ? static_cast<std::size_t>(hint.width) : names[i].size() + 4;
    LADE_TRY(check(
        worksheet_set_column(state.sheet, column, column, static_cast<double>(std::min(width, kMaxWidth)), nullptr)));
    LADE_TRY(check(worksheet_write_string(state.sheet, 0, column, written_text(names[i], state.scratch).c_str(),
                                          hint.required ? required : bold)));
    if (!hint.comment.empty()) LADE_TRY(check(worksheet_write_comment(state.sheet, 0, column, hint.comment.c_str())));
    if (!hint.choices.empty()) LADE_TRY(state.offer(hint, column, listed));
  }
  worksheet_freeze_panes(state.sheet, 1, 0);
  state.rows = 1;
  return {};
}

Result<void> Writer::row(std::span<const WrittenCell> cells) {
  State& state = *state_;
  if (state.rows >= kMaxRows || cells.size() > kMaxColumns) return fail(full());
  const auto row = static_cast<lxw_row_t>(state.rows++);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!cells[i].text.empty()) LADE_TRY(check(state.write(row, static_cast<lxw_col_t>(i), cells[i])));
  return {};
}

Result<void> Writer::finish(ByteSink& to) {
  const lxw_error code = workbook_close(std::exchange(state_->book, nullptr));
  LADE_TRY(check(code));
  LADE_ASSIGN(const File file, File::open(state_->file->path()));
  LADE_ASSIGN(const std::uint64_t bytes, file.size());
  FileRange range(file, 0, bytes);
  std::vector<char> block(256 * 1024);
  for (;;) {
    LADE_ASSIGN(const std::size_t count, range.read(block));
    if (count == 0) return {};
    LADE_TRY(to.write({block.data(), count}));
  }
}

}  // namespace lade::xlsx
