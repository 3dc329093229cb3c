#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/one_line.h"

// The line protocol between lade and a handler; docs/handlers.md tells it to those who write handlers.
namespace lade::handlers {

// What a handler is told before its first row.
struct Start {
  std::string handler;
  std::string job_id;  // empty: a rehearsal, nothing is kept
  std::vector<std::string> headers;
  std::string options = "{}";  // a JSON object
};
std::string start_message(const Start& start);
// What it is told once for an import that is all its own: before the first row, and when there are no more.
std::string pre_import_message();
std::string on_complete_message(std::string_view status, std::string_view counts);  // `counts` is a JSON object

// Rows as their JSON texts, one after another, so that any range of them makes a message.
class RowTexts {
 public:
  void begin_row(std::int64_t row_index);
  void add_cell(std::string_view text);
  void add_blank();
  void end_row();

  std::size_t size() const { return rows_.size(); }
  std::int64_t row_index(std::size_t row) const { return rows_[row].index; }
  std::size_t bytes(std::size_t row) const { return rows_[row].end - rows_[row].begin; }
  std::string message(std::size_t begin, std::size_t end) const;
  void clear();

 private:
  struct Row {
    std::int64_t index;
    std::size_t begin, end;
  };
  std::string text_;
  std::vector<Row> rows_;
};

// What a handler says about one row, or about a message without rows. Texts live until the next line is parsed.
struct Answer {
  std::optional<std::int64_t> row_index;
  bool ok = false;
  std::string_view error;  // when not ok
  struct Field {
    std::string_view name;
    std::string_view text;  // of lists and maps their JSON
    bool is_null = false;
  };
  std::vector<Field> result;  // one named "result" when it is no map
};

// Reads lines of answers. Owned by one thread.
class AnswerParser {
 public:
  AnswerParser();
  ~AnswerParser();
  AnswerParser(AnswerParser&&) noexcept;

  // So many bytes after the line can be read, whatever they are.
  static constexpr std::size_t kPadding = 64;
  // Null when the line is no answer; why() then says what it is. A known row_index is kept in that case too.
  const Answer* parse(std::string_view line);
  const std::string& why() const { return why_; }
  std::optional<std::int64_t> row_index() const { return answer_.row_index; }

 private:
  struct Json;
  bool read(std::string_view line);
  std::unique_ptr<Json> json_;
  Answer answer_;
  std::string why_;
};

// What a handler says, as an issue can have it.
using lade::one_line;

void append_json_text(std::string& out, std::string_view text);

}  // namespace lade::handlers
