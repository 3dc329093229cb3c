#include "csv/record_parser.h"

namespace lade::csv {
namespace {

std::size_t index_of(char byte) {
  return static_cast<unsigned char>(byte);
}

}  // namespace

RecordParser::RecordParser(const Dialect& dialect)
    : dialect_(dialect), doubled_quotes_(dialect.quote != 0 && dialect.escape == dialect.quote) {
  for (const char byte : {dialect.delimiter, '\n', '\r'}) special_in_plain_[index_of(byte)] = true;
  for (const char byte : {'\n', '\r'}) special_in_quotes_[index_of(byte)] = true;
  if (dialect.quote == 0) return;
  special_in_plain_[index_of(dialect.quote)] = true;
  special_in_quotes_[index_of(dialect.quote)] = true;
  if (dialect.escape != 0) special_in_quotes_[index_of(dialect.escape)] = true;
}

RecordParser::Outcome RecordParser::parse(std::string_view data, std::size_t at, bool last, bool in_comment,
                                          ParsedRecord& record) {
  data_ = data;
  last_ = last;
  record_ = &record;
  record.fields.clear();
  record.blank_lines = 0;
  record.in_comment = in_comment;
  record.line_ends = 0;
  record.open_quote = false;
  record.fault = {};
  const bool decided = skip_lines_between(at);
  record.begin = at;
  record.next = at;
  if (!decided) return Outcome::incomplete;
  if (at == data.size()) return Outcome::none;
  Step step = Step::delimiter;
  while (step == Step::delimiter) step = parse_field(at);
  return finish(step, at);
}

RecordParser::Outcome RecordParser::finish(Step step, std::size_t at) {
  if (step == Step::incomplete) return Outcome::incomplete;
  record_->end = at;
  record_->next = at;
  if (step == Step::line_end) {
    record_->next += line_end_length(at);
    ++record_->line_ends;
  }
  return Outcome::record;
}

std::size_t RecordParser::line_end_length(std::size_t at) const {
  if (data_[at] == '\n') return 1;
  if (data_[at] != '\r') return 0;
  if (at + 1 < data_.size()) return data_[at + 1] == '\n' ? 2 : dialect_.lone_cr ? 1 : 0;
  return last_ ? 1 : kUnknown;
}

bool RecordParser::skip_lines_between(std::size_t& at) {
  while (at < data_.size()) {
    if (dialect_.comment != 0 && data_[at] == dialect_.comment) record_->in_comment = true;
    if (record_->in_comment && !skip_comment(at)) return false;
    if (at == data_.size()) return true;
    const std::size_t length = line_end_length(at);
    if (length == kUnknown) return false;
    if (length == 0) return true;
    at += length;
    record_->in_comment = false;
    ++record_->blank_lines;
  }
  return true;
}

// Leaves `at` on the line end, or at the end of the data.
bool RecordParser::skip_comment(std::size_t& at) {
  for (; at < data_.size(); ++at) {
    const std::size_t length = line_end_length(at);
    if (length == kUnknown) return false;
    if (length != 0) return true;
  }
  return true;
}

// Leaves `at` behind the delimiter, or on the line end.
RecordParser::Step RecordParser::parse_field(std::size_t& at) {
  if (dialect_.quote != 0 && at < data_.size() && data_[at] == dialect_.quote) return parse_quoted(at);
  const std::size_t begin = at;
  const Step step = skip_plain(at);
  if (step == Step::incomplete) return step;
  add_field(begin, at, false, false);
  if (step == Step::delimiter) ++at;
  return step;
}

RecordParser::Step RecordParser::parse_quoted(std::size_t& at) {
  const std::size_t begin = at++;
  const std::size_t line = record_->line_ends;
  bool escaped = false;
  if (!skip_quoted(at, escaped)) {
    record_->open_quote = true;
    record_->open_quote_line = line;
    if (!last_) return Step::incomplete;
    set_fault("unterminated_quote");
    add_field(begin + 1, at, true, escaped);
    return Step::end_of_data;
  }
  const std::size_t closing = at++;
  const std::size_t after = at;
  const std::string_view fault_before = record_->fault;
  const Step step = skip_plain(at);
  if (step == Step::incomplete) return step;
  if (at == after) {
    add_field(begin + 1, closing, true, escaped);
  } else {
    // A quote in that text would count as stray, but the text itself comes first.
    record_->fault = fault_before.empty() ? "text_after_quote" : fault_before;
    add_field(begin, at, false, false);
  }
  if (step == Step::delimiter) ++at;
  return step;
}

bool RecordParser::skip_quoted(std::size_t& at, bool& escaped) {
  for (; at < data_.size(); ++at) {
    const char byte = data_[at];
    if (!special_in_quotes_[index_of(byte)]) continue;
    const bool has_next = at + 1 < data_.size();
    if (byte == dialect_.quote) {
      if (!doubled_quotes_) return true;
      if (!has_next) return last_;
      if (data_[at + 1] != dialect_.quote) return true;
      escaped = true;
      ++at;
    } else if (byte == '\n') {
      record_->line_ends += dialect_.rows_are_lines ? 0 : 1;
    } else if (byte == '\r') {
      const bool counts = dialect_.lone_cr && !dialect_.rows_are_lines;
      if (counts && !(has_next && data_[at + 1] == '\n')) ++record_->line_ends;
    } else if (has_next) {
      escaped = true;
      // An escaped line end is still one: the next turn counts it.
      const char next = data_[at + 1];
      if (next != '\n' && next != '\r') ++at;
    }
  }
  return false;
}

RecordParser::Step RecordParser::skip_plain(std::size_t& at) {
  for (; at < data_.size(); ++at) {
    const char byte = data_[at];
    if (!special_in_plain_[index_of(byte)]) continue;
    if (byte == dialect_.delimiter) return Step::delimiter;
    if (byte == dialect_.quote && dialect_.quote != 0) {
      set_fault("stray_quote");
      continue;
    }
    const std::size_t length = line_end_length(at);
    if (length == kUnknown) return Step::incomplete;
    if (length != 0) return Step::line_end;
  }
  return last_ ? Step::end_of_data : Step::incomplete;
}

void RecordParser::add_field(std::size_t begin, std::size_t end, bool quoted, bool escaped) {
  const std::size_t packed = (end - begin) << 2 | (escaped ? 2U : 0U) | (quoted ? 1U : 0U);
  record_->fields.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(packed)});
}

void RecordParser::set_fault(std::string_view code) {
  if (record_->fault.empty()) record_->fault = code;
}

}  // namespace lade::csv
