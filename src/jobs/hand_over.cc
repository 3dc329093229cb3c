#include "jobs/hand_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <set>

#include "base/failpoint.h"
#include "base/log.h"
#include "db/in_transaction.h"
#include "definition/node_json.h"
#include "jobs/resettle.h"
#include "jobs/store_issues.h"
#include "load/tuple_fields.h"
#include "store/job_changes.h"
#include "store/outcomes.h"

namespace lade::jobs {
namespace {

using model::Outcome;

constexpr std::chrono::seconds kSignOfLife{30}, kLongAgo{10};
constexpr int kShare = 10;  // storing takes at most so small a part of the time

// What a handler may say has become of a row, as field `outcome` of its result.
constexpr std::array kSayable = {Outcome::inserted, Outcome::updated, Outcome::unchanged, Outcome::deleted,
                                 Outcome::skipped};

Outcome outcome_of(const handlers::RowAnswer& answer) {
  for (const handlers::Answer::Field& field : answer.result)
    for (const Outcome outcome : kSayable)
      if (field.name == "outcome" && field.text == to_string(outcome)) return outcome;
  return Outcome::inserted;
}

void append_cells(const analysis::Program& program, std::string_view tuple, handlers::RowTexts& texts) {
  std::vector<db::WireField> slots;
  load::split(tuple, slots);
  for (const analysis::TargetField& field : program.entries.front().fields) {
    const db::WireField value = slots[static_cast<std::size_t>(field.slot)];
    if (value.length < 0)
      texts.add_blank();
    else if (field.column.wire == db::WireType::boolean)
      texts.add_cell(value.bytes() == std::string_view("\0", 1) ? "false" : "true");
    else
      texts.add_cell(value.bytes());
  }
}

// One bucket on its way.
class HandingOver {
 public:
  explicit HandingOver(const Work& work)
      : work_(work), job_(work.job()), done_(job_), part_(job_), batch_(job_.handler->batch_rows()) {}

  Result<void> run() {
    LADE_ASSIGN(const bool begun, begin());
    if (!begun) return {};
    staging::IssueLog said(*job_.area);
    staging::IssueWriter ignored(said);
    model::RowCounts counted;
    load::Settler settler(*job_.program, job_.area->file(), staged_.ranges, {}, staged_.claims);
    for (load::Slice slice;;) {
      LADE_ASSIGN(const bool more, settler.next(slice, ignored, counted));
      if (!more) break;
      std::erase_if(slice.rows, [&](const load::Row& row) { return !open_.contains(row.place.row_id); });
      for (std::span<const load::Row> rest = slice.rows; !rest.empty();) {
        const auto some = rest.first(std::min(batch_, rest.size()));
        rest = rest.subspan(some.size());
        const auto handed = hand(some);
        if (!handed || is_time_to_store()) LADE_TRY(store_part());
        if (!handed) return handed;
      }
    }
    blame_suspects();
    LADE_TRY(tell_failed());
    LADE_TRY(store_part());
    return finish();
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Finds out which rows are still to be handed over; false: none, so many have failed.
  Result<bool> begin() {
    const auto number = static_cast<std::int64_t>(work_.target.part);
    LADE_ASSIGN(const Worker::Session session, work_.worker.session(work_.context.stop()));
    LADE_ASSIGN(const bool stopped, is_stopped(work_, *session));
    if (stopped) return false;
    LADE_TRY(work_.open.staged.open(*session));
    LADE_ASSIGN(staged_, work_.open.staged.bucket(work_.target.part));
    LADE_ASSIGN(auto stored, store::outcomes_of(*session, job_.id, number, number));
    if (stored.empty()) {
      LADE_ASSIGN(BucketResult settled, settle_bucket(job_, staged_, work_.context.stop()));
      LADE_ASSIGN(auto all, to_stored(work_.target.part, settled, true));
      stored.push_back(std::move(all));
    }
    LADE_TRY(store::for_each_outcome(stored.front().packed, [&](const store::RowOutcome& row) -> Result<void> {
      if (row.outcome == Outcome::unprocessed) open_.insert(row.row_id);
      return {};
    }));
    LADE_ASSIGN(Remainder rest, without(job_, stored.front(), open_));
    done_ = std::move(rest.result);
    return true;
  }

  // Hands a batch over and keeps what became of its rows, even if it had to stop in the middle.
  Result<void> hand(std::span<const load::Row> rows) {
    LADE_FAILPOINT("hand");
    handlers::RowTexts texts;
    for (const load::Row& row : rows) {
      texts.begin_row(row.place.row_id);
      append_cells(*job_.program, row.tuple, texts);
      texts.end_row();
    }
    const auto answered = job_.handler->answer(
        texts,
        [&](std::size_t at, const handlers::RowAnswer& answer) {
          stay_alive();
          ++(answer.code.empty() ? work_.unpublished.succeeded : work_.unpublished.failed);
          take(rows[at].place, answer);
        },
        work_.context.stop());
    LADE_TRY(tell_failed());
    ++batches_;
    return answered;
  }

  // A row at which a process was lost is to blame when the handler answers for another one afterwards. When it answers
  // no more, the rows are not, and stay to be handed over.
  void take(const staging::RowPlace& place, const handlers::RowAnswer& answer) {
    if (answer.code.empty()) {
      blame_suspects();
      return keep(place, outcome_of(answer), {});
    }
    const bool said_so = answer.code == "handler_failed";
    if (said_so) blame_suspects();
    (said_so ? failed_ : suspects_)
        .push_back({place,
                    {.code = std::string(answer.code),
                     .message = std::string(answer.message),
                     .hint = "correct the row, or the handler"}});
  }

  void blame_suspects() {
    std::ranges::move(suspects_, std::back_inserter(failed_));
    suspects_.clear();
  }

  Result<void> tell_failed() {
    staging::IssueWriter issues(*part_.findings);
    for (auto& [place, issue] : failed_) {
      keep(place, Outcome::failed, issue.code);
      LADE_TRY(load::tell(issues, place, Outcome::failed, std::move(issue)));
    }
    failed_.clear();
    return issues.publish(part_.issues);
  }

  void keep(const staging::RowPlace& place, Outcome outcome, std::string_view code) {
    part_.outcomes.add({place.row_id, outcome, code});
    ++part_.counts[outcome];
    open_.erase(place.row_id);
  }

  // Rows that hang one after another can take longer than a task may without progress.
  void stay_alive() {
    if (Clock::now() - alive_ < kSignOfLife) return;
    alive_ = Clock::now();
    if (const auto session = work_.worker.session({})) (void)work_.context.save_progress(**session, progress());
  }

  std::string progress() const { return fmt::format(R"({{"open":{}}})", open_.size()); }

  // After so many batches; less often when storing takes much of the time, and whenever it was long ago.
  bool is_time_to_store() const {
    const auto since = Clock::now() - stored_;
    return since > kLongAgo || (batches_ >= job_.options.flush_batches && since >= kShare * storing_);
  }

  // Under the fence, without ending the task.
  Result<void> store_part() {
    if (part_.counts.accounted() == 0) return {};
    const auto begin = Clock::now();
    const model::RowCounts counts = part_.counts;
    LADE_TRY(add_orphans(done_, part_));
    LADE_ASSIGN(const store::BucketOutcomes whole, packed(true));
    LADE_ASSIGN(const Worker::Session session, work_.worker.session({}));
    const auto store_all = [&]() -> Result<void> {
      LADE_TRY(work_.context.save_progress(*session, progress()));
      LADE_TRY(store::save_outcomes(*session, job_.id, whole));
      LADE_TRY(store_issues(*session, job_, *part_.findings));
      return store::advance_job(*session, job_.id, {.rows = counts});
    };
    work_.unpublished.clear();
    LADE_TRY(db::in_transaction(*session, store_all));
    work_.desk.progress().rows_loaded += counts.accounted();
    work_.desk.progress().rows_failed += counts[Outcome::failed];
    part_ = BucketResult(job_);
    batches_ = 0;
    alive_ = stored_ = Clock::now();
    storing_ = stored_ - begin;
    return {};
  }

  // All that is known of the bucket, as the store keeps it.
  Result<store::BucketOutcomes> packed(bool partial) const {
    store::BucketOutcomes stored;
    stored.bucket = static_cast<std::int64_t>(work_.target.part);
    stored.counts = done_.counts;
    stored.counts[Outcome::unprocessed] = static_cast<std::int64_t>(open_.size());
    store::OutcomePacker outcomes = done_.outcomes;
    for (const std::uint32_t row : open_) outcomes.add({row, Outcome::unprocessed});
    stored.packed = outcomes.finish();
    stored.partial = partial;
    LADE_ASSIGN(stored.findings, staging::pack(*done_.findings));
    stored.issues = to_text(done_.issues);
    return stored;
  }

  Result<void> finish() {
    open_.clear();  // nothing is left that is staged
    LADE_ASSIGN(const store::BucketOutcomes whole, packed(false));
    LADE_ASSIGN(const Worker::Session session, work_.worker.session(work_.context.stop()));
    LADE_ASSIGN(queue::Publication publication, work_.context.publish(*session));
    LADE_TRY(store::save_outcomes(*session, job_.id, whole));
    LADE_TRY(store::advance_job(*session, job_.id, {.buckets_processed = 1}));
    LADE_TRY(publication.commit());
    log(LogLevel::info, "bucket_handed_over",
        {{"job", job_.uuid},
         {"company", std::to_string(job_.options.company)},
         {"handler", job_.handler->name()},
         {"bucket", std::to_string(work_.target.part)},
         {"rows", std::to_string(done_.counts.accounted())},
         {"failed", std::to_string(done_.counts[Outcome::failed])}});
    return {};
  }

  const Work& work_;
  const Job& job_;
  StagedBucket staged_;
  BucketResult done_;             // what is stored of the bucket's rows
  BucketResult part_;             // what became of further ones, and is not stored yet
  std::set<std::uint32_t> open_;  // rows of which nothing is known yet
  std::vector<std::pair<staging::RowPlace, model::Issue>> failed_, suspects_;
  const std::size_t batch_;  // rows
  unsigned batches_ = 0;     // since it was stored
  Clock::time_point stored_ = Clock::now(), alive_ = stored_;
  Clock::duration storing_{0};  // how long it took the last time
};

}  // namespace

Result<void> hand_over(const Work& work) {
  if (work.job().handler) return HandingOver(work).run();
  static const handlers::Registry kNone;
  const auto& here = work.job().options.handlers;
  LADE_TRY((here ? *here : kNone).get(work.job().definition().handler()->name));
  return {};
}

void open_handler(Job& job) {
  const definition::HandlerTarget* const target = job.definition().handler();
  const handlers::Handler* const handler =
      target == nullptr || !job.options.handlers ? nullptr : job.options.handlers->find(target->name);
  if (handler == nullptr) return;
  handlers::Start start{handler->name, job.uuid, {}, boost::json::serialize(definition::json_of(target->options))};
  for (const analysis::TargetField& field : job.program->entries.front().fields)
    start.headers.push_back(field.column.name);
  const auto batch = static_cast<std::size_t>(target->batch_size);
  job.handler = std::make_shared<handlers::Pool>(job.options.handlers, *handler, std::move(start),
                                                 batch == 0 ? job.options.batch_rows : batch);
}

Result<void> tell_begin(const Job& job) {
  return job.handler ? job.handler->ask(handlers::pre_import_message()) : Result<void>();
}

void tell_end(const Job& job, std::string_view status, const model::RowCounts& counts) {
  if (!job.handler) return;
  boost::json::object told{{"read", counts.read}};
  for (const Outcome outcome : model::kOutcomes) told[to_string(outcome)] = counts[outcome];
  const auto answered = job.handler->ask(handlers::on_complete_message(status, boost::json::serialize(told)));
  if (answered) return;
  log(LogLevel::warning, "on_complete_failed",
      {{"job", job.uuid}, {"handler", job.handler->name()}, {"error", answered.error().message}});
}

}  // namespace lade::jobs
