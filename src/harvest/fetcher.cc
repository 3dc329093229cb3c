#include "harvest/fetcher.h"

#include <future>

#include "harvest/fetch_loop.h"

namespace lade::harvest {

Result<std::unique_ptr<Fetcher>> Fetcher::open(const FetcherOptions& options, RateGate& gate) {
  LADE_ASSIGN(AddressGuard guard, AddressGuard::make(options.guard));
  FetcherOptions complete = options;
  if (complete.user_agent.empty()) complete.user_agent = "lade/" LADE_VERSION;
  return std::unique_ptr<Fetcher>(
      new Fetcher(std::make_unique<FetchLoop>(std::move(complete), std::move(guard), gate)));
}

Fetcher::Fetcher(std::unique_ptr<FetchLoop> loop) : loop_(std::move(loop)) {}
Fetcher::~Fetcher() = default;

void Fetcher::start(FetchRequest request, const std::stop_token& stop, Done done) {
  loop_->submit(std::move(request), stop, std::move(done));
}

FetchOutcome Fetcher::fetch(FetchRequest request, const std::stop_token& stop) {
  std::promise<FetchOutcome> promise;
  auto outcome = promise.get_future();
  start(std::move(request), stop, [&](FetchOutcome told) { promise.set_value(std::move(told)); });
  return outcome.get();
}

}  // namespace lade::harvest
