#include "csv/scan.h"

#include <bit>

// Byte compress (VBMI2) is in this target only.
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "csv/scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lade::csv::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

bool target_can_scan() {
  return false;
}
ScanResult scan_none(const char*, std::size_t, std::size_t, const Dialect&, std::size_t, RecordIndex&) {
  return {};
}
ScanResult scan_sparse(const char*, std::size_t, std::size_t, const Dialect&, std::size_t, RecordIndex&) {
  return {};
}
ScanResult scan_dense(const char*, std::size_t, std::size_t, const Dialect&, std::size_t, RecordIndex&) {
  return {};
}
void target_write_views(const std::uint32_t*, std::size_t, std::uint32_t*, std::uint32_t*) {}

#else

namespace hn = hwy::HWY_NAMESPACE;
using Mask = std::uint64_t;

constexpr std::size_t kStep = kScanStep;
constexpr Mask kAllOnes = ~Mask{0};

using Bytes = hn::CappedTag<std::uint8_t, kStep>;

// Bit i of the result says whether byte i of the 64 equals `byte`.
HWY_INLINE Mask mask_of(const std::uint8_t* bytes, hn::VFromD<Bytes> byte) {
  const Bytes tag;
  const std::size_t lanes = hn::Lanes(tag);
  Mask result = 0;
#pragma GCC unroll 4
  for (std::size_t at = 0; at < kStep; at += lanes) {
    Mask bits = 0;
    hn::StoreMaskBits(tag, hn::Eq(hn::LoadU(tag, bytes + at), byte), reinterpret_cast<std::uint8_t*>(&bits));
    result |= bits << at;
  }
  return result;
}

// Bit i is the parity of bits 0 to i.
HWY_INLINE Mask prefix_parity(Mask bits) {
  const hn::FixedTag<std::uint64_t, 2> tag;
  return hn::GetLane(hn::CLMulLower(hn::Set(tag, bits), hn::Set(tag, kAllOnes)));
}

// For each separator: whether one of `bits` stands between the separator before it and itself. The sum carries from
// such a bit through the bytes of the field up to the separator; `carry` takes it into the next step.
HWY_INLINE Mask fields_with(Mask bits, Mask separators, Mask& carry) {
  const Mask sum = ~separators + bits;
  const Mask total = sum + carry;
  carry = static_cast<Mask>(sum < bits) | static_cast<Mask>(total < sum);
  return total & separators;
}

// What the next step must know of those before it.
struct QuoteState {
  Mask inside = 0;   // all ones inside quotes
  Mask closed = 0;   // 1: the last byte closed a quote
  Mask quoted = 0;   // 1: the field that the next step begins in has a quote so far
  Mask doubled = 0;  // 1: it has a doubled quote

  // Nothing but the masks of the step decides about a step without quotes.
  bool open() const { return (inside | quoted) != 0; }
};

struct StepMasks {
  Mask separators;
  Mask line_ends;        // those outside of quotes
  Mask inner_line_ends;  // those inside
  Mask quoted;           // of the separators
  Mask doubled;
  Mask bad;  // what RFC 4180 does not allow: a quote that opens inside a field, a byte behind a closing quote
};

HWY_INLINE StepMasks resolve_quotes(const std::uint8_t* bytes, Mask delimiters, Mask line_ends, Mask quotes,
                                    Mask separator_before, QuoteState& state) {
  const Mask inside = prefix_parity(quotes) ^ state.inside;
  const Mask separators = (delimiters | line_ends) & ~inside;
  const Mask opening = quotes & inside;
  const Mask closing = quotes & ~inside;
  const Mask after_closing = closing << 1 | state.closed;
  const Mask after_separator = separators << 1 | separator_before;
  const Mask carriage_returns = mask_of(bytes, hn::Set(Bytes(), '\r'));
  const Mask line_end_pairs = carriage_returns & (line_ends >> 1 | static_cast<Mask>(bytes[kStep] == '\n') << 63);
  StepMasks step;
  step.bad = (opening & ~(after_separator | after_closing)) | (after_closing & ~(separators | quotes | line_end_pairs));
  step.separators = separators;
  step.line_ends = line_ends & ~inside;
  step.inner_line_ends = line_ends & inside;
  step.quoted = fields_with(quotes, separators, state.quoted);
  const Mask doubled = opening & after_closing;
  step.doubled = (doubled | state.doubled) == 0 ? 0 : fields_with(doubled, separators, state.doubled);
  state.inside = static_cast<Mask>(static_cast<std::int64_t>(inside) >> 63);
  state.closed = closing >> 63;
  return step;
}

// Out of line, so that its needs do not push the loop's values out of the registers.
HWY_NOINLINE StepMasks resolve_rare_quotes(const std::uint8_t* bytes, Mask delimiters, Mask line_ends, Mask quotes,
                                           Mask separator_before, QuoteState& state) {
  return resolve_quotes(bytes, delimiters, line_ends, quotes, separator_before, state);
}

#if HWY_TARGET == HWY_AVX3_DL

// Appends the separators of a step that stands at `at`; writes up to 64 entries.
template <bool kFlags>
HWY_INLINE void append_ends(std::uint32_t* out, std::size_t count, std::size_t at, const StepMasks& step) {
  const Bytes tag;
  const hn::Half<Bytes> half;
  const hn::Half<hn::Half<Bytes> > quarter;
  const hn::FixedTag<std::uint32_t, 16> wide;
  const auto mask = [&](const Mask& bits) {
    return hn::LoadMaskBits(tag, reinterpret_cast<const std::uint8_t*>(&bits));
  };
  auto entries = hn::ShiftLeft<2>(hn::Iota(tag, 0));
  if constexpr (kFlags) {
    entries = hn::IfThenElse(mask(step.quoted), hn::Or(entries, hn::Set(tag, 1)), entries);
    entries = hn::Or(entries, hn::IfThenElseZero(mask(step.doubled), hn::Set(tag, 2)));
  }
  entries = hn::Compress(entries, mask(step.separators));
  const auto base = hn::Set(wide, static_cast<std::uint32_t>(at << 2));
  const auto store = [&](auto part, std::size_t from)
                         HWY_ATTR { hn::StoreU(hn::Add(hn::PromoteTo(wide, part), base), wide, out + from); };
  const auto lower = hn::LowerHalf(half, entries);
  store(hn::LowerHalf(quarter, lower), 0);
  if (count <= 16) return;
  store(hn::UpperHalf(quarter, lower), 16);
  if (count <= 32) return;
  const auto upper = hn::UpperHalf(half, entries);
  store(hn::LowerHalf(quarter, upper), 32);
  store(hn::UpperHalf(quarter, upper), 48);
}

#else

template <bool kFlags>
HWY_INLINE void append_ends(std::uint32_t* out, std::size_t count, std::size_t at, const StepMasks& step) {
  Mask rest = step.separators;
  const auto append = [&](std::size_t to) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(rest)) & 63;
    std::size_t entry = (at + bit) << 2;
    if constexpr (kFlags) entry |= (step.quoted >> bit & 1) | (step.doubled >> bit & 1) << 1;
    out[to] = static_cast<std::uint32_t>(entry);
    rest &= rest - 1;
  };
  // Most steps have fewer than 12, so that this loop's end is easy to predict.
#pragma GCC unroll 12
  for (std::size_t to = 0; to < 12; ++to) append(to);
  for (std::size_t to = 12; to < count; ++to) append(to);
}

#endif

class Scanner {
 public:
  Scanner(const char* base, RecordIndex& index)
      : base_(reinterpret_cast<const std::uint8_t*>(base)),
        index_(index),
        ends_(index.ends.data() + 1),
        records_(index.records.data()) {}

  template <QuoteDensity kDensity>
  HWY_INLINE ScanResult run(std::size_t begin, std::size_t end, const Dialect& dialect, std::size_t most_records) {
    const Bytes tag;
    const auto delimiter = hn::Set(tag, static_cast<std::uint8_t>(dialect.delimiter));
    const auto line_feed = hn::Set(tag, std::uint8_t{'\n'});
    const auto quote = hn::Set(tag, static_cast<std::uint8_t>(dialect.quote));
    ends_[-1] = static_cast<std::uint32_t>((begin - 1) << 2);
    ScanResult result;
    QuoteState state;
    bool open = false;
    std::size_t at = begin;
    for (; at < end && record_count_ < most_records; at += kStep) {
      const std::uint8_t* bytes = base_ + at;
      const Mask delimiters = mask_of(bytes, delimiter);
      const Mask line_ends = mask_of(bytes, line_feed);
      const Mask quotes = kDensity == QuoteDensity::none ? 0 : mask_of(bytes, quote);
      if (kDensity == QuoteDensity::none || (kDensity == QuoteDensity::sparse && quotes == 0 && !open)) {
        append<false>(at, {delimiters | line_ends, line_ends, 0, 0, 0, 0});
        continue;
      }
      result.quote_steps += quotes != 0;
      const auto before = static_cast<char>(bytes[-1]);
      const Mask separator_before = at == begin || before == dialect.delimiter || before == '\n';
      const StepMasks step = kDensity == QuoteDensity::sparse
                                 ? resolve_rare_quotes(bytes, delimiters, line_ends, quotes, separator_before, state)
                                 : resolve_quotes(bytes, delimiters, line_ends, quotes, separator_before, state);
      open = state.open();
      result.irregular = step.bad != 0;
      if (result.irregular) break;
      if (step.inner_line_ends != 0) append_inner(step);
      append<true>(at, step);
    }
    result.steps = (at - begin) / kStep;
    index_.record_count = record_count_;
    index_.inner_line_end_count = inner_count_;
    return result;
  }

 private:
  template <bool kFlags>
  HWY_INLINE void append(std::size_t at, const StepMasks& step) {
    const auto count = static_cast<std::size_t>(std::popcount(step.separators));
    append_ends<kFlags>(ends_ + end_count_, count, at, step);
    // The first record end is written whether there is one or not: most steps have none or one, and the processor
    // cannot guess which.
    Mask rest = step.line_ends;
    const auto ends_up_to = [&](Mask lowest) {
      return static_cast<std::uint32_t>(end_count_ + static_cast<std::size_t>(std::popcount(step.separators & lowest)));
    };
    records_[record_count_] = ends_up_to(rest ^ (rest - 1));
    const auto records = static_cast<std::size_t>(std::popcount(rest));
    for (std::size_t more = 1; more < records; ++more) {
      rest &= rest - 1;
      records_[record_count_ + more] = ends_up_to(rest ^ (rest - 1));
    }
    record_count_ += records;
    end_count_ += count;
  }

  HWY_INLINE void append_inner(const StepMasks& step) {
    for (Mask rest = step.inner_line_ends; rest != 0; rest &= rest - 1) {
      const Mask before = (rest & -rest) - 1;
      const auto record = record_count_ + static_cast<std::size_t>(std::popcount(step.line_ends & before));
      index_.inner_line_ends[inner_count_++] = static_cast<std::uint32_t>(record);
    }
  }

  const std::uint8_t* base_;
  RecordIndex& index_;
  std::uint32_t* ends_;
  std::uint32_t* records_;
  std::size_t end_count_ = 0;
  std::size_t record_count_ = 0;
  std::size_t inner_count_ = 0;
};

bool target_can_scan() {
  return true;
}

ScanResult scan_none(const char* base, std::size_t begin, std::size_t end, const Dialect& dialect,
                     std::size_t most_records, RecordIndex& index) {
  return Scanner(base, index).run<QuoteDensity::none>(begin, end, dialect, most_records);
}

ScanResult scan_sparse(const char* base, std::size_t begin, std::size_t end, const Dialect& dialect,
                       std::size_t most_records, RecordIndex& index) {
  return Scanner(base, index).run<QuoteDensity::sparse>(begin, end, dialect, most_records);
}

ScanResult scan_dense(const char* base, std::size_t begin, std::size_t end, const Dialect& dialect,
                      std::size_t most_records, RecordIndex& index) {
  return Scanner(base, index).run<QuoteDensity::dense>(begin, end, dialect, most_records);
}

// ends[-1] is the end before the first.
void target_write_views(const std::uint32_t* ends, std::size_t count, std::uint32_t* offsets, std::uint32_t* lengths) {
  const hn::CappedTag<std::uint32_t, 16> tag;
  const auto one = hn::Set(tag, 1U);
  for (std::size_t at = 0; at < count; at += hn::Lanes(tag)) {
    const auto before = hn::LoadU(tag, ends + at - 1);
    const auto here = hn::LoadU(tag, ends + at);
    const auto quoted = hn::And(here, one);
    const auto offset = hn::Add(hn::Add(hn::ShiftRight<2>(before), one), quoted);
    hn::StoreU(offset, tag, offsets + at);
    // The flags of `here` stay in place: only whole positions are taken away.
    hn::StoreU(hn::Sub(here, hn::ShiftLeft<2>(hn::Add(offset, quoted))), tag, lengths + at);
  }
}

#endif

}  // namespace lade::csv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lade::csv {

HWY_EXPORT(target_can_scan);
HWY_EXPORT(scan_none);
HWY_EXPORT(scan_sparse);
HWY_EXPORT(scan_dense);
HWY_EXPORT(target_write_views);

bool can_scan() {
  return HWY_DYNAMIC_DISPATCH(target_can_scan)();
}

ScanResult scan(const char* base, std::size_t begin, std::size_t end, const Dialect& dialect, QuoteDensity density,
                std::size_t most_records, RecordIndex& index) {
  switch (density) {
    case QuoteDensity::none: return HWY_DYNAMIC_DISPATCH(scan_none)(base, begin, end, dialect, most_records, index);
    case QuoteDensity::sparse: return HWY_DYNAMIC_DISPATCH(scan_sparse)(base, begin, end, dialect, most_records, index);
    case QuoteDensity::dense: break;
  }
  return HWY_DYNAMIC_DISPATCH(scan_dense)(base, begin, end, dialect, most_records, index);
}

void write_views(const std::vector<std::uint32_t>& ends, std::size_t first, std::size_t count, std::uint32_t* offsets,
                 std::uint32_t* lengths) {
  HWY_DYNAMIC_DISPATCH(target_write_views)(ends.data() + first + 1, count, offsets, lengths);
}

}  // namespace lade::csv
#endif
