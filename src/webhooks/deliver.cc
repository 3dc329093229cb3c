#include "webhooks/deliver.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <memory>

#include "base/failpoint.h"
#include "store/deliveries.h"
#include "store/outbox.h"
#include "webhooks/printable.h"
#include "webhooks/signature.h"

namespace lade::webhooks {
namespace {

using queue::TaskContext;
using store::Attempt;
using store::DeliveryStatus;
using store::Parcel;

constexpr long kGone = 410;
constexpr std::chrono::milliseconds kTryLater{500};

Result<std::int64_t> delivery_in(const std::string& payload) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(payload, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* id = object == nullptr ? nullptr : object->if_contains("delivery");
  if (id != nullptr && id->is_int64()) return id->get_int64();
  return fail("payload_invalid", "the task's payload names no delivery: " + payload);
}

Result<PostAnswer> send(const Parcel& parcel, const PostLimits& limits, const std::stop_token& stop) {
  const std::int64_t timestamp =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  LADE_ASSIGN(const std::string signature, sign(parcel.secret, parcel.uuid, timestamp, parcel.body));
  return post({.url = parcel.url,
               .headers = {"Content-Type: application/cloudevents+json; charset=utf-8",
                           "User-Agent: lade/" LADE_VERSION, "webhook-id: " + parcel.uuid,
                           fmt::format("webhook-timestamp: {}", timestamp), "webhook-signature: " + signature},
               .body = parcel.body},
              limits, stop);
}

Attempt attempt_of(const PostAnswer& answer, const Parcel& parcel) {
  const bool accepted = answer.status >= 200 && answer.status < 300;
  if (accepted) return {DeliveryStatus::delivered, answer.status};
  const std::string excerpt = printable(answer.excerpt, parcel.secret);
  return {answer.status == kGone ? DeliveryStatus::failed : DeliveryStatus::pending, answer.status,
          fmt::format("the receiver answered {}{}{}", answer.status, excerpt.empty() ? "" : ": ", excerpt)};
}

// It has ended: with the task, or not at all.
Result<void> publish_end(TaskContext& context, const Parcel& parcel, const Attempt& attempt) {
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire());
  LADE_ASSIGN(queue::Publication publication, context.publish(*session));
  // The webhook first: whoever deletes it locks it and then its deliveries.
  if (attempt.answer == kGone) LADE_TRY(store::deactivate_webhook(*session, parcel.webhook));
  LADE_TRY(store::record_attempt(*session, parcel.delivery, attempt));
  return publication.commit();
}

Result<void> publish_inactive(TaskContext& context, const Parcel& parcel) {
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire());
  LADE_ASSIGN(queue::Publication publication, context.publish(*session));
  LADE_TRY(store::give_up_delivery(*session, parcel.delivery, "the webhook is not active"));
  return publication.commit();
}

// It will be tried again; written only while the task is this process's own.
Result<void> record_failure(TaskContext& context, const Parcel& parcel, const Attempt& attempt) {
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire());
  LADE_ASSIGN(db::Transaction transaction, db::Transaction::begin(*session));
  LADE_TRY(context.save_progress(*session, ""));
  LADE_TRY(store::record_attempt(*session, parcel.delivery, attempt));
  return transaction.commit();
}

Result<std::optional<Parcel>> read_parcel(TaskContext& context) {
  auto delivery = delivery_in(context.task().payload);
  if (!delivery) return fail(context.give_up(std::move(delivery).error()));
  LADE_ASSIGN(const db::Pool::Lease session, context.sessions().acquire(context.stop()));
  return store::find_parcel(*session, *delivery);
}

Result<void> deliver(TaskContext& context, const PostLimits& limits) {
  LADE_ASSIGN(const std::optional<Parcel> parcel, read_parcel(context));
  if (!parcel || parcel->delivered) return {};
  if (!parcel->webhook_active) return publish_inactive(context, *parcel);
  auto answer = send(*parcel, limits, context.stop());
  LADE_FAILPOINT("delivery_sent");
  if (!answer) {
    Error error = std::move(answer).error();
    if (error.kind == ErrorKind::cancelled) return fail(std::move(error));
    LADE_TRY(record_failure(context, *parcel, {.error = error.message}));
    // No later attempt would change these.
    if (error.code == "delivery_failed") return fail(std::move(error));
    return fail(context.give_up(std::move(error)));
  }
  const Attempt attempt = attempt_of(*answer, *parcel);
  if (attempt.status != DeliveryStatus::pending) return publish_end(context, *parcel, attempt);
  LADE_TRY(record_failure(context, *parcel, attempt));
  return fail("delivery_failed", fmt::format("the receiver answered {}", answer->status));
}

Result<void> on_death(db::Connection& connection, const queue::DeadLetter& letter) {
  const auto delivery = delivery_in(letter.payload);
  return delivery ? store::give_up_delivery(connection, *delivery, letter.message) : Result<void>();
}

// A number of places; whoever has one gives it back by its end.
class Places {
 public:
  explicit Places(std::size_t count) : free_(static_cast<std::int64_t>(count)) {}
  class Taken {
   public:
    explicit Taken(Places& places) : places_(places), has_(places.free_.fetch_sub(1) > 0) {}
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() { places_.free_.fetch_add(1); }
    explicit operator bool() const { return has_; }

   private:
    Places& places_;
    const bool has_;
  };

 private:
  std::atomic<std::int64_t> free_;
};

}  // namespace

void handle_deliveries(queue::Node& node, const DeliveryOptions& options) {
  // Shared by the copies of the handler.
  const auto places = std::make_shared<Places>(options.most_at_once);
  const auto run = [places, limits = options.post](TaskContext& context) -> Result<void> {
    const Places::Taken place(*places);
    if (place) return deliver(context, limits);
    context.postpone(kTryLater);
    return {};
  };
  node.handle(std::string(store::kDeliverTask), {.run = run, .retry = options.retry, .on_death = on_death});
}

}  // namespace lade::webhooks
