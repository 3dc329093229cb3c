#include "jobs/desk.h"

namespace lade::jobs {
namespace {

// Jobs that nobody works on at the moment are forgotten beyond so many.
constexpr std::size_t kMostPlaces = 16;

}  // namespace

std::shared_ptr<Desk::Place> Desk::place(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Place>& found = places_[id];
  if (!found) found = std::make_shared<Place>();
  std::shared_ptr<Place> place = found;
  if (places_.size() > kMostPlaces)
    std::erase_if(places_, [&](const auto& entry) {
      return entry.first != id && entry.second.use_count() == 1 && entry.second->job.use_count() <= 1;
    });
  return place;
}

Result<std::shared_ptr<OpenJob>> Desk::open(std::int64_t id) {
  const std::shared_ptr<Place> place = this->place(id);
  const std::lock_guard lock(place->mutex);
  if (place->job) return place->job;
  LADE_ASSIGN(const auto connection, db::connect(sessions_.url()));
  LADE_ASSIGN(StoredJob stored, load_job(*connection, id, here_, storage_));
  // Its planner has looked already, but that was another process, and some time ago.
  if (stored.record.standing.state == model::JobState::analysing_data)
    LADE_TRY(verify_file(*connection, stored, storage_));
  LADE_TRY(bind_job(*stored.job, stored.definition, *connection));
  place->job = std::make_shared<OpenJob>(std::move(stored.job), storage_, sessions_);
  return place->job;
}

void Desk::put(std::unique_ptr<const Job> job) {
  const std::shared_ptr<Place> place = this->place(job->id);
  const std::lock_guard lock(place->mutex);
  place->job = std::make_shared<OpenJob>(std::move(job), storage_, sessions_);
}

void Desk::tell() {
  const std::lock_guard lock(mutex_);
  news_ = true;
  told_.notify_all();
}

void Desk::wait_for_news(std::chrono::milliseconds most, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  told_.wait_for(lock, stop, most, [&] { return news_; });
  news_ = false;
}

void Desk::close(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  places_.erase(id);
}

}  // namespace lade::jobs
