#include "staging/issue_log.h"

#include <cstring>

#include "base/one_line.h"

namespace lade::staging {
namespace {

constexpr std::size_t kSpillBytes = 8 * 1024 * 1024;
constexpr std::size_t kReadBufferBytes = 8 * 1024 * 1024;

template <class Number>
void put(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
Number take(std::string_view& in) {
  Number number;
  std::memcpy(&number, in.data(), sizeof number);
  in.remove_prefix(sizeof number);
  return number;
}

void put_text(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out.append(text);
}

std::string take_text(std::string_view& in) {
  const auto size = take<std::uint32_t>(in);
  std::string text(in.substr(0, size));
  in.remove_prefix(size);
  return text;
}

}  // namespace

void IssueLog::add_range(const Range& range) {
  const std::lock_guard lock(mutex_);
  ranges_.push_back(range);
}

Result<void> IssueWriter::add(const Finding& finding) {
  const std::uint32_t key = __builtin_bswap32(finding.place.row_id);
  std::string& out = builder_.begin_record({reinterpret_cast<const char*>(&key), sizeof key}, finding.place.row_id);
  put(out, finding.place.line);
  put(out, finding.place.offset);
  put(out, finding.verdict);
  put(out, finding.issue.severity);
  for (const std::string* text : {&finding.issue.code, &finding.issue.column, &finding.issue.value})
    put_text(out, *text);
  // Databases and handlers say what they like.
  for (const std::string* text : {&finding.issue.message, &finding.issue.hint}) put_text(out, one_line(*text));
  if (!finding.issue.question.empty()) put_text(out, finding.issue.question);
  builder_.end_record();
  // Rows that were only not reached have nothing wrong with them.
  if (finding.verdict != model::Outcome::unprocessed) ++counts_[{finding.issue.code, finding.issue.column}];
  return builder_.bytes() < kSpillBytes ? Result<void>() : spill();
}

Result<void> IssueWriter::spill() {
  if (builder_.empty()) return {};
  LADE_ASSIGN(const std::vector<Range> ranges, builder_.finish(log_.area(), {}));
  ranges_.push_back(ranges.front());
  return {};
}

Result<void> IssueWriter::publish(IssueCounts& counts) {
  LADE_TRY(spill());
  for (const auto& [what, count] : counts_) counts[what] += count;
  for (const Range& range : ranges_) log_.add_range(range);
  discard();
  return {};
}

void IssueWriter::discard() {
  builder_ = {};
  ranges_.clear();
  counts_.clear();
}

Result<void> take_records(const IssueLog& log, const std::function<Result<void>(std::string_view record)>& take) {
  Merge merge(log.area().file(), log.ranges(), kReadBufferBytes);
  Record record;
  std::string bytes;
  for (;;) {
    LADE_ASSIGN(const bool more, merge.next(record));
    if (!more) return {};
    bytes.clear();
    append_record(bytes, record);
    LADE_TRY(take(bytes));
  }
}

Result<std::string> pack(const IssueLog& log) {
  std::string packed;
  LADE_TRY(take_records(log, [&](std::string_view record) -> Result<void> {
    packed.append(record);
    return {};
  }));
  return packed;
}

Result<void> unpack(std::string_view packed, IssueLog& log) {
  if (packed.empty()) return {};
  Area::Writer writer = log.area().reserve(packed.size());
  LADE_TRY(writer.append(packed));
  LADE_ASSIGN(const Range range, writer.finish());
  log.add_range(range);
  return {};
}

IssueReader::IssueReader(const IssueLog& log) : merge_(log.area().file(), log.ranges(), kReadBufferBytes) {}

Result<bool> IssueReader::next(Finding& finding) {
  Record record;
  LADE_ASSIGN(const bool more, merge_.next(record));
  if (!more) return false;
  std::string_view in = record.payload;
  finding.place.row_id = record.row_id;
  finding.place.line = take<std::uint32_t>(in);
  finding.place.offset = take<std::uint64_t>(in);
  finding.verdict = take<model::Outcome>(in);
  finding.issue.severity = take<model::Severity>(in);
  for (std::string* text :
       {&finding.issue.code, &finding.issue.column, &finding.issue.value, &finding.issue.message, &finding.issue.hint})
    *text = take_text(in);
  finding.issue.question = in.empty() ? std::string() : take_text(in);
  return true;
}

}  // namespace lade::staging
