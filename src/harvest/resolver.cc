#include "harvest/resolver.h"

#include <ares.h>
#include <curl/curl.h>

#include <algorithm>

#include "base/assert.h"

namespace lade::harvest {
namespace {

constexpr std::size_t kMostKept = 10'000;

bool means_unknown(int status) {
  return status == ARES_ENOTFOUND || status == ARES_ENODATA || status == ARES_EBADNAME;
}

}  // namespace

struct Resolver::Question {
  Resolver* resolver;
  std::string host;
  std::vector<Done> waiting;
};

void Resolver::Destroy::operator()(ares_channeldata* channel) const {
  ares_destroy(channel);
}

Resolver::Resolver(const ResolverOptions& options) : longest_kept_(options.longest_kept) {
  static const int ready = ares_library_init(ARES_LIB_INIT_ALL);
  LADE_ASSERT(ready == ARES_SUCCESS);
  ares_options settings{};
  settings.timeout = static_cast<int>(options.timeout.count());
  settings.tries = options.tries;
  ares_channel channel = nullptr;
  LADE_ASSERT(ares_init_options(&channel, &settings, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES) == ARES_SUCCESS);
  channel_.reset(channel);
  if (!options.servers.empty())
    LADE_ASSERT(ares_set_servers_ports_csv(channel, options.servers.c_str()) == ARES_SUCCESS);
}

Resolver::~Resolver() {
  is_ending_ = true;
}

void Resolver::resolve(const std::string& host, Done done) {
  if (const auto literal = Address::parse(host)) return done({.addresses = {*literal}});
  if (const auto kept = kept_.find(host); kept != kept_.end()) {
    if (Clock::now() < kept->second.until) return done(Answer(kept->second.answer));
    kept_.erase(kept);
  }
  auto& question = open_[host];
  if (question) return question->waiting.push_back(std::move(done));
  question = std::make_unique<Question>(Question{this, host, {}});
  question->waiting.push_back(std::move(done));
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ares_getaddrinfo(channel_.get(), host.c_str(), nullptr, &hints, &Resolver::on_answer, question.get());
}

void Resolver::on_answer(void* argument, int status, int, ares_addrinfo* result) {
  const auto& question = *static_cast<const Question*>(argument);
  if (!question.resolver->is_ending_) question.resolver->answer(question, status, result);
  ares_freeaddrinfo(result);
}

void Resolver::answer(const Question& question, int status, const ares_addrinfo* result) {
  Answer answer;
  std::chrono::seconds kept = longest_kept_;
  for (const auto* node = result == nullptr ? nullptr : result->nodes; node != nullptr; node = node->ai_next) {
    if (const auto address = Address::of(*node->ai_addr)) answer.addresses.push_back(*address);
    kept = std::min(kept, std::chrono::seconds(std::max(node->ai_ttl, 0)));
  }
  if (answer.addresses.empty()) {
    answer.is_unknown = means_unknown(status) || status == ARES_SUCCESS;
    answer.reason = ares_strerror(status);
  } else if (kept.count() > 0) {
    if (kept_.size() >= kMostKept) kept_.clear();
    kept_[question.host] = {answer, Clock::now() + kept};
  }
  const auto found = open_.extract(question.host);  // whoever waits may ask again
  for (const Done& done : found.mapped()->waiting) done(answer);
}

void Resolver::add_sockets(std::vector<curl_waitfd>& sockets) const {
  ares_socket_t open[ARES_GETSOCK_MAXNUM];
  const int bits = ares_getsock(channel_.get(), open, ARES_GETSOCK_MAXNUM);
  for (int at = 0; at < ARES_GETSOCK_MAXNUM; ++at) {
    const bool reads = ARES_GETSOCK_READABLE(bits, at);
    const bool writes = ARES_GETSOCK_WRITABLE(bits, at);
    if (!reads && !writes) continue;
    const int events = (reads ? CURL_WAIT_POLLIN : 0) | (writes ? CURL_WAIT_POLLOUT : 0);
    sockets.push_back({.fd = open[at], .events = static_cast<short>(events), .revents = 0});
  }
}

std::chrono::milliseconds Resolver::wait_at_most(std::chrono::milliseconds longest) const {
  timeval most{.tv_sec = longest.count() / 1000, .tv_usec = longest.count() % 1000 * 1000};
  timeval wait{};
  const timeval* const next = ares_timeout(channel_.get(), &most, &wait);
  return std::chrono::milliseconds(next->tv_sec * 1000 + (next->tv_usec + 999) / 1000);
}

void Resolver::process(const std::vector<curl_waitfd>& sockets) {
  for (const curl_waitfd& socket : sockets) {
    const bool reads = (socket.revents & CURL_WAIT_POLLIN) != 0;
    const bool writes = (socket.revents & CURL_WAIT_POLLOUT) != 0;
    if (reads || writes)
      ares_process_fd(channel_.get(), reads ? socket.fd : ARES_SOCKET_BAD, writes ? socket.fd : ARES_SOCKET_BAD);
  }
  ares_process_fd(channel_.get(), ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // what took too long
}

}  // namespace lade::harvest
