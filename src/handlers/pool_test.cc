// Handlers as real programs, most of them hostile: every row gets one answer, and the others never suffer.
#include "handlers/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "testing/temporary_folder.h"

namespace lade::handlers {
namespace {

using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

std::string program(const std::string& name) {
  const char* const root = std::getenv("LADE_SOURCE_DIR");
  return std::string(root == nullptr ? "." : root) + "/tests/handlers/" + name;
}

class Hostile : public ::testing::Test {
 protected:
  Hostile() {
    handler.name = "hostile";
    handler.folder = "/";
    handler.limits.batch_seconds = std::chrono::seconds(3);
    handler.limits.row_seconds = std::chrono::seconds(2);
  }

  void behave(const std::string& mode) { handler.command = {"/usr/bin/python3", program("hostile.py"), mode}; }

  // "ok name" or "code: message" of each row, by its place.
  Texts answers(const Texts& cells, std::int64_t first_index = 1) {
    registry = std::make_shared<const Registry>(std::vector<Handler>{handler});
    pool = std::make_unique<Pool>(registry, *registry->find("hostile"), Start{"hostile", "job-1", {"name"}});
    RowTexts rows;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      rows.begin_row(first_index + static_cast<std::int64_t>(i));
      rows.add_cell(cells[i]);
      rows.end_row();
    }
    Texts said(cells.size(), "nothing");
    const auto answered = pool->answer(rows, [&](std::size_t row, const RowAnswer& answer) {
      EXPECT_EQ(said[row], "nothing") << "answered twice";
      fields.clear();
      for (const Answer::Field& field : answer.result) fields[std::string(field.name)] = field.text;
      said[row] = answer.code.empty() ? "ok " + fields["name"] : std::string(answer.code);
      messages[row] = answer.message;
    });
    error = answered ? Error() : answered.error();
    return said;
  }

  // What every kind of trouble with one row comes to.
  void costs_only_its_row(const std::string& mode, const std::string& code, const std::string& message) {
    behave(mode);
    EXPECT_EQ(answers({"a", "b", "bad", "c", "d"}), (Texts{"ok a", "ok b", code, "ok c", "ok d"})) << mode;
    EXPECT_EQ(error.code, "") << error.message;
    EXPECT_THAT(messages[2], HasSubstr(message)) << mode;
  }

  Handler handler;
  std::shared_ptr<const Registry> registry;
  std::unique_ptr<Pool> pool;
  std::map<std::string, std::string> fields;  // of the last answer
  std::map<std::size_t, std::string> messages;
  Error error;
};

TEST_F(Hostile, OneThatBehaves) {
  behave("none");
  EXPECT_EQ(answers({"a", "quote \" and \\ and \n", "é", "d"}),
            (Texts{"ok a", "ok quote \" and \\ and \n", "ok é", "ok d"}));
  EXPECT_EQ(fields["number"], "4");
  EXPECT_EQ(pool->losses(), 0);
}

TEST_F(Hostile, ARowThatEndsIt) {
  costs_only_its_row("dies", "handler_died", "it ended with exit code 3; it said: this row is too much for me");
  EXPECT_EQ(pool->losses(), 3) << "in its batch, and twice alone";
  costs_only_its_row("killed", "handler_died", "it was ended by signal 9");
  costs_only_its_row("eats", "handler_died", "MemoryError");
  costs_only_its_row("closes_input", "handler_timed_out", "it has not answered");
}

TEST_F(Hostile, ARowThatHangsIt) {
  costs_only_its_row("hangs", "handler_timed_out", "it has not answered within 2 s");
  costs_only_its_row("stubborn", "handler_timed_out", "it has not answered within 2 s");
  costs_only_its_row("complains", "handler_timed_out", "oh no");
}

TEST_F(Hostile, ARowThatMakesItTalkNonsense) {
  costs_only_its_row("wrong_index", "handler_bad_answer", "it answers for row 1000003, which it was not given");
  costs_only_its_row("bad_json", "handler_bad_answer", "its line is no JSON");
  costs_only_its_row("not_utf8", "handler_bad_answer", "its line is no JSON");
  costs_only_its_row("no_ok", "handler_bad_answer", "no `ok`");
}

TEST_F(Hostile, ARowThatMakesItTalkTooMuch) {
  costs_only_its_row("huge", "handler_output_limit", "1048576 bytes a line");
  handler.limits.batch_bytes = 3 << 20;
  costs_only_its_row("floods", "handler_output_limit", "its answer is longer");
  costs_only_its_row("many_lines", "handler_bad_answer", "not given");
}

TEST_F(Hostile, ARowAnsweredTwiceHasItsFirstAnswer) {
  behave("twice");
  EXPECT_EQ(answers({"a", "bad", "c"}), (Texts{"ok a", "ok ", "ok c"}));
}

TEST_F(Hostile, ARowItRefuses) {
  costs_only_its_row("refuses", "handler_failed", "no such é");
  EXPECT_EQ(pool->losses(), 0);
  EXPECT_EQ(messages[2].find('\n'), std::string::npos);
  EXPECT_LE(messages[2].size(), 2 * 500U);
}

TEST_F(Hostile, ItSaysMoreThanItWasAsked) {
  behave("says_more");
  handler.limits.batch_rows = 2;
  EXPECT_EQ(answers({"a", "b", "c", "d", "e"}), (Texts{"ok a", "ok b", "ok c", "ok d", "ok e"}));
}

TEST_F(Hostile, ItsChildrenGoWithIt) {
  behave("forks");
  EXPECT_EQ(answers({"bad"}).size(), 1U);
  const int child = std::atoi(fields["name"].c_str());
  ASSERT_GT(child, 0);
  ASSERT_EQ(kill(child, 0), 0);
  pool.reset();
  // Killed; whoever inherits it reaps it in its own time.
  const auto is_gone = [&] {
    if (kill(child, 0) != 0) return true;
    const std::string path = "/proc/" + std::to_string(child) + "/stat";
    std::FILE* const file = std::fopen(path.c_str(), "r");
    if (file == nullptr) return true;
    char state = ' ';
    const bool read = std::fscanf(file, "%*d %*s %c", &state) == 1;
    std::fclose(file);
    return !read || state == 'Z' || state == 'X';
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!is_gone() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(is_gone());
}

TEST_F(Hostile, ItSeesNothingOfLade) {
  behave("surroundings");
  setenv("LADE_SECRET", "x", 1);
  handler.environment = {{"REGION", "north"}};
  handler.limits.cpu_seconds = 77;
  EXPECT_EQ(answers({"bad"}), Texts{"ok "});
  // Python adds LC_CTYPE itself.
  EXPECT_THAT(fields["environment"], ::testing::AnyOf("REGION", "LC_CTYPE,REGION"));
  EXPECT_EQ(fields["descriptors"], "0,1,2");
  EXPECT_EQ(fields["many_descriptors"], "false");
  EXPECT_EQ(fields["leads"], "true");
  EXPECT_EQ(fields["arguments"], "2");
  EXPECT_EQ(fields["core"], "0");
  EXPECT_EQ(fields["memory"], std::to_string(512 << 20));
  EXPECT_EQ(fields["cpu"], "77");
  EXPECT_EQ(fields["file"], std::to_string(64 << 20));
  EXPECT_EQ(fields["open_files"], "256");
  EXPECT_EQ(fields["folder"], "/");
}

TEST_F(Hostile, ItIsToldTheEnd) {
  testing::TemporaryFolder folder;
  const std::string notes = folder.path() / "notes";
  behave("refuses");
  handler.environment = {{"NOTES", notes}};
  (void)answers({"a", "bad", "c"});
  ASSERT_TRUE(pool->ask(on_complete_message("failed", R"({"failed":1})")));
  std::string told;
  std::getline(std::ifstream(notes), told);
  EXPECT_EQ(told, R"({"failed": 1})");
}

TEST_F(Hostile, ItCannotBeStarted) {
  handler.command = {"/no/such/program"};
  EXPECT_EQ(answers({"a"}), Texts{"nothing"});
  EXPECT_EQ(error.code, "handler_not_started");
  EXPECT_THAT(error.message, HasSubstr("/no/such/program: No such file or directory"));
  handler.command = {program("hostile.py")};
  (void)answers({"a"});
  EXPECT_THAT(error.message, HasSubstr("Permission denied"));
  behave("exits");
  (void)answers({"a"});
  EXPECT_EQ(error.code, "handler_not_started");
  EXPECT_THAT(error.message, HasSubstr("it ended with exit code 4; it said: cannot find my settings"));
  behave("silent");
  handler.limits.start_seconds = std::chrono::seconds(1);
  (void)answers({"a"});
  EXPECT_THAT(error.message, HasSubstr("it has not answered within 1 s"));
}

TEST_F(Hostile, ItRefusesTheJob) {
  behave("refuses_job");
  (void)answers({"a"});
  EXPECT_EQ(error.code, "handler_refused");
  EXPECT_THAT(error.message, HasSubstr("not on Sundays"));
}

TEST_F(Hostile, OneThatFailsForEveryRowIsGivenUp) {
  behave("dies");
  (void)answers(Texts(100, "bad"));
  EXPECT_EQ(error.code, "handler_keeps_failing");
  EXPECT_THAT(error.message, HasSubstr("25 rows"));
}

TEST_F(Hostile, OneThatDiesWhenNobodyNeedsItCostsNoRow) {
  behave("none");
  (void)answers({"a"});
  RowTexts rows;
  rows.begin_row(7);
  rows.add_cell("b");
  rows.end_row();
  int answered = 0;
  kill(std::atoi(fields["pid"].c_str()), SIGKILL);
  EXPECT_TRUE(pool->answer(rows, [&](std::size_t, const RowAnswer& answer) { answered += answer.code.empty(); }));
  EXPECT_EQ(answered, 1);
  EXPECT_EQ(pool->losses(), 1);
}

TEST_F(Hostile, KilledAgainAndAgainEveryRowHasOneAnswer) {
  behave("none");
  handler.limits.batch_rows = 200;
  registry = std::make_shared<const Registry>(std::vector<Handler>{handler});
  pool = std::make_unique<Pool>(registry, *registry->find("hostile"), Start{"hostile", "job-1", {"name"}});
  RowTexts rows;
  for (int i = 1; i <= 2000; ++i) {
    rows.begin_row(i);
    rows.add_cell(std::to_string(i));
    rows.end_row();
  }
  std::vector<int> answers(rows.size(), 0);
  int count = 0;
  ASSERT_TRUE(pool->answer(rows, [&](std::size_t row, const RowAnswer& answer) {
    EXPECT_EQ(answer.code, "");
    ++answers[row];
    ASSERT_EQ(answer.result.size(), 3U);
    EXPECT_EQ(answer.result[0].text, std::to_string(row + 1));
    if (++count % 500 == 0) kill(std::atoi(std::string(answer.result[2].text).c_str()), SIGKILL);
  }));
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 2000);
  EXPECT_GE(pool->losses(), 3);
}

TEST_F(Hostile, ManyThreadsAtOnce) {
  behave("none");
  handler.concurrency = 2;
  handler.limits.batch_rows = 50;
  (void)answers({"a"});
  std::atomic<int> answered = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        RowTexts rows;
        for (int i = 0; i < 500; ++i) {
          rows.begin_row(thread * 1000 + i);
          rows.add_cell("x");
          rows.end_row();
        }
        EXPECT_TRUE(pool->answer(rows, [&](std::size_t, const RowAnswer& answer) { answered += answer.code.empty(); }));
      });
  }
  EXPECT_EQ(answered, 2000);
}

TEST_F(Hostile, CancelledBetweenBatches) {
  behave("none");
  (void)answers({"a"});
  RowTexts rows;
  rows.begin_row(1);
  rows.add_cell("a");
  rows.end_row();
  std::stop_source stop;
  stop.request_stop();
  const auto answered = pool->answer(
      rows, [](std::size_t, const RowAnswer&) { FAIL(); }, stop.get_token());
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, "cancelled");
}

}  // namespace
}  // namespace lade::handlers
