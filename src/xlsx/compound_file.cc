#include "xlsx/compound_file.h"

#include <cstdint>
#include <string>

namespace lade::xlsx {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view kBeginning = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv;
// The name of the stream, as the container's directory has it.
constexpr std::string_view kEncryptedPackage = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"sv;
constexpr std::size_t kHeaderBytes = 512;
constexpr std::size_t kDirectoryBytes = 16 * 1024;  // of it looked at: such a container has some ten entries

}  // namespace

bool is_compound_file(std::string_view beginning) {
  return beginning.starts_with(kBeginning);
}

Result<bool> holds_encrypted_package(const File& file) {
  std::string header(kHeaderBytes, '\0');
  LADE_ASSIGN(const std::size_t got, file.read_at(0, header));
  if (got < kHeaderBytes) return false;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint64_t>(static_cast<unsigned char>(header[at])); };
  const std::uint64_t sector_bytes = byte(30) == 12 ? 4096 : 512;
  const std::uint64_t first_sector = byte(48) | byte(49) << 8 | byte(50) << 16 | byte(51) << 24;
  std::string directory(kDirectoryBytes, '\0');
  LADE_ASSIGN(const std::size_t count, file.read_at((first_sector + 1) * sector_bytes, directory));
  return std::string_view(directory).substr(0, count).find(kEncryptedPackage) != std::string_view::npos;
}

}  // namespace lade::xlsx
