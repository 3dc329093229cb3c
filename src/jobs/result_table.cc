#include "jobs/result_table.h"

#include "csv/writer.h"
#include "xlsx/writer.h"

namespace lade::jobs {
namespace {

class CsvTable final : public ResultTable {
 public:
  CsvTable(const source::Layout& layout, bool bom, const std::vector<std::string>& names)
      : dialect_(layout.origin.format == "csv" ? layout.dialect : csv::Dialect()) {
    // Who wrote another encoding opens the file with a program that needs to be told of this one.
    if (bom || layout.origin.bom || layout.origin.encoding != "utf-8") line_ = "\xEF\xBB\xBF";
    for (const std::string& name : names) add(name);
    end();
  }

  Result<void> write(std::span<const ResultCell> cells, ByteSink& to) override {
    for (const ResultCell& cell : cells) add(cell.text);
    end();
    LADE_TRY(to.write(line_));
    line_.clear();
    return {};
  }
  Result<void> finish(ByteSink& to) override { return to.write(line_); }

 private:
  void add(const std::string& text) {
    if (!first_) line_.push_back(dialect_.delimiter);
    first_ = false;
    if (dialect_.quote != '\0') return csv::append_field(line_, text, dialect_);
    // Without quotes nothing can be quoted: only lade's own messages hold such characters.
    for (const char c : text) line_.push_back(c == dialect_.delimiter || c == '\r' || c == '\n' ? ' ' : c);
  }
  void end() {
    line_ += "\r\n";
    first_ = true;
  }

  const csv::Dialect dialect_;
  std::string line_;
  bool first_ = true;
};

class SheetTable final : public ResultTable {
 public:
  explicit SheetTable(xlsx::Writer writer) : writer_(std::move(writer)) {}
  Result<void> write(std::span<const ResultCell> cells, ByteSink&) override {
    cells_.clear();
    for (const ResultCell& cell : cells) cells_.push_back({cell.text, cell.typed});
    return writer_.row(cells_);
  }
  Result<void> finish(ByteSink& to) override { return writer_.finish(to); }

 private:
  xlsx::Writer writer_;
  std::vector<xlsx::WrittenCell> cells_;
};

}  // namespace

Result<std::unique_ptr<ResultTable>> open_result_table(const source::Layout& layout, const ResultStyle& style,
                                                       const std::vector<std::string>& names,
                                                       const std::filesystem::path& folder) {
  if (style.format != "xlsx") return std::make_unique<CsvTable>(layout, style.bom, names);
  LADE_ASSIGN(xlsx::Writer writer, xlsx::Writer::create(folder, layout.origin.sheet));
  LADE_TRY(writer.header(names));
  return std::make_unique<SheetTable>(std::move(writer));
}

}  // namespace lade::jobs
