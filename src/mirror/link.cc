#include "mirror/link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <vector>

#include "base/log.h"

namespace lade::mirror {
namespace {

timeval time_of(std::chrono::milliseconds time) {
  return {.tv_sec = static_cast<time_t>(time.count() / 1000),
          .tv_usec = static_cast<suseconds_t>(time.count() % 1000 * 1000)};
}

Error unreachable(const redisContext* connection) {
  const std::string why = connection == nullptr ? "no memory" : static_cast<const char*>(connection->errstr);
  // hiredis tells of a timeout by the name of its errno.
  const bool late =
      why.find("temporarily unavailable") != std::string::npos || why.find("timed out") != std::string::npos;
  return {"redis_unreachable", late ? "no answer in time" : why, "", ErrorKind::cannot_connect};
}

struct Free {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

}  // namespace

void Link::Close::operator()(redisContext* connection) const {
  redisFree(connection);
}

Result<Link::Connection> Link::connect() const {
  const Address& address = options_.address;
  const timeval patience = time_of(options_.patience);
  Connection connection(address.path.empty() ? redisConnectWithTimeout(address.host.c_str(), address.port, patience)
                                             : redisConnectUnixWithTimeout(address.path.c_str(), patience));
  if (connection == nullptr || connection->err != 0) return fail(unreachable(connection.get()));
  (void)fcntl(connection->fd, F_SETFD, FD_CLOEXEC);  // row handlers are none of its users
  if (redisSetTimeout(connection.get(), patience) != REDIS_OK) return fail(unreachable(connection.get()));
  if (!address.password.empty()) {
    std::vector<std::string_view> words{"AUTH"};
    if (!address.user.empty()) words.push_back(address.user);
    words.push_back(address.password);
    // Its answer may repeat what it was told.
    if (auto known = send(*connection, words); !known)
      return fail(known.error().code, "it does not accept the password, or the user", "", ErrorKind::cannot_connect);
  }
  if (address.database != 0) {
    const std::string number = std::to_string(address.database);
    const std::string_view words[] = {"SELECT", number};
    LADE_TRY(send(*connection, words));
  }
  return connection;
}

Result<Reply> Link::send(redisContext& connection, std::span<const std::string_view> words) const {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  const std::unique_ptr<redisReply, Free> reply(static_cast<redisReply*>(
      redisCommandArgv(&connection, static_cast<int>(words.size()), texts.data(), sizes.data())));
  if (reply == nullptr) return fail(unreachable(&connection));
  Reply told;
  const std::string_view text = reply->str == nullptr ? std::string_view() : std::string_view(reply->str, reply->len);
  if (reply->type == REDIS_REPLY_ERROR) {
    told.wrong_type = text.starts_with("WRONGTYPE");
    if (!told.wrong_type) return fail("redis_refused", std::string(text), "", ErrorKind::cannot_connect);
  }
  if (reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS) told.text = text;
  if (reply->type == REDIS_REPLY_INTEGER) told.number = reply->integer;
  return told;
}

Result<Reply> Link::ask(std::span<const std::string_view> words) {
  if (!ready()) return fail("redis_unreachable", "it is tried again later", "", ErrorKind::cannot_connect);
  if (!connection_) {
    auto connected = connect();
    if (!connected) {
      lose(connected.error());
      return fail(std::move(connected).error());
    }
    connection_ = std::move(*connected);
  }
  auto reply = send(*connection_, words);
  if (!reply) {
    lose(reply.error());
    return reply;
  }
  return_to_it();
  return reply;
}

void Link::lose(const Error& why) {
  connection_.reset();
  pause_ = std::clamp(pause_ * 2, options_.pause, options_.longest_pause);
  next_try_ = std::chrono::steady_clock::now() + pause_;
  if (away_) return;
  away_ = true;
  const std::string address = to_text(options_.address);
  log(LogLevel::warning, "mirror_lost", {{"address", address}, {"code", why.code}, {"message", why.message}});
  if (options_.say) options_.say(fmt::format("{}: {}; progress is not mirrored for now", address, why.message));
}

void Link::return_to_it() {
  pause_ = std::chrono::milliseconds(0);
  if (!away_) return;
  away_ = false;
  const std::string address = to_text(options_.address);
  log(LogLevel::warning, "mirror_back", {{"address", address}});
  if (options_.say) options_.say(fmt::format("{}: progress is mirrored again", address));
}

}  // namespace lade::mirror
