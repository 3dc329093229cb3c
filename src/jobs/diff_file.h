#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/whole_file.h"
#include "load/diff.h"

namespace lade::jobs {

// The diff of a dry run: all records in a file, the first ones in memory, in the order of buckets whichever of them
// comes first. Not thread-safe.
class DiffFile {
 public:
  // An empty path: no file. `most`: how many records are kept in memory.
  DiffFile(std::filesystem::path path, std::int64_t most) : path_(std::move(path)), most_(most) {}
  bool is_wanted() const { return most_ > 0 || !path_.empty(); }
  Result<void> create();

  // Puts the blocks of one bucket into `blocks`; any number of threads may have one.
  load::DiffWriter writer(std::vector<load::DiffBlock>& blocks) const;
  // The blocks of a bucket, each bucket once.
  Result<void> add(std::size_t bucket, std::vector<load::DiffBlock> blocks);
  // The file is there from now on, whole.
  Result<void> finish();
  const std::vector<std::string>& first() const { return first_; }

 private:
  Result<void> write(const load::DiffBlock& block);

  const std::filesystem::path path_;
  const std::int64_t most_;
  std::unique_ptr<WholeFile> file_;
  std::vector<std::string> first_;
  std::map<std::size_t, std::vector<load::DiffBlock>> waiting_;  // for buckets before them
  std::size_t next_ = 0;
};

}  // namespace lade::jobs
