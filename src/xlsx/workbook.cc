#include "xlsx/workbook.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "xlsx/compound_file.h"
#include "xlsx/merged_rows.h"
#include "xlsx/package.h"
#include "xlsx/shared_strings.h"
#include "xlsx/sheet_parser.h"
#include "xlsx/string_table.h"
#include "xlsx/styles.h"
#include "xlsx/workbook_part.h"

namespace lade::xlsx {
namespace {

constexpr std::size_t kBeginningBytes = 8;

// The first part that the workbook refers to as such; empty: none.
std::string part_of_type(const std::vector<Relation>& relations, std::string_view type) {
  for (const Relation& relation : relations) {
    if (relation.type == type) return relation.target;
  }
  return {};
}

// Files that are no zip archive.
Result<void> check_beginning(const File& file, const std::string& name) {
  char head[kBeginningBytes];
  LADE_ASSIGN(const std::size_t count, file.read_at(0, head));
  const std::string_view beginning(head, count);
  if (is_compound_file(beginning)) {
    LADE_ASSIGN(const bool encrypted, holds_encrypted_package(file));
    if (encrypted) {
      return fail("workbook_encrypted", fmt::format("{} is protected by a password", name),
                  "save it without a password", ErrorKind::invalid);
    }
    return fail("workbook_old", fmt::format("{} is a workbook of Excel 97–2003 (.xls), or another old document", name),
                "save it as an Excel workbook (.xlsx) or as CSV", ErrorKind::invalid);
  }
  if (zip::looks_like_zip(beginning)) return {};
  return fail("not_a_workbook", fmt::format("{} is no zip archive, as workbooks are", name),
              "save it as an Excel workbook (.xlsx), or give it as CSV", ErrorKind::invalid);
}

}  // namespace

struct Workbook::State {
  State(Package opened, const std::filesystem::path& spill_folder, const Limits& given)
      : package(std::move(opened)), limits(given), strings(spill_folder, given.string_memory) {}

  Result<void> read_parts();
  Result<void> load_strings();
  std::unique_ptr<SheetParser> parser(ByteSource& source, const std::string& part);

  Package package;
  Limits limits;
  std::vector<Sheet> sheets;
  std::vector<std::string> sheet_parts;
  bool from_1904 = false;
  Styles styles;
  std::string strings_part;
  bool strings_loaded = false;
  StringTable strings;
};

Result<void> Workbook::State::read_parts() {
  const std::string& main = package.main_part();
  LADE_ASSIGN(const auto source, package.read(main));
  LADE_ASSIGN(WorkbookPart workbook, read_workbook_part(*source, package.place(main)));
  LADE_ASSIGN(const auto relations, package.relations(main));
  from_1904 = workbook.from_1904;
  std::unordered_map<std::string_view, const Relation*> by_id;
  for (const Relation& relation : relations) by_id.emplace(relation.id, &relation);
  for (auto& tab : workbook.tabs) {
    const auto found = by_id.find(tab.relation);
    if (found == by_id.end() || found->second->type != "worksheet") continue;
    sheets.push_back({std::move(tab.name), tab.hidden});
    sheet_parts.push_back(found->second->target);
  }
  if (sheets.empty()) {
    return fail("workbook_damaged", fmt::format("{} has no work sheet", package.name()),
                "open it in a spreadsheet program and save it again", ErrorKind::invalid);
  }
  strings_part = part_of_type(relations, "sharedStrings");
  const std::string styles_part = part_of_type(relations, "styles");
  if (!package.has(styles_part)) return {};
  LADE_ASSIGN(const auto styles_source, package.read(styles_part));
  LADE_ASSIGN(styles, Styles::read(*styles_source, package.place(styles_part)));
  return {};
}

Result<void> Workbook::State::load_strings() {
  if (strings_loaded || !package.has(strings_part)) return {};
  LADE_ASSIGN(const auto source, package.read(strings_part));
  LADE_TRY(read_shared_strings(*source, package.place(strings_part), limits, strings));
  strings_loaded = true;
  return {};
}

std::unique_ptr<SheetParser> Workbook::State::parser(ByteSource& source, const std::string& part) {
  return std::make_unique<SheetParser>(source, package.place(part), SheetContext{styles, strings, limits, from_1904});
}

struct SheetReader::State {
  std::unique_ptr<ByteSource> source;
  std::unique_ptr<SheetParser> parser;
  std::unique_ptr<MergedRows> merged;
  bool over = false;
};

SheetReader::SheetReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
SheetReader::~SheetReader() = default;

Result<bool> SheetReader::next(Row& row) {
  if (state_->over) return false;
  auto more = state_->merged != nullptr ? state_->merged->next(row) : state_->parser->next(row);
  state_->over = !more || !*more;
  return more;
}

Workbook::Workbook(std::unique_ptr<State> state) : state_(std::move(state)) {}
Workbook::Workbook(Workbook&&) noexcept = default;
Workbook& Workbook::operator=(Workbook&&) noexcept = default;
Workbook::~Workbook() = default;

Result<Workbook> Workbook::open(const File& file, const std::string& name, const std::filesystem::path& spill_folder,
                                const Limits& limits) {
  LADE_TRY(check_beginning(file, name));
  LADE_ASSIGN(Package package, Package::open(file, name, limits.zip));
  auto state = std::make_unique<State>(std::move(package), spill_folder, limits);
  LADE_TRY(state->read_parts());
  return Workbook(std::move(state));
}

const std::vector<Sheet>& Workbook::sheets() const {
  return state_->sheets;
}
bool Workbook::dates_from_1904() const {
  return state_->from_1904;
}
std::string_view Workbook::number_format(std::uint32_t style) const {
  return state_->styles.code(style);
}

Result<std::unique_ptr<SheetReader>> Workbook::read(std::size_t sheet, bool merged) const {
  const std::string& part = state_->sheet_parts.at(sheet);
  LADE_TRY(state_->load_strings());
  auto reading = std::make_unique<SheetReader::State>();
  std::vector<MergedRange> ranges;
  if (merged) {
    // The ranges stand behind the rows.
    LADE_ASSIGN(const auto source, state_->package.read(part));
    const auto parser = state_->parser(*source, part);
    Row row;
    for (bool more = true; more;) {
      LADE_ASSIGN(more, parser->next(row));
    }
    ranges = parser->merged_ranges();
  }
  LADE_ASSIGN(reading->source, state_->package.read(part));
  reading->parser = state_->parser(*reading->source, part);
  if (!ranges.empty()) {
    reading->merged =
        std::make_unique<MergedRows>(*reading->parser, std::move(ranges), state_->limits, state_->sheets[sheet].name);
  }
  return std::unique_ptr<SheetReader>(new SheetReader(std::move(reading)));
}

}  // namespace lade::xlsx
