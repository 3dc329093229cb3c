// Deliveries from the transition of a job to a receiver on loopback, through a running node.
#include "webhooks/deliver.h"

#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "base/failpoint.h"
#include "queue/enqueue.h"
#include "queue/rescue.h"
#include "store/deliveries.h"
#include "store/outbox.h"
#include "testing/receiver.h"
#include "testing/stored_jobs.h"
#include "webhooks/registration.h"

namespace lade::webhooks {
namespace {

using namespace std::chrono_literals;
using lade::testing::Receiver;
using model::JobEvent;
using ::testing::HasSubstr;

class Deliveries : public lade::testing::StoredJobsTest {
 protected:
  Deliveries() {
    node_options.settings.concurrency = 2;
    node_options.settings.beat = 50ms;
    node_options.settings.lease = 300ms;
    node_options.settings.poll = 20ms;
    options.retry = {.max_attempts = 3, .base = 1ms, .cap = 1ms};
    options.post.allow_private = true;
  }
  ~Deliveries() override { EXPECT_OK(arm_failpoints("")); }

  Registered hook(const std::string& url, std::vector<std::string> events = {}) {
    auto registered = register_webhook(*connection, {.url = url, .events = std::move(events), .created_by = "ada"});
    EXPECT_OK(registered);
    return registered.value_or(Registered());
  }
  // Starts to send.
  void start() {
    pool = std::make_unique<db::Pool>(queue::session_url(database.url(), node_options.boot), is_sqlite() ? 1 : 4);
    node = std::make_unique<queue::Node>(*pool, node_options);
    handle_deliveries(*node, options);
    ASSERT_OK(node->start());
  }
  std::string ping(const Registered& registered) {
    const auto uuid = store::put_ping_into_outbox(*connection, registered.webhook);
    EXPECT_OK(uuid);
    return uuid.value_or("");
  }
  store::DeliveryRecord delivery(const Registered& registered, const std::string& uuid) {
    auto found = store::require_delivery(*connection, registered.webhook.id, uuid);
    EXPECT_OK(found);
    return found.value_or(store::DeliveryRecord());
  }
  // As it is once it has ended; nobody tells of that, so this looks again and again.
  store::DeliveryRecord ended(const Registered& registered, const std::string& uuid) {
    for (const auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
      const store::DeliveryRecord found = delivery(registered, uuid);
      if (found.status != "pending") return found;
      std::this_thread::sleep_for(5ms);
    }
    ADD_FAILURE() << "the delivery does not end";
    return {};
  }
  std::int64_t dead_letters() { return integer("SELECT count(*) FROM lade_dead_letter"); }

  queue::NodeOptions node_options;
  DeliveryOptions options;
  std::unique_ptr<db::Pool> pool;
  std::unique_ptr<queue::Node> node;
};
LADE_ON_BOTH_DATABASES(Deliveries);

// As a receiver does it, by OpenSSL's own means.
std::string expected_signature(const std::string& secret, const Receiver::Request& request) {
  const std::string base64 = secret.substr(6);
  std::string key(base64.size(), '\0');
  EVP_DecodeBlock(reinterpret_cast<unsigned char*>(key.data()), reinterpret_cast<const unsigned char*>(base64.data()),
                  static_cast<int>(base64.size()));
  key.resize(32);
  const std::string text =
      request.headers.at("webhook-id") + "." + request.headers.at("webhook-timestamp") + "." + request.body;
  unsigned char digest[32], encoded[45];
  HMAC(EVP_sha256(), key.data(), 32, reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, nullptr);
  EVP_EncodeBlock(encoded, digest, sizeof digest);
  return "v1," + std::string(reinterpret_cast<const char*>(encoded));
}

TEST_P(Deliveries, AreSignedCloudEventsOfEachTransition) {
  Receiver receiver;
  receiver.serve_statuses({200});
  const Registered registered = hook(receiver.url());
  start();
  const std::int64_t job = created(new_job());
  ASSERT_OK(change(job, JobEvent::preparation_started));
  ASSERT_TRUE(receiver.gets(2));
  for (const Receiver::Request& request : receiver.requests()) {
    EXPECT_EQ(request.line, "POST /hook HTTP/1.1");
    EXPECT_EQ(request.headers.at("content-type"), "application/cloudevents+json; charset=utf-8");
    EXPECT_THAT(request.headers.at("user-agent"), ::testing::MatchesRegex("lade/[0-9.]+"));
    EXPECT_EQ(request.headers.at("webhook-signature"), expected_signature(registered.secret, request));
    EXPECT_NEAR(static_cast<double>(std::stoll(request.headers.at("webhook-timestamp"))),
                static_cast<double>(std::time(nullptr)), 60);
    const store::DeliveryRecord sent = ended(registered, request.headers.at("webhook-id"));
    EXPECT_EQ(sent.status, "delivered");
    EXPECT_EQ(sent.last_status, 200);
    EXPECT_EQ(sent.attempts, 1);
    EXPECT_THAT(request.body, HasSubstr("\"id\":\"" + sent.uuid + "\""));
    EXPECT_THAT(request.body, HasSubstr("\"type\":\"lade.import." + sent.kind + "\""));
  }
}

TEST_P(Deliveries, AreTriedAgainUnderTheSameId) {
  Receiver receiver;
  receiver.serve_statuses({500, 302, 200});
  const Registered registered = hook(receiver.url());
  const std::string uuid = ping(registered);
  start();
  const store::DeliveryRecord sent = ended(registered, uuid);
  EXPECT_EQ(sent.status, "delivered");
  EXPECT_EQ(sent.attempts, 3);
  EXPECT_EQ(sent.last_error, "");
  const auto requests = receiver.requests();
  ASSERT_EQ(requests.size(), 3u);
  for (const Receiver::Request& request : requests) {
    EXPECT_EQ(request.headers.at("webhook-id"), uuid);
    EXPECT_EQ(request.body, requests.front().body);
  }
  EXPECT_EQ(dead_letters(), 0);
}

TEST_P(Deliveries, FailWhenTheyAreGivenUpAndCanBeRetried) {
  Receiver receiver;
  receiver.serve_statuses({500, 500, 500, 200});
  const Registered registered = hook(receiver.url());
  const std::string uuid = ping(registered);
  start();
  const store::DeliveryRecord given_up = ended(registered, uuid);
  EXPECT_EQ(given_up.status, "failed");
  EXPECT_EQ(given_up.attempts, 3);
  EXPECT_EQ(given_up.last_status, 500);
  EXPECT_EQ(given_up.last_error, "the receiver answered 500");
  EXPECT_EQ(dead_letters(), 1);
  ASSERT_OK(store::retry_delivery(*connection, registered.webhook, uuid));
  EXPECT_EQ(ended(registered, uuid).status, "delivered");
  EXPECT_EQ(receiver.requests().size(), 4u);
  EXPECT_EQ(dead_letters(), 0) << "the retry takes the dead letter's place";
}

TEST_P(Deliveries, KeepWhatTheReceiverSaidButNoSecret) {
  Receiver receiver;
  std::string secret;
  receiver.serve([&](const Receiver::Request&) { return Receiver::answer(400, "bad\n key " + secret + "\x01\xff"); });
  const Registered registered = hook(receiver.url());
  secret = registered.secret;
  const std::string uuid = ping(registered);
  start();
  EXPECT_EQ(ended(registered, uuid).last_error, "the receiver answered 400: bad key ***..");
  EXPECT_EQ(integer("SELECT count(*) FROM lade_dead_letter WHERE message = 'the receiver answered 400'"), 1);
}

TEST_P(Deliveries, EndTheWebhookOfAReceiverThatIsGone) {
  Receiver receiver;
  receiver.serve_statuses({410});
  const Registered registered = hook(receiver.url());
  const std::string uuid = ping(registered);
  start();
  const store::DeliveryRecord refused = ended(registered, uuid);
  EXPECT_EQ(refused.status, "failed");
  EXPECT_EQ(refused.attempts, 1);
  EXPECT_EQ(refused.last_status, 410);
  EXPECT_FALSE(store::require_webhook(*connection, 1, registered.webhook.uuid)->active);
  const std::string next = ping(registered);
  const store::DeliveryRecord unsent = ended(registered, next);
  EXPECT_EQ(unsent.status, "failed");
  EXPECT_EQ(unsent.attempts, 0);
  EXPECT_EQ(unsent.last_error, "the webhook is not active");
  EXPECT_EQ(receiver.requests().size(), 1u);
  EXPECT_EQ(dead_letters(), 0);
}

TEST_P(Deliveries, GoToNoPrivateAddressUnlessAllowed) {
  Receiver receiver;
  receiver.serve_statuses({200});
  options.post.allow_private = false;
  const Registered registered = hook(receiver.url());
  const std::string uuid = ping(registered);
  start();
  const store::DeliveryRecord refused = ended(registered, uuid);
  EXPECT_EQ(refused.status, "failed");
  EXPECT_EQ(refused.attempts, 1) << "trying again would not help";
  EXPECT_THAT(refused.last_error, HasSubstr("not public"));
  EXPECT_TRUE(receiver.requests().empty());
  EXPECT_EQ(integer("SELECT count(*) FROM lade_dead_letter WHERE reason = 'delivery_address_refused'"), 1);
}

TEST_P(Deliveries, DoNotWaitForASlowReceiverForEver) {
  Receiver slow, quick;
  slow.serve([](const Receiver::Request&) { return std::nullopt; });
  quick.serve_statuses({200});
  options.post.timeout = 300ms;
  const Registered waiting = hook(slow.url()), other = hook(quick.url());
  const std::string uuid = ping(waiting), meanwhile = ping(other);
  start();
  EXPECT_EQ(ended(other, meanwhile).status, "delivered");
  const store::DeliveryRecord late = ended(waiting, uuid);
  EXPECT_EQ(late.status, "failed");
  EXPECT_EQ(late.last_status, 0);
  EXPECT_THAT(late.last_error, HasSubstr("Timeout"));
}

TEST_P(Deliveries, LeaveTheDatabaseFreeWhileTheyWait) {
  Receiver receiver;
  receiver.serve([](const Receiver::Request&) { return std::nullopt; });
  const Registered registered = hook(receiver.url());
  ping(registered);
  ping(registered);
  start();
  ASSERT_TRUE(receiver.gets(2));
  // Both workers wait for the receiver; on SQLite there is one session for all.
  const auto session = pool->acquire();
  ASSERT_OK(session);
  EXPECT_OK((*session)->run("UPDATE lade_webhook SET url = url"));
}

TEST_P(Deliveries, HoldUpNoMoreThreadsThanTheyMay) {
  Receiver receiver;
  receiver.serve([](const Receiver::Request&) { return std::nullopt; });
  options.most_at_once = 1;
  bool other_work = false;
  std::mutex mutex;
  std::condition_variable changed;
  const Registered registered = hook(receiver.url());
  for (int i = 0; i < 3; ++i) ping(registered);
  pool = std::make_unique<db::Pool>(queue::session_url(database.url(), node_options.boot), is_sqlite() ? 1 : 4);
  node = std::make_unique<queue::Node>(*pool, node_options);
  handle_deliveries(*node, options);
  node->handle("other", {.run = [&](queue::TaskContext&) -> Result<void> {
                 const std::lock_guard lock(mutex);
                 other_work = true;
                 changed.notify_all();
                 return {};
               }});
  ASSERT_OK(node->start());
  ASSERT_TRUE(receiver.gets(1));
  ASSERT_OK(queue::enqueue(*connection, {.kind = "other"}));
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, 10s, [&] { return other_work; }));
  lock.unlock();
  EXPECT_EQ(receiver.requests().size(), 1u);
  node.reset();
}

TEST_P(Deliveries, AreSentAgainWhenTheDatabaseWentAwayMeanwhile) {
  Receiver receiver;
  receiver.serve_statuses({200});
  const Registered registered = hook(receiver.url());
  const std::string uuid = ping(registered);
  ASSERT_OK(arm_failpoints("delivery_sent=error:db_lost@1"));
  start();
  const store::DeliveryRecord sent = ended(registered, uuid);
  EXPECT_EQ(sent.status, "delivered");
  EXPECT_EQ(sent.attempts, 1) << "what was never written down does not count";
  ASSERT_EQ(receiver.requests().size(), 2u);
  EXPECT_EQ(receiver.requests()[0].headers.at("webhook-id"), uuid);
  EXPECT_EQ(receiver.requests()[1].headers.at("webhook-id"), uuid);
}

TEST_P(Deliveries, AreSentAgainWhenTheirProcessWasKilledMeanwhile) {
  Receiver receiver;
  const Registered registered = hook(receiver.url());
  const std::string uuid = ping(registered);
  connection.reset();  // nothing of the database is shared with the other process, nor does any thread run yet
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!arm_failpoints("delivery_sent=kill@1")) _exit(1);
    start();
    for (;;) pause();
  }
  receiver.serve_statuses({200});
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  connection = database.connect();
  EXPECT_EQ(receiver.requests().size(), 1u);
  EXPECT_EQ(delivery(registered, uuid).status, "pending");
  node_options.boot = new_uuid();
  start();
  EXPECT_EQ(ended(registered, uuid).status, "delivered");
  ASSERT_EQ(receiver.requests().size(), 2u);
  EXPECT_EQ(receiver.requests()[1].headers.at("webhook-id"), uuid);
  EXPECT_EQ(receiver.requests()[1].body, receiver.requests()[0].body);
}

TEST_P(Deliveries, OfAWebhookThatIsGoneAreNotSent) {
  Receiver receiver;
  receiver.serve_statuses({200});
  const Registered gone = hook(receiver.url()), stays = hook(receiver.url());
  ping(gone);
  const std::string uuid = ping(stays);
  ASSERT_OK(store::remove_webhook(*connection, 1, gone.webhook.uuid));
  start();
  EXPECT_EQ(ended(stays, uuid).status, "delivered");
  EXPECT_EQ(receiver.requests().size(), 1u);
  EXPECT_EQ(dead_letters(), 0);
}

TEST_P(Deliveries, WithAForeignPayloadAreDeadLetters) {
  ASSERT_OK(queue::enqueue(*connection, {.kind = "deliver", .payload = "{\"delivery\":\"1\"}"}));
  start();
  for (const auto end = std::chrono::steady_clock::now() + 30s;
       dead_letters() == 0 && std::chrono::steady_clock::now() < end;)
    std::this_thread::sleep_for(5ms);
  EXPECT_EQ(integer("SELECT count(*) FROM lade_dead_letter WHERE reason = 'payload_invalid'"), 1);
}

TEST_P(Deliveries, RegistrationRefusesWhatCannotBeUsed) {
  EXPECT_FAILS(register_webhook(*connection, {.url = "ftp://example.com"}), "webhook_url_invalid");
  EXPECT_FAILS(register_webhook(*connection, {.url = "https://example.com", .events = {"x"}}), "webhook_event_unknown");
  const Registered registered = hook("https://example.com");
  EXPECT_FAILS(change_webhook(*connection, 1, registered.webhook.uuid, {.url = "https://ada:x@example.com"}),
               "webhook_url_invalid");
  EXPECT_FAILS(change_webhook(*connection, 1, "7", {.active = false}), "webhook_not_found");
}

}  // namespace
}  // namespace lade::webhooks
