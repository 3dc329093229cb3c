#include "harvest/politeness.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "harvest/gate_queue.h"
#include "testing/results.h"

namespace lade::harvest {
namespace {

using namespace std::chrono_literals;
using Answer = Permit::Answer;

// Time passes when the test says so.
class Polite : public ::testing::Test {
 protected:
  Politeness::Clock::time_point now_ = Politeness::Clock::time_point(1h);
};

TEST_F(Polite, SpreadsRequestsOverAMinute) {
  Politeness gate(PolitenessRules{.per_minute = 10, .burst = 1, .host_at_once = 5, .all_at_once = 5},
                  [this] { return now_; });
  EXPECT_EQ(gate.ask("a").answer, Answer::admitted);
  gate.release("a");
  const Permit later = gate.ask("a");
  EXPECT_EQ(later.answer, Answer::wait);
  EXPECT_EQ(later.ask_again, 6s);
  EXPECT_EQ(gate.ask("b").answer, Answer::admitted);  // another host
  gate.release("b");
  now_ += 5999ms;
  EXPECT_EQ(gate.ask("a").answer, Answer::wait);
  now_ += 1ms;
  EXPECT_EQ(gate.ask("a").answer, Answer::admitted);
}

TEST_F(Polite, ABurstAfterAPause) {
  Politeness gate(PolitenessRules{.per_minute = 60, .burst = 3, .host_at_once = 5, .all_at_once = 5},
                  [this] { return now_; });
  for (int round = 0; round < 2; ++round) {
    for (int request = 0; request < 3; ++request) {
      EXPECT_EQ(gate.ask("a").answer, Answer::admitted);
      gate.release("a");
    }
    EXPECT_EQ(gate.ask("a").answer, Answer::wait);
    now_ += 1h;
  }
}

TEST_F(Polite, PlacesOfAHostAndOfAll) {
  Politeness gate(PolitenessRules{.per_minute = 0, .burst = 1, .host_at_once = 2, .all_at_once = 3},
                  [this] { return now_; });
  EXPECT_EQ(gate.ask("a").answer, Answer::admitted);
  EXPECT_EQ(gate.ask("a").answer, Answer::admitted);
  EXPECT_EQ(gate.ask("a").answer, Answer::host_busy);
  EXPECT_EQ(gate.ask("b").answer, Answer::admitted);
  EXPECT_EQ(gate.ask("c").answer, Answer::all_busy);
  gate.release("a");
  EXPECT_EQ(gate.ask("c").answer, Answer::admitted);
  EXPECT_EQ(gate.ask("a").answer, Answer::all_busy);
}

TEST_F(Polite, LeavesAHostAlone) {
  Politeness gate(
      PolitenessRules{.per_minute = 0, .burst = 1, .host_at_once = 2, .all_at_once = 3, .longest_hold = 60s},
      [this] { return now_; });
  gate.hold("a", 30s);
  gate.hold("a", 10s);  // shortens nothing
  EXPECT_EQ(gate.ask("a").ask_again, 30s);
  EXPECT_EQ(gate.ask("b").answer, Answer::admitted);
  now_ += 30s;
  EXPECT_EQ(gate.ask("a").answer, Answer::admitted);
  gate.hold("c", 24h);
  EXPECT_EQ(gate.ask("c").ask_again, 60s);
}

TEST_F(Polite, NeverMoreThanAllowed) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const double per_minute : {7.0, 10.0, 90.0}) {
    for (const double burst : {1.0, 2.5, 5.0}) {
      Politeness gate(PolitenessRules{.per_minute = per_minute, .burst = burst, .host_at_once = 9, .all_at_once = 9},
                      [this] { return now_; });
      std::vector<Politeness::Clock::time_point> begun;
      while (begun.size() < 200) {
        const Permit permit = gate.ask("a");
        if (permit.answer == Answer::admitted) {
          begun.push_back(now_);
          gate.release("a");
        } else {
          now_ += random() % 2 == 0 ? permit.ask_again : std::chrono::milliseconds(random() % 5000);
        }
      }
      for (std::size_t from = 0; from < begun.size(); ++from) {
        for (std::size_t to = from; to < begun.size(); ++to) {
          const std::chrono::duration<double> stretch = begun[to] - begun[from];
          ASSERT_LE(static_cast<double>(to - from + 1), burst + stretch.count() * per_minute / 60 + 1e-6);
        }
      }
    }
  }
}

TEST_F(Polite, ForgetsHostsThatAreNew) {
  Politeness gate(PolitenessRules{.per_minute = 60, .burst = 1, .host_at_once = 1, .all_at_once = 5},
                  [this] { return now_; });
  for (int host = 0; host < 20'000; ++host) {
    ASSERT_EQ(gate.ask(std::to_string(host)).answer, Answer::admitted);
    gate.release(std::to_string(host));
    now_ += 10ms;
  }
  EXPECT_LE(gate.hosts(), 2'000u);
}

TEST(PolitenessRules, AreChecked) {
  EXPECT_OK(PolitenessRules{}.validate());
  EXPECT_FAILS((PolitenessRules{.per_minute = -1}.validate()), "harvest_rules_invalid");
  EXPECT_FAILS((PolitenessRules{.burst = 0.5}.validate()), "harvest_rules_invalid");
  EXPECT_FAILS((PolitenessRules{.host_at_once = 0}.validate()), "harvest_rules_invalid");
  EXPECT_FAILS((PolitenessRules{.all_at_once = 0}.validate()), "harvest_rules_invalid");
}

// Counts how often it is asked.
class CountingGate final : public RateGate {
 public:
  Permit ask(const std::string& host) override {
    ++asked;
    return inner.ask(host);
  }
  void release(const std::string& host) override { inner.release(host); }
  void hold(const std::string& host, std::chrono::milliseconds pause) override { inner.hold(host, pause); }
  int asked = 0;
  Politeness inner{PolitenessRules{.per_minute = 0, .burst = 1, .host_at_once = 1, .all_at_once = 2}};
};

TEST(GateQueue, LetsThroughInOrderAndAsksForTheFirstOnly) {
  CountingGate gate;
  GateQueue queue(gate);
  std::vector<std::uint64_t> through;
  const auto admit = [&] { queue.admit(GateQueue::Clock::now(), [&](std::uint64_t id) { through.push_back(id); }); };
  for (std::uint64_t id = 1; id <= 1000; ++id) queue.add("a", id);
  admit();
  EXPECT_EQ(through, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(gate.asked, 2);
  queue.remove(2);
  queue.release("a");
  admit();
  EXPECT_EQ(through, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(gate.asked, 4);
}

TEST(GateQueue, HostsTakeTurnsForTheLastPlace) {
  CountingGate gate;
  GateQueue queue(gate);
  std::vector<std::uint64_t> through;
  const auto admit = [&] { queue.admit(GateQueue::Clock::now(), [&](std::uint64_t id) { through.push_back(id); }); };
  for (const std::string host : {"a", "b", "c", "d"})
    for (std::uint64_t id = 1; id <= 2; ++id) queue.add(host, static_cast<std::uint64_t>(host[0]) * 10 + id);
  admit();
  ASSERT_EQ(through.size(), 2u);
  for (std::size_t ended = 0; ended < 8; ++ended) {
    ASSERT_GT(through.size(), ended);
    queue.release(std::string(1, static_cast<char>(through[ended] / 10)));
    admit();
  }
  EXPECT_EQ(through.size(), 8u);
}

}  // namespace
}  // namespace lade::harvest
