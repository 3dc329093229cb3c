#pragma once

#include <sys/types.h>

#include <string>

#include "testing/temporary_folder.h"

namespace lade::testing {

// A redis-server of its own on a socket in a folder of its own, with nothing on disk. Ends with the object.
class RedisServer {
 public:
  explicit RedisServer(std::string password = "") : password_(std::move(password)) { start(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() { kill(); }

  // The same socket with nothing in it.
  void start();
  void kill();
  // It takes connections and answers nothing any more, until it is woken.
  void freeze() const;
  void wake() const;

  std::string path() const { return (folder_.path() / "redis.sock").string(); }
  std::string url() const { return "unix:" + path(); }
  // What redis-cli prints for the command.
  std::string ask(const std::string& command) const;

 private:
  const TemporaryFolder folder_;
  const std::string password_;
  pid_t process_ = 0;
};

}  // namespace lade::testing
