#include "storage/storage_id.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/file.h"
#include "base/id.h"

namespace lade::storage {
namespace {

constexpr std::string_view kFileName = "storage_id";
constexpr std::size_t kLongestPath = 512, kLongestPart = 200;

bool is_part(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !text.empty() && text.size() <= kLongestPart && text.find("..") == std::string_view::npos && text != "." &&
         std::ranges::all_of(text, is_plain);
}

bool is_number(std::string_view text) {
  return text.size() <= 9 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// What stands between the slashes; nothing when it is no path.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.size() > kLongestPath) return parts;
  for (;;) {
    const std::size_t slash = text.find('/');
    parts.push_back(text.substr(0, slash));
    if (!is_part(parts.back())) return {};
    if (slash == std::string_view::npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

Result<std::string> read_id(const std::filesystem::path& path) {
  LADE_ASSIGN(File file, File::open(path));
  char text[64];
  LADE_ASSIGN(const std::size_t size, file.read_at(0, text));
  std::string id(text, size);
  if (!id.empty() && id.back() == '\n') id.pop_back();
  if (!is_id(id))
    return fail("storage_damaged", fmt::format("{}: this is not the id of a storage", path.string()),
                "bring the file back as it was; with a new id this storage's tasks would find no worker");
  return id;
}

// Complete before it gets its name, so that nobody reads half of it; link() lets only one of several win.
Result<void> make_id(const std::filesystem::path& folder) {
  const std::string id = new_uuid();
  const std::filesystem::path draft = folder / (id + ".part");
  LADE_ASSIGN(File file, File::create(draft));
  Result<void> written = file.write(id + "\n");
  if (written) written = file.sync();
  if (written && ::link(draft.c_str(), (folder / kFileName).c_str()) != 0 && errno != EEXIST)
    written = fail(system_error(errno, "create", (folder / kFileName).string()));
  ::unlink(draft.c_str());
  LADE_TRY(written);
  return sync_folder(folder);
}

}  // namespace

bool is_id(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (kForm[i] == '-' ? text[i] != '-' : !digit) return false;
  }
  return true;
}

bool is_path(std::string_view text) {
  std::vector<std::string_view> parts = parts_of(text);
  if (parts.size() < 2) return false;
  parts.pop_back();
  if (parts.size() > 1 && is_number(parts.back())) parts.pop_back();
  return is_id(parts.back());
}

bool is_name(std::string_view text) {
  return is_id(text) || is_path(text);
}

bool is_prefix(std::string_view text) {
  if (text.empty()) return true;
  if (text.ends_with('/')) text.remove_suffix(1);
  return !parts_of(text).empty();
}

Result<std::string> storage_id(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kFileName;
  if (::access(path.c_str(), F_OK) != 0) LADE_TRY(make_id(folder));
  return read_id(path);
}

Result<void> sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return fail(system_error(errno, "open", folder.string()));
  const int result = ::fsync(descriptor);
  const int number = errno;
  ::close(descriptor);
  // Some network file systems do not sync folders, and need not.
  if (result != 0 && number != EINVAL) return fail(system_error(number, "write", folder.string()));
  return {};
}

}  // namespace lade::storage
