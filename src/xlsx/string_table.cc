#include "xlsx/string_table.h"

#include <fmt/format.h>

namespace lade::xlsx {

Result<void> StringTable::append(std::string_view text) {
  building_ += text;
  ends_.push_back(static_cast<std::uint32_t>(building_.size()));
  ++size_;
  return ends_.size() == kBlockStrings ? seal() : Result<void>();
}

// Ends the block that is being built.
Result<void> StringTable::seal() {
  if (ends_.empty()) return {};
  ends_.resize(kBlockStrings, ends_.back());
  const std::size_t head = kBlockStrings * sizeof(std::uint32_t);
  const std::size_t bytes = head + building_.size();
  auto block = std::make_unique_for_overwrite<char[]>(bytes);
  std::memcpy(block.get(), ends_.data(), head);
  std::memcpy(block.get() + head, building_.data(), building_.size());
  building_.clear();
  ends_.clear();
  if (spilled()) return write({block.get(), bytes});
  places_.push_back({resident_bytes_, static_cast<std::uint32_t>(bytes)});
  resident_bytes_ += bytes;
  blocks_.push_back(std::move(block));
  return resident_bytes_ > memory_bytes_ ? spill() : Result<void>();
}

Result<void> StringTable::spill() {
  LADE_ASSIGN(file_, File::temporary(spill_folder_));
  std::vector<Place> places;
  places.swap(places_);
  for (std::size_t index = 0; index < blocks_.size(); ++index) {
    LADE_TRY(write({blocks_[index].get(), places[index].bytes}));
    blocks_[index].reset();
  }
  blocks_.clear();
  blocks_.shrink_to_fit();
  return {};
}

Result<void> StringTable::write(std::string_view block) {
  LADE_TRY(file_.write_at(file_bytes_, block));
  places_.push_back({file_bytes_, static_cast<std::uint32_t>(block.size())});
  file_bytes_ += block.size();
  return {};
}

// A slot for a block of so many bytes: a new one while they fit, otherwise that of a block not used for a round.
std::size_t StringTable::free_slot(std::size_t bytes) {
  const std::size_t budget = memory_bytes_ / 4;
  if (slots_.empty() || cached_bytes_ + bytes <= budget) {
    slots_.emplace_back();
    return slots_.size() - 1;
  }
  for (;; hand_ = (hand_ + 1) % slots_.size()) {
    Slot& slot = slots_[hand_];
    if (slot.used) {
      slot.used = false;
      continue;
    }
    if (slot.bytes != nullptr) {
      cached_bytes_ -= places_[slot.block].bytes;
      places_[slot.block].slot = kNoSlot;
      slot.bytes.reset();
    }
    if (cached_bytes_ + bytes > budget && cached_bytes_ > 0) continue;
    const std::size_t found = hand_;
    hand_ = (hand_ + 1) % slots_.size();
    return found;
  }
}

Result<const char*> StringTable::cached(std::size_t block) {
  Place& place = places_[block];
  if (place.slot == kNoSlot) {
    const std::size_t index = free_slot(place.bytes);
    Slot& slot = slots_[index];
    slot.bytes = std::make_unique_for_overwrite<char[]>(place.bytes);
    LADE_ASSIGN(const std::size_t got, file_.read_at(place.offset, {slot.bytes.get(), place.bytes}));
    if (got != place.bytes) {
      slot.bytes.reset();
      return fail("file_error", fmt::format("the file of shared strings ends at byte {}", place.offset + got));
    }
    slot.block = block;
    cached_bytes_ += place.bytes;
    place.slot = static_cast<std::uint32_t>(index);
  }
  Slot& slot = slots_[place.slot];
  slot.used = true;
  return slot.bytes.get();
}

}  // namespace lade::xlsx
