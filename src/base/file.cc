#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lade {
namespace {

constexpr std::size_t kSinkBlockBytes = 256 * 1024;
constexpr std::size_t kSyncedBytes = 1024 * 1024;

}  // namespace

Error system_error(int number, std::string_view action, std::string_view name) {
  Error error{"file_error", fmt::format("{}: cannot {}: {}", name, action, std::strerror(number))};
  switch (number) {
    case ENOENT:
      error.code = "file_not_found";
      error.hint = "check the path";
      error.kind = ErrorKind::invalid;
      break;
    case EACCES:
    case EPERM:
      error.code = "file_not_readable";
      error.hint = "check the permissions of the file and of its folders";
      error.kind = ErrorKind::invalid;
      break;
    case EISDIR:
      error.code = "file_is_folder";
      error.hint = "name a file";
      error.kind = ErrorKind::invalid;
      break;
    case ENOSPC:
    case EDQUOT:
      error.code = "disk_full";
      error.hint = "free some space or choose another folder with --data; nothing half-written is kept";
      break;
    default: break;
  }
  return error;
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      content_(std::move(other.content_)),
      at_(other.at_) {}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    name_ = std::move(other.name_);
    content_ = std::move(other.content_);
    at_ = other.at_;
  }
  return *this;
}

File::~File() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

Error File::error(std::string_view action) const {
  return system_error(errno, action, name_);
}

Result<File> File::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(system_error(errno, "open", path.string()));
  File file(descriptor, path.string());
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode))
    return fail(system_error(EISDIR, "read", path.string()));
  return file;
}

Result<File> File::create(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return fail(system_error(errno, "create", path.string()));
  return File(descriptor, path.string());
}

Result<File> File::temporary(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (descriptor >= 0) return File(descriptor, (folder / "(temporary)").string());
  // Not every file system knows nameless files: create one and take its name away.
  std::string pattern = (folder / "lade-XXXXXX").string();
  const int named = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (named < 0) return fail(system_error(errno, "create a temporary file", folder.string()));
  ::unlink(pattern.c_str());
  return File(named, pattern);
}

File File::standard_input() {
  return File(STDIN_FILENO, "(standard input)");
}

File File::elsewhere(std::unique_ptr<const FileContent> content, std::string name) {
  File file(-1, std::move(name));
  file.content_ = std::move(content);
  return file;
}

Result<std::size_t> File::read(std::span<char> into) {
  if (content_) {
    LADE_ASSIGN(const std::size_t count, content_->read_at(at_, into));
    at_ += count;
    return count;
  }
  for (;;) {
    const ssize_t count = ::read(descriptor_, into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return fail(error("read"));
  }
}

bool File::wait_readable(std::chrono::milliseconds timeout) const {
  if (content_) return true;
  pollfd waited{descriptor_, POLLIN, 0};
  return ::poll(&waited, 1, static_cast<int>(timeout.count())) != 0;
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<char> into) const {
  if (content_) return content_->read_at(offset, into);
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count =
        ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return fail(error("read"));
    }
  }
  return done;
}

Result<void> File::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return fail(error("write"));
    }
  }
  return {};
}

Result<void> File::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    } else if (errno != EINTR) {
      return fail(error("write"));
    }
  }
  return {};
}

Result<void> File::sync() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) return fail(error("write"));
  return {};
}

void File::begin_sync() {
  (void)::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE);
}

void File::forget(std::uint64_t offset, std::uint64_t bytes) const {
  (void)::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
}

Result<std::uint64_t> File::size() const {
  if (content_) return content_->size();
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return fail(error("read the size of"));
  return static_cast<std::uint64_t>(status.st_size);
}

bool File::is_regular() const {
  if (content_) return true;
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

Result<std::size_t> FileRange::read(std::span<char> into) {
  const std::uint64_t left = at_ < end_ ? end_ - at_ : 0;
  LADE_ASSIGN(const std::size_t count, file_.read_at(at_, into.first(std::min<std::uint64_t>(left, into.size()))));
  at_ += count;
  return count;
}

Result<void> FileSink::write_block(std::string_view bytes) {
  LADE_TRY(file_.write(bytes));
  waiting_ += bytes.size();
  if (waiting_ < kSyncedBytes) return {};
  file_.begin_sync();
  waiting_ = 0;
  return {};
}

Result<void> FileSink::write(std::string_view bytes) {
  if (buffer_.empty() && bytes.size() >= kSinkBlockBytes) return write_block(bytes);
  buffer_.append(bytes);
  if (buffer_.size() < kSinkBlockBytes) return {};
  LADE_TRY(write_block(buffer_));
  buffer_.clear();
  return {};
}

Result<File> FileSink::finish() {
  LADE_TRY(file_.write(buffer_));
  buffer_.clear();
  LADE_TRY(file_.sync());
  return std::move(file_);
}

}  // namespace lade
