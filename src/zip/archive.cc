#include "zip/archive.h"

#include <fmt/format.h>

#include <unordered_map>

#include "zip/directory.h"
#include "zip/entry_source.h"

namespace lade::zip {
namespace {

constexpr std::string_view kEntryBeginning = "PK\x03\x04";
constexpr std::string_view kEmptyBeginning = "PK\x05\x06";

// Names that Office takes for the same.
std::string folded(std::string_view name) {
  if (name.starts_with('/') || name.starts_with('\\')) name.remove_prefix(1);
  std::string result(name);
  for (char& character : result) {
    if (character == '\\') character = '/';
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return result;
}

}  // namespace

struct Archive::State {
  const File& file;
  std::string name;
  Limits limits;
  Budget budget;
  std::vector<Place> places;
  std::vector<Entry> entries;
  std::vector<std::uint64_t> delivered;  // by entry, for the budget
  std::unordered_map<std::string, std::size_t> by_name;
};

bool looks_like_zip(std::string_view beginning) {
  return beginning.starts_with(kEntryBeginning) || beginning.starts_with(kEmptyBeginning);
}

Archive::Archive(std::unique_ptr<State> state) : state_(std::move(state)) {}
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;
Archive::~Archive() = default;

Result<Archive> Archive::open(const File& file, std::string name, const Limits& limits) {
  LADE_ASSIGN(auto places, read_directory(file, name, limits));
  auto state =
      std::make_unique<State>(State{file, std::move(name), limits, Budget(limits.max_bytes), std::move(places)});
  state->delivered.resize(state->places.size());
  for (std::size_t index = 0; index < state->places.size(); ++index) {
    const Entry& entry = state->entries.emplace_back(state->places[index].entry);
    if (!state->by_name.emplace(folded(entry.name), index).second) {
      return fail(damaged(state->name, fmt::format("it has two entries named {:?}", entry.name)));
    }
  }
  return Archive(std::move(state));
}

const std::vector<Entry>& Archive::entries() const {
  return state_->entries;
}

std::ptrdiff_t Archive::find(std::string_view name) const {
  const auto found = state_->by_name.find(folded(name));
  return found == state_->by_name.end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
}

Result<std::unique_ptr<ByteSource>> Archive::read(std::size_t entry) const {
  const Place& place = state_->places.at(entry);
  const std::string what = fmt::format("entry {:?} of {}", place.entry.name, state_->name);
  if (place.entry.encrypted) {
    return fail("zip_encrypted", what + " is encrypted", "pack it without a password", ErrorKind::invalid);
  }
  if (place.method != kStored && place.method != kDeflated) {
    return fail("zip_method", fmt::format("{} is packed by method {}", what, place.method),
                "pack it by Deflate, the usual method, or not at all", ErrorKind::invalid);
  }
  if (place.method == kStored && place.entry.packed_bytes != place.entry.bytes) {
    return fail(damaged(state_->name, fmt::format("entry {:?} has two sizes", place.entry.name)));
  }
  // The source delivers no more than is declared, so that this can be told before.
  if (place.entry.bytes > state_->limits.free_bytes &&
      place.entry.bytes / state_->limits.max_ratio > place.entry.packed_bytes) {
    return fail("zip_bomb",
                fmt::format("{} would grow from {} to {} bytes; at most {} times its size is accepted", what,
                            place.entry.packed_bytes, place.entry.bytes, state_->limits.max_ratio),
                "give the file unpacked if it is what it should be", ErrorKind::invalid);
  }
  return std::make_unique<EntrySource>(state_->file, state_->name, place, state_->budget, state_->delivered[entry]);
}

}  // namespace lade::zip
