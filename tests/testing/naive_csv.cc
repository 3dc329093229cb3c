#include "testing/naive_csv.h"

namespace lade::testing {
namespace {

class NaiveReader {
 public:
  NaiveReader(std::string_view text, const csv::Dialect& dialect) : text_(text), dialect_(dialect) {}

  NaiveFile read() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    while (at_ < text_.size()) {
      if (dialect_.comment != 0 && here() == dialect_.comment) skip_comment();
      if (take_line_end()) continue;
      if (ended()) break;
      read_record();
    }
    file_.end_line = line_;
    return std::move(file_);
  }

 private:
  bool ended() const { return at_ >= text_.size(); }
  char here() const { return text_[at_]; }
  bool is_quote() const { return dialect_.quote != 0 && !ended() && here() == dialect_.quote; }
  bool is_delimiter() const { return !ended() && here() == dialect_.delimiter; }

  std::size_t line_end_here() const {
    if (ended()) return 0;
    if (here() == '\n') return 1;
    if (text_.substr(at_, 2) == "\r\n") return 2;
    if (here() == '\r' && (dialect_.lone_cr || at_ + 1 == text_.size())) return 1;
    return 0;
  }

  bool take_line_end() {
    const std::size_t length = line_end_here();
    at_ += length;
    line_ += length > 0 ? 1 : 0;
    return length > 0;
  }

  void skip_comment() {
    while (!ended() && line_end_here() == 0) ++at_;
  }

  void fault(std::string_view code) {
    if (record_.fault.empty()) record_.fault = code;
  }

  void read_record() {
    record_ = {};
    record_.offset = at_;
    record_.line = line_;
    read_field();
    while (is_delimiter()) {
      ++at_;
      read_field();
    }
    record_.as_written = text_.substr(record_.offset, at_ - record_.offset);
    take_line_end();
    file_.records.push_back(record_);
  }

  void read_field() {
    if (is_quote()) {
      read_quoted();
    } else {
      record_.fields.push_back({read_plain(true), false});
    }
  }

  std::string read_plain(bool report) {
    std::string value;
    while (!ended() && !is_delimiter() && line_end_here() == 0) {
      if (is_quote() && report) fault("stray_quote");
      value += here();
      ++at_;
    }
    return value;
  }

  void read_quoted() {
    const std::size_t begin = at_;
    ++at_;
    std::string value;
    bool closed = false;
    while (!ended() && !closed) {
      if (dialect_.escape != 0 && here() == dialect_.escape && dialect_.escape != dialect_.quote) {
        ++at_;
        if (!ended()) take_inner(value);
      } else if (is_quote()) {
        ++at_;
        closed = !(dialect_.escape == dialect_.quote && is_quote());
        if (!closed) take_inner(value);
      } else {
        take_inner(value);
      }
    }
    if (!closed) {
      fault("unterminated_quote");
      record_.fields.push_back({value, true});
    } else if (ended() || is_delimiter() || line_end_here() > 0) {
      record_.fields.push_back({value, true});
    } else {
      fault("text_after_quote");
      read_plain(false);
      record_.fields.push_back({std::string(text_.substr(begin, at_ - begin)), false});
    }
  }

  void take_inner(std::string& value) {
    const bool pair = text_.substr(at_, 2) == "\r\n";
    const bool line_end = here() == '\n' || (here() == '\r' && dialect_.lone_cr && !pair);
    if (line_end && !dialect_.rows_are_lines) ++line_;
    value += here();
    ++at_;
  }

  std::string_view text_;
  csv::Dialect dialect_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  NaiveRecord record_;
  NaiveFile file_;
};

}  // namespace

NaiveFile read_naively(std::string_view text, const csv::Dialect& dialect) {
  return NaiveReader(text, dialect).read();
}

csv::Dialect CsvGenerator::dialect() {
  csv::Dialect dialect;
  if (one_in(2)) dialect.delimiter = ",;\t|:^~\x01 \xA7"[below(10)];
  if (one_in(3)) dialect.quote = "\"'`\xFE"[below(4)];
  dialect.escape = dialect.quote;
  if (one_in(4)) dialect.escape = "\\%\0"[below(3)];
  if (one_in(8)) dialect.quote = 0;
  dialect.lone_cr = one_in(5);
  if (one_in(3)) dialect.comment = "#%"[below(2)];
  if (dialect.comment == dialect.escape) dialect.comment = '#';
  dialect.rows_are_lines = one_in(6);
  return dialect;
}

std::string CsvGenerator::text(const csv::Dialect& dialect, std::size_t records) {
  std::string out = one_in(5) ? "\xEF\xBB\xBF" : "";
  const std::size_t columns = 1 + below(one_in(3) ? 30 : 6);
  const std::size_t faults = one_in(3) ? 0 : 4 + below(60);
  for (std::size_t record = 0; record < records; ++record) {
    const bool hostile = faults != 0 && one_in(faults);
    if (dialect.comment != 0 && one_in(6)) append_comment(out, dialect);
    const std::size_t fields = hostile && one_in(2) ? 1 + below(columns + 3) : columns;
    for (std::size_t field = 0; field < fields; ++field) {
      if (field > 0) out += dialect.delimiter;
      append_field(out, dialect, hostile && one_in(3));
    }
    if (record + 1 < records || !one_in(3)) append_line_end(out, dialect);
    while (faults != 0 && one_in(faults)) append_line_end(out, dialect);
  }
  if (one_in(20)) out += dialect.quote;
  if (dialect.comment != 0 && one_in(5)) out.append(1, dialect.comment).append("the end");
  return out;
}

void CsvGenerator::append_comment(std::string& out, const csv::Dialect& dialect) {
  out += dialect.comment;
  for (std::size_t count = below(one_in(10) ? 300 : 12); count > 0; --count)
    out += one_in(5) ? dialect.quote : one_in(4) ? dialect.delimiter : 'c';
  if (one_in(10)) out += '\r';
  append_line_end(out, dialect);
}

void CsvGenerator::append_field(std::string& out, const csv::Dialect& dialect, bool hostile) {
  if (hostile) {
    const std::string bytes = {dialect.delimiter, dialect.quote, dialect.escape, '\r', '\n', '\0', 'x', ' '};
    for (std::size_t count = below(6); count > 0; --count) out += bytes[below(bytes.size())];
    return;
  }
  if (dialect.quote == 0 || !one_in(3)) {
    for (std::size_t count = below(one_in(20) ? 150 : 9); count > 0; --count) out += static_cast<char>('a' + below(26));
    return;
  }
  out += dialect.quote;
  for (std::size_t count = below(one_in(20) ? 150 : 9); count > 0; --count) append_inner(out, dialect);
  out += dialect.quote;
}

void CsvGenerator::append_inner(std::string& out, const csv::Dialect& dialect) {
  switch (below(12)) {
    case 0:
      out += dialect.escape;
      out += dialect.quote;
      break;
    case 1: out += "\r\n"[below(2)]; break;
    case 2: out += dialect.delimiter; break;
    case 3:
      out += '\n';
      if (dialect.comment != 0) out += dialect.comment;
      break;
    default: out += static_cast<char>('a' + below(26));
  }
}

void CsvGenerator::append_line_end(std::string& out, const csv::Dialect& dialect) {
  const std::size_t kind = below(dialect.lone_cr ? 3 : 2);
  out += kind == 0 ? "\n" : kind == 1 ? "\r\n" : "\r";
}

}  // namespace lade::testing
