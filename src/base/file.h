#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace lade {

// The error of a failed call to the operating system: `number` is its errno, `action` completes "cannot …".
Error system_error(int number, std::string_view action, std::string_view name);

// The bytes of a file that lies elsewhere. Safe from several threads at once.
class FileContent {
 public:
  virtual ~FileContent() = default;
  virtual std::uint64_t size() const = 0;
  // Up to into.size() bytes from `offset`; less only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) const = 0;
};

// An open file descriptor, or a file that lies elsewhere and can only be read. Reads and writes at positions are safe
// from several threads at once.
class File {
 public:
  File() = default;
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  static Result<File> open(const std::filesystem::path& path);
  // Creates or truncates.
  static Result<File> create(const std::filesystem::path& path);
  // A file in `folder` that has no name and vanishes with the descriptor.
  static Result<File> temporary(const std::filesystem::path& folder);
  static File standard_input();
  static File elsewhere(std::unique_ptr<const FileContent> content, std::string name);

  Result<std::size_t> read(std::span<char> into);
  // Whether read() would deliver at once (or tell the end); waits for it at most so long.
  bool wait_readable(std::chrono::milliseconds timeout) const;
  // Up to into.size() bytes from `offset`; less only at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> into) const;
  Result<void> write(std::string_view bytes);
  Result<void> write_at(std::uint64_t offset, std::string_view bytes);
  Result<void> sync();
  // Asks the disk to take what was written so far, without waiting: a later sync() has less to wait for.
  void begin_sync();
  // Tells the system that these bytes are not read again soon: it need not keep them in memory.
  void forget(std::uint64_t offset, std::uint64_t bytes) const;
  Result<std::uint64_t> size() const;
  bool is_regular() const;
  bool is_open() const { return descriptor_ >= 0 || content_; }
  const std::string& name() const { return name_; }

 private:
  File(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  Error error(std::string_view action) const;

  int descriptor_ = -1;
  std::string name_;
  std::unique_ptr<const FileContent> content_;  // instead of a descriptor
  std::uint64_t at_ = 0;                        // where read() goes on in it
};

// The bytes [begin, end) of a file; `end` may lie beyond the file. The file outlives it.
class FileRange final : public ByteSource {
 public:
  FileRange(const File& file, std::uint64_t begin, std::uint64_t end) : file_(file), at_(begin), end_(end) {}
  Result<std::size_t> read(std::span<char> into) override;

 private:
  const File& file_;
  std::uint64_t at_;
  std::uint64_t end_;
};

// Collects small writes into blocks, which the disk takes while more are written. finish() must be called; the
// destructor drops what is left.
class FileSink final : public ByteSink {
 public:
  explicit FileSink(File file) : file_(std::move(file)) {}
  Result<void> write(std::string_view bytes) override;
  // Writes the rest, makes it durable and gives the file back.
  Result<File> finish();

 private:
  Result<void> write_block(std::string_view bytes);

  File file_;
  std::string buffer_;
  std::size_t waiting_ = 0;  // bytes that the disk was not asked to take yet
};

}  // namespace lade
