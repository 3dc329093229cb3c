#include "handlers/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "testing/temporary_folder.h"

namespace lade::handlers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HandlersFile : public ::testing::Test {
 protected:
  Result<std::shared_ptr<const Registry>> read(const std::string& text) {
    std::ofstream(folder.path() / "handlers.yaml") << text;
    return read_registry(folder.path() / "handlers.yaml", "/usr/bin/lade");
  }
  testing::TemporaryFolder folder;
};

TEST_F(HandlersFile, SaysWhatIsRun) {
  const auto registry = read(R"(handlers:
  employees:
    command: [/usr/bin/python3, employees.py]
    environment: {REGION: north}
    options: [region, strict]
    concurrency: 2
    limits: {batch_rows: 50, batch_seconds: 5, memory_mb: 64, file_mb: 0, line_kb: 2, processes: 7}
  own: {command: [./own]}
)");
  ASSERT_TRUE(registry) << registry.error().message;
  const Handler* const handler = (*registry)->find("employees");
  ASSERT_NE(handler, nullptr);
  EXPECT_THAT(handler->command, ElementsAre("/usr/bin/python3", "employees.py"));
  EXPECT_EQ(handler->folder, folder.path());
  EXPECT_TRUE(handler->takes("strict"));
  EXPECT_FALSE(handler->takes("other"));
  EXPECT_EQ(handler->concurrency, 2U);
  EXPECT_EQ(handler->limits.batch_rows, 50U);
  EXPECT_EQ(handler->limits.batch_seconds, std::chrono::seconds(5));
  EXPECT_EQ(handler->limits.memory_bytes, 64U << 20);
  EXPECT_EQ(handler->limits.file_bytes, 0U);
  EXPECT_EQ(handler->limits.line_bytes, 2048U);
  EXPECT_EQ(handler->limits.processes, 7U);
  EXPECT_EQ((*registry)->find("own")->command.front(), folder.path() / "./own");
}

TEST_F(HandlersFile, LuaFilesBesideItAreHandlers) {
  std::filesystem::create_directory(folder.path() / "handlers");
  std::ofstream(folder.path() / "handlers" / "salaries.lua") << "";
  std::ofstream(folder.path() / "handlers" / "other.txt") << "";
  const auto registry = read("handlers: {pay: {lua: pay.lua, options: [rate], limits: {memory_mb: 32}}}\n");
  ASSERT_TRUE(registry) << registry.error().message;
  EXPECT_THAT((*registry)->names(), ElementsAre("pay", "salaries"));
  EXPECT_THAT((*registry)->find("pay")->command, ElementsAre("/usr/bin/lade", "run-handler", folder.path() / "pay.lua",
                                                             "--memory-mb", "32", "--row-seconds", "10"));
  EXPECT_GT((*registry)->find("pay")->limits.row_seconds, std::chrono::seconds(10)) << "the script is heard first";
}

TEST_F(HandlersFile, EveryFaultIsNamed) {
  const auto registry = read(R"(handlers:
  Bad-Name: {command: [/bin/true]}
  none: {}
  both: {command: [/bin/true], lua: x.lua}
  text: {command: /bin/true}
  searched: {command: [python3]}
  many: {command: [/bin/true], concurrency: 0, limits: {memory_mb: 1, seconds: 3}, shell: true}
  named: {command: [/bin/true], environment: {A=B: c}}
)");
  ASSERT_FALSE(registry);
  EXPECT_EQ(registry.error().code, "handlers_file_invalid");
  for (const char* const part : {"Bad-Name", "handlers.none", "handlers.both", "handlers.text.command: expected a list",
                                 "'python3' is no path", "handlers.many.concurrency", "handlers.many.limits.memory_mb",
                                 "unknown key 'seconds'", "unknown key 'shell'", "'A=B' is no name"})
    EXPECT_THAT(registry.error().message, HasSubstr(part));
  EXPECT_EQ(read_registry(folder.path() / "missing.yaml", "/usr/bin/lade").error().code, "file_not_found");
  EXPECT_EQ(read("handlers: [").error().code, "handlers_file_invalid");
  EXPECT_TRUE(read("handlers:\n"));
}

TEST_F(HandlersFile, AnUnknownNameIsAnsweredWithTheNearest) {
  const auto registry = read("handlers: {employees: {command: [/bin/true]}}\n");
  ASSERT_TRUE(registry);
  const auto found = (*registry)->get("employee");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "handler_unknown");
  EXPECT_THAT(found.error().hint, HasSubstr("did you mean 'employees'?"));
  EXPECT_THAT(Registry().get("x").error().hint, HasSubstr("HANDLERS_FILE"));
}

}  // namespace
}  // namespace lade::handlers
