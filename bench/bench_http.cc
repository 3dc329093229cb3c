#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/sha256.h"
#include "http/server.h"

// bench_http FOLDER: the server of src/http with a sink that does what an upload needs, until its input ends. Prints
// its port.
//   PUT /      into a nameless file of the folder, hashed and made durable before the answer
//   GET /      a stream of events that stays quiet
namespace {

using namespace lade;

class DurableSink final : public http::BodySink {
 public:
  explicit DurableSink(File file) : sink_(std::move(file)) {}
  Result<void> write(std::string_view piece) override {
    sum_.add(piece);
    return sink_.write(piece);
  }
  http::Response finish() override {
    if (const auto file = sink_.finish(); !file) return {.status = 500, .body = file.error().message};
    return {.status = 201, .body = sum_.finish() + "\n"};
  }

 private:
  FileSink sink_;
  Sha256 sum_;
};

class BenchHandler final : public http::Handler {
 public:
  explicit BenchHandler(std::filesystem::path folder) : folder_(std::move(folder)) {}
  http::Reception receive(http::Request& request) override {
    if (request.method == "GET") return http::Response{.body = std::make_shared<http::EventChannel>()};
    auto file = File::temporary(folder_);
    if (!file) return http::Response{.status = 500, .body = file.error().message};
    return http::StreamedBody{~std::uint64_t{0}, std::make_unique<DurableSink>(std::move(*file))};
  }
  http::Response refuse(const http::Request*, const Error& error) override {
    return {.status = 400, .body = error.code};
  }
  void done(const http::Request&, int, double, std::uint64_t, std::uint64_t) override {}

 private:
  const std::filesystem::path folder_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_http FOLDER\n");
    return 2;
  }
  BenchHandler handler(argv[1]);
  const auto server = http::Server::start({.port = 0, .limits = {.connections_per_address = 16'384}}, handler);
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().message);
    return 1;
  }
  fmt::print("{}\n", (*server)->port());
  std::fflush(stdout);
  for (char byte = 0; ::read(STDIN_FILENO, &byte, 1) > 0;) {
  }
  return 0;
}
