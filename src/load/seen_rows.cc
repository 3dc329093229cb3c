#include "load/seen_rows.h"

#include <algorithm>

#include "base/short_numbers.h"
#include "db/wire.h"

// Version, then by row: how far it is behind the row before, its fingerprint.
namespace lade::load {
namespace {

constexpr char kVersion = 1;

tl::unexpected<Error> damaged(std::string what) {
  return fail("seen_damaged", "what was stored when the job was reviewed cannot be read: " + std::move(what),
              "reject the job and import the file again");
}

}  // namespace

std::string SeenRows::pack() {
  std::ranges::sort(rows_);
  std::string packed(1, kVersion);
  packed.reserve(rows_.size() * 10);
  std::uint32_t last = 0;
  for (const auto& [row, fingerprint] : rows_) {
    put_number(packed, row - std::exchange(last, row));
    db::append_big_endian(packed, fingerprint);
  }
  return packed;
}

Result<SeenRows> SeenRows::unpack(std::string_view packed) {
  if (packed.empty() || packed.front() != kVersion) return damaged("unknown version");
  packed.remove_prefix(1);
  SeenRows seen;
  seen.rows_.reserve(packed.size() / 9);
  for (std::uint64_t row = 0; !packed.empty();) {
    const auto gap = take_number(packed);
    if (!gap || packed.size() < sizeof(std::uint64_t)) return damaged("a row is cut off");
    row += *gap;
    seen.add(static_cast<std::uint32_t>(row), db::read_big_endian<std::uint64_t>(packed.data()));
    packed.remove_prefix(sizeof(std::uint64_t));
  }
  return seen;
}

std::optional<std::uint64_t> SeenRows::find(std::uint32_t row) const {
  const auto found = std::ranges::lower_bound(rows_, row, {}, &std::pair<std::uint32_t, std::uint64_t>::first);
  if (found == rows_.end() || found->first != row) return std::nullopt;
  return found->second;
}

}  // namespace lade::load
