#include "api/service.h"

#include "accounts/sessions.h"
#include "api/idempotency.h"
#include "jobs/job.h"
#include "store/schema.h"

namespace lade::api {
namespace {

std::string reading_url(const std::string& url) {
  return db::limited_to(db::Access::read, url);
}

}  // namespace

Result<std::unique_ptr<Service>> Service::start(const ServiceOptions& options, const std::stop_token& stop) {
  const jobs::ImportOptions& here = options.work.here;
  std::unique_ptr<jobs::Works> works;
  if (options.works) {
    LADE_ASSIGN(works, jobs::Works::start(options.work, stop));
  } else {
    LADE_TRY(jobs::create_folder(here.data, jobs::data_folder()));
    LADE_ASSIGN(const auto connection, db::connect(here.database));
    LADE_TRY(store::migrate(*connection));
  }
  LADE_ASSIGN(std::unique_ptr<storage::Storage> storage, jobs::open_storage(here));
  return std::unique_ptr<Service>(new Service(options, std::move(storage), std::move(works)));
}

Service::Service(const ServiceOptions& options, std::unique_ptr<storage::Storage> storage,
                 std::unique_ptr<jobs::Works> works)
    : options_(options),
      storage_(std::move(storage)),
      works_(std::move(works)),
      reading_(reading_url(here().database), options.sessions),
      writing_(here().database, db::backend_of(here().database) == db::Backend::sqlite ? 1 : options.sessions),
      events_(reading_),
      overview_(reading_),
      topics_(reading_, overview_) {
  if (here().mirror) mirror_ = std::make_unique<mirror::Reader>(*here().mirror);
  if (works_) working_ = std::jthread([this](const std::stop_token& stop) { works_->run(stop); });
  tidying_ = std::jthread([this](const std::stop_token& stop) { tidy(stop); });
}

void Service::note_use(const accounts::Principal& principal) {
  const std::lock_guard lock(uses_mutex_);
  uses_.try_emplace({principal.via, principal.credential}, principal);
  used_.notify_one();
}

void Service::tidy(const std::stop_token& stop) {
  constexpr std::chrono::minutes kPause{10};
  auto next = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    decltype(uses_) uses;
    {
      std::unique_lock lock(uses_mutex_);
      used_.wait_until(lock, stop, next, [this] { return !uses_.empty(); });
      uses.swap(uses_);
    }
    const auto now = std::chrono::steady_clock::now();
    const bool due = now >= next;
    if (due) next = now + kPause;
    const auto session = works_ ? works_->sessions().acquire(stop) : writing_.acquire(stop);
    if (!session) continue;
    // What cannot be done now is done next time.
    for (const auto& [credential, principal] : uses) (void)accounts::record_use(**session, principal);
    if (!due) continue;
    (void)remove_old_keys(**session);
    (void)accounts::remove_ended_sessions(**session);
  }
}

Service::~Service() {
  stop_events();
}

void Service::stop_events() {
  events_.stop();
  topics_.stop();
}

void Service::stir() {
  events_.look();
  topics_.look();
  if (!works_) return;
  works_->node().wake();
  works_->node().check();
}

}  // namespace lade::api
