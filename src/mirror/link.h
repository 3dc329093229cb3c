#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "mirror/options.h"

struct redisContext;

namespace lade::mirror {

// What Redis answers.
struct Reply {
  bool wrong_type = false;  // the key holds something else than the command is for
  std::optional<std::string> text = {};
  std::int64_t number = 0;
};

// A connection that comes and goes. Owned by one thread.
class Link {
 public:
  explicit Link(Options options) : options_(std::move(options)) {}

  // Asks, after connecting when there is no connection. After a failure nothing is tried for a while: it fails at once.
  // Fails with redis_unreachable, also when no answer comes in time, and with redis_refused.
  Result<Reply> ask(std::span<const std::string_view> words);
  // Whether it would try at all.
  bool ready() const { return connection_ != nullptr || std::chrono::steady_clock::now() >= next_try_; }

 private:
  struct Close {
    void operator()(redisContext* connection) const;
  };
  using Connection = std::unique_ptr<redisContext, Close>;

  Result<Connection> connect() const;
  Result<Reply> send(redisContext& connection, std::span<const std::string_view> words) const;
  void lose(const Error& why);
  void return_to_it();

  const Options options_;
  Connection connection_;
  bool away_ = false;  // and that was told
  std::chrono::milliseconds pause_{0};
  std::chrono::steady_clock::time_point next_try_;
};

}  // namespace lade::mirror
