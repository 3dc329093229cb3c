#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"

namespace lade::source {

// Where and how much may be copied aside, of which file, and who may end it.
struct Spooling {
  std::string name;  // of the input, for messages
  std::filesystem::path folder;
  std::uint64_t max_bytes = 0;
  std::stop_token stop;

  Error too_large() const;
  // Fails with `cancelled` when somebody asked to stop.
  Result<void> check_stop() const;
};

// A file read front to back from where it stands; waits for a pipe no longer than until somebody asks to stop. The file
// outlives it.
class StreamSource final : public ByteSource {
 public:
  StreamSource(File& file, const Spooling& spooling) : file_(file), spooling_(spooling) {}
  Result<std::size_t> read(std::span<char> into) override;

 private:
  File& file_;
  const Spooling& spooling_;
};

// A nameless file that is written front to back; refuses with file_too_large and cancelled.
class Spool final : public ByteSink {
 public:
  static Result<Spool> create(const Spooling& spooling);
  Result<void> write(std::string_view bytes) override;
  // Everything that the source delivers.
  Result<void> copy(ByteSource& from);

  std::uint64_t bytes() const { return bytes_; }
  File take() && { return std::move(file_); }

 private:
  Spool(File file, const Spooling& spooling) : file_(std::move(file)), spooling_(&spooling) {}

  File file_;
  const Spooling* spooling_;
  std::uint64_t bytes_ = 0;
};

}  // namespace lade::source
