#include "db/ownership.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/file.h"
#include "db/connection.h"
#include "db/url.h"

namespace lade::db {
namespace {

constexpr std::chrono::milliseconds kPause{20};

// Whether the path still leads to the file that was opened: the owner before may have removed it.
bool is_same(const std::filesystem::path& path, int descriptor) {
  struct stat there {
  }, here{};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(descriptor, &here) == 0 && there.st_ino == here.st_ino &&
         there.st_dev == here.st_dev;
}

constexpr int kTaken = -1;
constexpr int kImpossible = -2;

// The locked file; kTaken when somebody else has it, kImpossible when no file can be made there.
int try_lock(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return kImpossible;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_same(path, descriptor)) {
    const std::string owner = fmt::format("{}\n", ::getpid());
    (void)!::ftruncate(descriptor, 0);
    (void)!::write(descriptor, owner.data(), owner.size());
    return descriptor;
  }
  ::close(descriptor);
  return kTaken;
}

std::string owner_of(const std::filesystem::path& path) {
  auto file = File::open(path);
  char text[16] = {};
  if (!file || !file->read(text)) return "another process";
  const std::string_view number(text);
  return fmt::format("process {}", number.substr(0, number.find('\n')));
}

}  // namespace

Result<Ownership> Ownership::take(const std::string& url, std::chrono::milliseconds patience,
                                  const std::stop_token& stop) {
  if (!is_sqlite_url(url)) return Ownership({}, -1);
  LADE_ASSIGN(const SqliteLocation location, parse_sqlite_url(url));
  if (location.in_memory()) return Ownership({}, -1);
  const std::filesystem::path path = location.path + "-lade";
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const int descriptor = try_lock(path);
    if (descriptor >= 0) return Ownership(path, descriptor);
    // SQLite cannot work there either, and says so in better words.
    if (descriptor == kImpossible) return Ownership({}, -1);
    if (stop.stop_requested())
      return fail("cancelled", "stopped while waiting for the database", "", ErrorKind::cancelled);
    if (std::chrono::steady_clock::now() >= end)
      return fail("database_in_use",
                  fmt::format("{}: {} of lade works on this database", location.path, owner_of(path)),
                  "wait for it; or give it the file with lade import --async", ErrorKind::cannot_connect);
    std::this_thread::sleep_for(kPause);
  }
}

Ownership::Ownership(Ownership&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Ownership::~Ownership() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace lade::db
