#pragma once

#include <filesystem>

#include "storage/storage.h"

namespace lade::storage {

// A storage in a local folder, which may be shared by several processes and machines.
class Folder final : public Storage {
 public:
  // Makes the folder and its storage id when they do not exist; several processes may do so at once.
  static Result<Folder> open(const std::filesystem::path& path);

  const std::string& id() const override { return id_; }
  Result<void> check() const override;
  Result<Upload> begin(const UploadOptions& options = {}) const override;
  Result<File> read(const std::string& id, std::optional<std::uint64_t> bytes) const override;
  Result<void> remove(const std::string& id) const override;
  Result<std::int64_t> remove_orphans(
      std::chrono::seconds age, const std::function<Result<bool>(const std::string& id)>& is_wanted) const override;
  Result<StoredFile> measure(const std::string& id) const override;

 private:
  Folder(std::filesystem::path path, std::string id) : path_(std::move(path)), id_(std::move(id)) {}
  struct Tidying {
    std::filesystem::file_time_type youngest;
    const std::function<Result<bool>(const std::string& id)>& is_wanted;
  };
  Result<std::int64_t> tidy(const std::filesystem::path& folder, const Tidying& tidying) const;

  std::filesystem::path path_;
  std::string id_;
};

}  // namespace lade::storage
