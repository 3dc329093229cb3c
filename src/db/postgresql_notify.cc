#include <poll.h>

#include <algorithm>

#include "base/assert.h"
#include "db/postgresql_connection.h"

// LISTEN: notifications come with any answer of the server, or alone while nobody asks anything.
namespace lade::db {

std::vector<std::string> PostgresqlConnection::take_notified() {
  struct FreeNotification {
    void operator()(PGnotify* notification) const { PQfreemem(notification); }
  };
  std::vector<std::string> channels;
  while (const std::unique_ptr<PGnotify, FreeNotification> notification{PQnotifies(session_.get())})
    if (std::ranges::find(channels, notification->relname) == channels.end())
      channels.emplace_back(notification->relname);
  return channels;
}

Result<std::vector<std::string>> PostgresqlConnection::wait_notified(std::chrono::milliseconds timeout,
                                                                     int descriptor) {
  LADE_ASSERT(!in_transaction());
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + timeout;
  while (true) {
    if (!usable()) return fail(refusal(nullptr));
    std::vector<std::string> channels = take_notified();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (!channels.empty() || left.count() <= 0) return channels;
    pollfd awaited[] = {{PQsocket(session_.get()), POLLIN, 0}, {descriptor, POLLIN, 0}};
    (void)poll(awaited, 2, static_cast<int>(left.count()));
    if (awaited[1].revents != 0) return take_notified();
  }
}

}  // namespace lade::db
