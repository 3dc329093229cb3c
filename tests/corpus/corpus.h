#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace lade {

// The files that other projects test their readers with. They are not part of the repository: the tests run where the
// folder is ($LADE_CORPORA, or shared/corpora beside the source) and say so where it is not.
class Corpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("LADE_CORPORA");
    const char* source = std::getenv("LADE_SOURCE_DIR");
    source_folder_ = source != nullptr ? source : ".";
    folder_ = given != nullptr ? std::filesystem::path(given) : source_folder_ / "../shared/corpora";
    if (!std::filesystem::is_directory(folder_)) {
      GTEST_SKIP() << "no corpora at " << folder_ << " (set LADE_CORPORA): nothing was checked";
    }
  }

  // Regular files below a folder of the corpora, sorted.
  std::vector<std::filesystem::path> files(const std::filesystem::path& below = {}) const {
    std::vector<std::filesystem::path> result;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / below))
      if (entry.is_regular_file()) result.push_back(entry.path());
    std::ranges::sort(result);
    return result;
  }

  std::filesystem::path folder_;
  std::filesystem::path source_folder_;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Compares with the table that tests/corpus/`name` holds, line by line. With LADE_UPDATE_OUTCOMES set it writes it.
inline void expect_outcomes(const std::filesystem::path& source_folder, const std::string& name,
                            const std::vector<std::string>& lines) {
  const std::filesystem::path path = source_folder / "tests/corpus" / name;
  if (std::getenv("LADE_UPDATE_OUTCOMES") != nullptr) {
    std::ofstream file(path, std::ios::binary);
    for (const std::string& line : lines) file << line << '\n';
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> expected;
  for (std::string line; std::getline(file, line);) expected.push_back(line);
  EXPECT_EQ(lines.size(), expected.size())
      << "files have come or gone: set LADE_UPDATE_OUTCOMES=1 and look at the diff";
  for (std::size_t at = 0; at < std::min(lines.size(), expected.size()); ++at) EXPECT_EQ(lines[at], expected[at]);
}

}  // namespace lade
