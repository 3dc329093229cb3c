#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/file.h"

namespace lade {

// A file that has its name only when it is whole: written under another one, which is gone if it is not finished.
class WholeFile final : public ByteSink {
 public:
  static Result<std::unique_ptr<WholeFile>> create(std::filesystem::path path);
  ~WholeFile() override;
  Result<void> write(std::string_view bytes) override { return sink_.write(bytes); }
  // Makes it durable and gives it its name, in place of a file that has it.
  Result<void> finish();

 private:
  WholeFile(std::filesystem::path path, File file) : path_(std::move(path)), sink_(std::move(file)) {}
  static std::filesystem::path unfinished(const std::filesystem::path& path) { return path.string() + ".part"; }

  const std::filesystem::path path_;
  FileSink sink_;
  bool finished_ = false;
};

}  // namespace lade
