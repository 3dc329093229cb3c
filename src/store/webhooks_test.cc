// Webhooks and the outbox: what is put into it, when, for whom, and what becomes of it.
#include "store/webhooks.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "queue/task_list.h"
#include "store/deliveries.h"
#include "store/job_ends.h"
#include "store/outbox.h"
#include "testing/stored_jobs.h"

namespace lade::store {
namespace {

using model::JobEvent;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Webhooks : public testing::StoredJobsTest {
 protected:
  Webhooks() {
    EXPECT_OK(connection->run(
        pick("INSERT INTO lade_company (id, name, slug, created_at) VALUES (2, 'other', 'other', '2024')",
             "INSERT INTO lade_company (id, name, slug) VALUES (2, 'other', 'other')")));
  }
  WebhookRecord made(std::vector<std::string> events = {}, std::int64_t company = kDefaultCompany) {
    const auto webhook = create_webhook(*connection, {.url = "https://example.com/hook",
                                                      .secret = "whsec_c2VjcmV0",
                                                      .events = std::move(events),
                                                      .created_by = "ada",
                                                      .company = company});
    EXPECT_OK(webhook);
    return webhook.value_or(WebhookRecord());
  }
  // Newest first.
  std::vector<DeliveryRecord> deliveries(const WebhookRecord& webhook, const std::string& status = "") {
    auto page = list_deliveries(*connection, {.webhook = webhook.id, .status = status});
    EXPECT_OK(page);
    return page ? std::move(page->deliveries) : std::vector<DeliveryRecord>();
  }
  std::vector<std::string> kinds(const WebhookRecord& webhook) {
    std::vector<std::string> found;
    for (const DeliveryRecord& delivery : deliveries(webhook)) found.insert(found.begin(), delivery.kind);
    return found;
  }
  std::vector<queue::TaskRow> tasks() {
    auto found = queue::list_tasks(*connection, {});
    EXPECT_OK(found);
    return found.value_or(std::vector<queue::TaskRow>());
  }
};
LADE_ON_BOTH_DATABASES(Webhooks);

TEST_P(Webhooks, AreTheCompanysOwn) {
  const WebhookRecord one = made({"completed", "failed"}), two = made(), other = made({}, 2);
  const auto found = require_webhook(*connection, kDefaultCompany, one.uuid);
  ASSERT_OK(found);
  EXPECT_EQ(found->id, one.id);
  EXPECT_EQ(found->url, "https://example.com/hook");
  EXPECT_THAT(found->events, ElementsAre("completed", "failed"));
  EXPECT_TRUE(found->active);
  EXPECT_EQ(found->created_by, "ada");
  EXPECT_EQ(found->created_at.size(), 24u);
  EXPECT_OK(require_webhook(*connection, kDefaultCompany, std::to_string(two.id)));
  EXPECT_FAILS(require_webhook(*connection, kDefaultCompany, other.uuid), "webhook_not_found");
  EXPECT_FAILS(require_webhook(*connection, 2, one.uuid), "webhook_not_found");
  EXPECT_FAILS(change_webhook(*connection, 2, one.uuid, {.active = false}), "webhook_not_found");
  EXPECT_FAILS(remove_webhook(*connection, 2, one.uuid), "webhook_not_found");
  EXPECT_EQ(list_webhooks(*connection, kDefaultCompany)->size(), 2u);
  EXPECT_EQ(list_webhooks(*connection, 2)->size(), 1u);
}

TEST_P(Webhooks, AreChangedInPart) {
  const WebhookRecord webhook = made({"failed"});
  const auto moved = change_webhook(*connection, kDefaultCompany, webhook.uuid, {.url = "https://example.com/new"});
  ASSERT_OK(moved);
  EXPECT_EQ(moved->url, "https://example.com/new");
  EXPECT_THAT(moved->events, ElementsAre("failed"));
  EXPECT_TRUE(moved->active);
  const auto quiet = change_webhook(*connection, kDefaultCompany, webhook.uuid,
                                    {.events = std::vector<std::string>(), .active = false});
  ASSERT_OK(quiet);
  EXPECT_THAT(quiet->events, IsEmpty());
  EXPECT_FALSE(quiet->active);
  EXPECT_EQ(quiet->url, "https://example.com/new");
}

TEST_P(Webhooks, TakeOnlyEventsThatExist) {
  EXPECT_FAILS(create_webhook(*connection, {.url = "u", .secret = "s", .events = {"failed", "progress"}}),
               "webhook_event_unknown");
  const WebhookRecord webhook = made();
  EXPECT_FAILS(change_webhook(*connection, kDefaultCompany, webhook.uuid, {.events = std::vector<std::string>{"x y"}}),
               "webhook_event_unknown");
}

TEST_P(Webhooks, HearOfEveryTransition) {
  const WebhookRecord webhook = made();
  const std::int64_t job = created(new_job());
  ASSERT_OK(change(job, JobEvent::preparation_started));
  ASSERT_OK(set_job_paused(*connection, job, true, "ada"));
  ASSERT_OK(change(job, JobEvent::failed));
  EXPECT_EQ(kinds(webhook), event_kinds(job));
  EXPECT_THAT(kinds(webhook), ElementsAre("created", "preparation_started", "paused", "failed"));
  const std::vector<DeliveryRecord> all = deliveries(webhook);
  EXPECT_EQ(all.front().event_number, 4);
  EXPECT_EQ(all.front().job, found(job).uuid);
  EXPECT_EQ(all.front().status, "pending");
  EXPECT_EQ(all.front().attempts, 0);
  const std::vector<queue::TaskRow> sent = tasks();
  ASSERT_EQ(sent.size(), 4u) << "one task each";
  EXPECT_EQ(sent.front().kind, "deliver");
  EXPECT_EQ(sent.front().group, "");
  EXPECT_EQ(sent.front().id, all.front().task);
}

TEST_P(Webhooks, HearOnlyWhatTheyWantAndOnlyOfTheirCompany) {
  const WebhookRecord wanted = made({"failed", "completed"}), other = made({}, 2), quiet = made();
  ASSERT_OK(change_webhook(*connection, kDefaultCompany, quiet.uuid, {.active = false}));
  const std::int64_t job = created(new_job());
  ASSERT_OK(change(job, JobEvent::preparation_started));
  ASSERT_OK(change(job, JobEvent::failed));
  EXPECT_THAT(kinds(wanted), ElementsAre("failed"));
  EXPECT_THAT(kinds(other), IsEmpty());
  EXPECT_THAT(kinds(quiet), IsEmpty());
  EXPECT_EQ(tasks().size(), 1u);
}

TEST_P(Webhooks, SendCloudEventsWithoutValues) {
  const WebhookRecord webhook = made({"failed"});
  const std::int64_t job = created(new_job());
  ASSERT_OK(change(job, JobEvent::preparation_started));
  ASSERT_OK(change(job, JobEvent::failed));
  const DeliveryRecord delivery = deliveries(webhook).at(0);
  const auto parcel = find_parcel(*connection, delivery.id);
  ASSERT_OK(parcel);
  ASSERT_TRUE(*parcel);
  EXPECT_EQ((*parcel)->uuid, delivery.uuid);
  EXPECT_EQ((*parcel)->secret, "whsec_c2VjcmV0");
  const boost::json::object event = boost::json::parse((*parcel)->body).as_object();
  const JobRecord record = found(job);
  EXPECT_EQ(event.at("specversion"), "1.0");
  EXPECT_EQ(event.at("id"), boost::json::value(delivery.uuid));
  EXPECT_EQ(event.at("source"), boost::json::value("/api/v1/imports/" + record.uuid));
  EXPECT_EQ(event.at("type"), "lade.import.failed");
  EXPECT_EQ(event.at("subject"), boost::json::value(record.slug));
  EXPECT_EQ(event.at("datacontenttype"), "application/json");
  EXPECT_EQ(event.at("time").as_string().size(), 24u);
  const boost::json::value rows = {{"read", 0},    {"inserted", 0},    {"updated", 0}, {"unchanged", 0}, {"failed", 0},
                                   {"skipped", 0}, {"unprocessed", 0}, {"deleted", 0}, {"removed", 0}};
  const boost::json::value data = {
      {"job_id", record.uuid}, {"job", record.slug},  {"definition", "prices"},    {"event", 3},  {"status", "failed"},
      {"state", "finished"},   {"outcome", "failed"}, {"error_code", "disk_full"}, {"rows", rows}};
  EXPECT_EQ(event.at("data"), data) << boost::json::serialize(event);
}

TEST_P(Webhooks, HearNothingOfWhatWasRolledBack) {
  const WebhookRecord webhook = made();
  const std::int64_t job = created(new_job());
  {
    auto transaction = db::Transaction::begin(*connection);
    ASSERT_OK(transaction);
    ASSERT_OK(change(job, JobEvent::preparation_started));
    EXPECT_EQ(kinds(webhook).size(), 2u);
    ASSERT_OK(transaction->rollback());
  }
  EXPECT_FAILS(change(job, JobEvent::approved), "transition_refused");
  EXPECT_THAT(kinds(webhook), ElementsAre("created"));
  EXPECT_EQ(tasks().size(), 1u);
}

TEST_P(Webhooks, ListDeliveriesPageByPage) {
  const WebhookRecord webhook = made(), other = made();
  const std::int64_t job = created(new_job());
  for (int i = 0; i < 4; ++i) ASSERT_OK(set_job_paused(*connection, job, i % 2 == 0, "ada"));
  std::vector<std::int64_t> numbers;
  std::int64_t pages = 0;
  for (std::int64_t before = 0;; ++pages) {
    const auto page = list_deliveries(*connection, {.webhook = webhook.id, .before = before, .limit = 2});
    ASSERT_OK(page);
    for (const DeliveryRecord& delivery : page->deliveries) numbers.push_back(delivery.event_number);
    before = page->next;
    if (before == 0) break;
  }
  EXPECT_THAT(numbers, ElementsAre(5, 4, 3, 2, 1));
  EXPECT_EQ(pages, 2);
  EXPECT_EQ(deliveries(other).size(), 5u);
  EXPECT_EQ(deliveries(webhook, "failed").size(), 0u);
  EXPECT_FAILS(list_deliveries(*connection, {.webhook = webhook.id, .status = "lost"}), "status_unknown");
  EXPECT_FAILS(require_delivery(*connection, webhook.id, deliveries(other).front().uuid), "delivery_not_found");
}

TEST_P(Webhooks, RememberWhatCameOfADelivery) {
  const WebhookRecord webhook = made();
  const auto uuid = put_ping_into_outbox(*connection, webhook);
  ASSERT_OK(uuid);
  const std::int64_t id = require_delivery(*connection, webhook.id, *uuid)->id;
  ASSERT_OK(record_attempt(*connection, id, {DeliveryStatus::pending, 500, "the receiver answered 500"}));
  ASSERT_OK(give_up_delivery(*connection, id, "too many attempts"));
  DeliveryRecord delivery = *require_delivery(*connection, webhook.id, *uuid);
  EXPECT_EQ(delivery.status, "failed");
  EXPECT_EQ(delivery.kind, "ping");
  EXPECT_EQ(delivery.job, "");
  EXPECT_EQ(delivery.attempts, 1);
  EXPECT_EQ(delivery.last_status, 500);
  EXPECT_EQ(delivery.last_error, "the receiver answered 500");
  EXPECT_EQ(delivery.delivered_at, "");
  ASSERT_OK(record_attempt(*connection, id, {DeliveryStatus::delivered, 204}));
  delivery = *require_delivery(*connection, webhook.id, *uuid);
  EXPECT_EQ(delivery.status, "delivered");
  EXPECT_EQ(delivery.attempts, 2);
  EXPECT_EQ(delivery.last_error, "");
  EXPECT_EQ(delivery.delivered_at.size(), 24u);
}

TEST_P(Webhooks, AreRetriedOnceAtATime) {
  const WebhookRecord webhook = made();
  const std::string uuid = put_ping_into_outbox(*connection, webhook).value();
  EXPECT_FAILS(retry_delivery(*connection, webhook, uuid), "task_exists");
  const DeliveryRecord before = *require_delivery(*connection, webhook.id, uuid);
  ASSERT_OK(connection->run("UPDATE lade_task SET status = 'failed'"));
  ASSERT_OK(give_up_delivery(*connection, before.id, "no"));
  const auto again = retry_delivery(*connection, webhook, uuid);
  ASSERT_OK(again);
  EXPECT_EQ(again->status, "pending");
  EXPECT_NE(again->task, before.task);
  EXPECT_FAILS(retry_delivery(*connection, webhook, "nothing"), "delivery_not_found");
}

TEST_P(Webhooks, GoWithTheirDeliveriesButOutliveJobs) {
  const WebhookRecord webhook = made({"created", "failed"});
  const std::int64_t job = created(new_job());
  ASSERT_OK(change(job, JobEvent::preparation_started));
  ASSERT_OK(change(job, JobEvent::failed));
  ASSERT_OK(remove_job(*connection, job));
  ASSERT_EQ(deliveries(webhook).size(), 2u) << "what happened is told also when the job is gone";
  EXPECT_EQ(deliveries(webhook).front().job, "");
  const std::int64_t delivery = deliveries(webhook).front().id;
  ASSERT_OK(remove_webhook(*connection, kDefaultCompany, webhook.uuid));
  EXPECT_EQ(integer("SELECT count(*) FROM lade_delivery"), 0);
  const auto parcel = find_parcel(*connection, delivery);
  ASSERT_OK(parcel);
  EXPECT_FALSE(*parcel);
}

TEST_P(Webhooks, ForgetOldDeliveriesThatEnded) {
  const WebhookRecord webhook = made();
  for (int i = 0; i < 3; ++i) ASSERT_OK(put_ping_into_outbox(*connection, webhook));
  const std::vector<DeliveryRecord> all = deliveries(webhook);
  ASSERT_OK(record_attempt(*connection, all[0].id, {DeliveryStatus::delivered, 200}));
  ASSERT_OK(give_up_delivery(*connection, all[1].id, "no"));
  EXPECT_EQ(expire_deliveries(*connection, 30).value(), 0);
  ASSERT_OK(connection->run("UPDATE lade_delivery SET created_at = '2024-01-01T00:00:00.000Z'"));
  EXPECT_EQ(expire_deliveries(*connection, 30).value(), 2);
  EXPECT_EQ(deliveries(webhook).size(), 1u) << "what is still on its way stays";
}

}  // namespace
}  // namespace lade::store
