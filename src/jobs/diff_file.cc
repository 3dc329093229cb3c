#include "jobs/diff_file.h"

namespace lade::jobs {

Result<void> DiffFile::create() {
  if (path_.empty()) return {};
  LADE_ASSIGN(file_, WholeFile::create(path_));
  return {};
}

load::DiffWriter DiffFile::writer(std::vector<load::DiffBlock>& blocks) const {
  const auto keep = [&blocks](load::DiffBlock&& block) -> Result<void> {
    blocks.push_back(std::move(block));
    return {};
  };
  return load::DiffWriter(keep, path_.empty() ? most_ : 0);
}

Result<void> DiffFile::add(std::size_t bucket, std::vector<load::DiffBlock> blocks) {
  waiting_.emplace(bucket, std::move(blocks));
  for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
    for (const load::DiffBlock& block : waiting_.begin()->second) LADE_TRY(write(block));
    waiting_.erase(waiting_.begin());
  }
  return {};
}

Result<void> DiffFile::write(const load::DiffBlock& block) {
  LADE_ASSIGN(const std::string lines, load::unpack_diff(block.packed));
  for (std::size_t at = 0; at < lines.size() && static_cast<std::int64_t>(first_.size()) < most_;) {
    const std::size_t end = lines.find('\n', at);
    first_.push_back(lines.substr(at, end - at));
    at = end + 1;
  }
  return file_ ? file_->write(lines) : Result<void>();
}

Result<void> DiffFile::finish() {
  return file_ ? file_->finish() : Result<void>();
}

}  // namespace lade::jobs
