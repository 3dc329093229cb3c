#pragma once

#include <memory>
#include <string>

#include "db/connection.h"
#include "queue/node.h"

namespace lade::api {

// What Prometheus reads. Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  // `route` is the path without ids.
  void count_request(const std::string& method, const std::string& route, int status, double seconds,
                     std::uint64_t bytes_in, std::uint64_t bytes_out);
  // Everything in Prometheus' text format: what this process has counted, and what the database knows of jobs, rows and
  // the queue. `node` may be null.
  Result<std::string> text(db::Connection& connection, const queue::Node* node, std::size_t event_streams);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace lade::api
