// Handlers in Lua: what they can do, and what they cannot.
#include "handlers/lua.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "handlers/message.h"
#include "testing/temporary_folder.h"

namespace lade::handlers {
namespace {

using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

class Lua : public ::testing::Test {
 protected:
  // The lines that the script answers to these messages.
  Texts talk(const std::string& script, const Texts& messages) {
    const std::filesystem::path file = folder.path() / "script.lua";
    std::ofstream(file, std::ios::binary) << script;
    int in[2], out[2];
    EXPECT_EQ(pipe(in), 0);
    EXPECT_EQ(pipe(out), 0);
    options.input = in[0];
    options.output = out[1];
    std::jthread writer([&] {
      for (const std::string& message : messages) EXPECT_GT(write(in[1], message.data(), message.size()), 0);
      close(in[1]);
    });
    std::string said;
    std::jthread reader([&] {
      char block[4096];
      for (ssize_t count = 0; (count = read(out[0], block, sizeof block)) > 0;)
        said.append(block, static_cast<std::size_t>(count));
    });
    const auto run = run_lua_handler(file, options);
    error = run ? Error() : run.error();
    close(out[1]);
    writer.join();
    reader.join();
    close(in[0]);
    close(out[0]);
    Texts lines;
    for (std::size_t begin = 0; begin < said.size();) {
      const std::size_t end = said.find('\n', begin);
      lines.push_back(said.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  static std::string start(const std::string& given = "{}") {
    return start_message({"script", "job-1", {"name", "age"}, given});
  }
  static std::string rows(const std::vector<Texts>& cells) {
    RowTexts texts;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      texts.begin_row(static_cast<std::int64_t>(i) + 1);
      for (const std::string& cell : cells[i]) cell.empty() ? texts.add_blank() : texts.add_cell(cell);
      texts.end_row();
    }
    return texts.message(0, texts.size());
  }
  // What import_row makes of one row, when this is its body.
  std::string answer(const std::string& body) {
    const Texts lines =
        talk("function import_row(index, row, job_id, options) " + body + " end", {start(), rows({{"Ann", "44"}})});
    return lines.size() == 2 ? lines[1] : error.code + " " + error.message;
  }

  testing::TemporaryFolder folder;
  LuaOptions options;
  Error error;
};

TEST_F(Lua, ARowIsAnswered) {
  const std::string script = R"lua(
function import_row(index, row, job_id, options)
  if row.age == nil then return {ok = false, error = "no age in row " .. index} end
  return {ok = true, result = {greeting = options.word .. " " .. row[1], job = job_id, next = row.age + 1, columns = #headers}}
end)lua";
  const Texts lines = talk(script, {start(R"({"word":"hello"})"), rows({{"Ann", "44"}, {"Bob", ""}})});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], R"({"ok":true})");
  EXPECT_THAT(lines[1], HasSubstr(R"("greeting":"hello Ann")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("next":45)"));
  EXPECT_THAT(lines[1], HasSubstr(R"("job":"job-1")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("columns":2)"));
  EXPECT_EQ(lines[2], R"({"row_index":2,"ok":false,"error":"no age in row 2"})");
}

TEST_F(Lua, WaysToReturn) {
  EXPECT_EQ(answer("return {a = 1}"), R"({"row_index":1,"ok":true,"result":{"a":1}})");
  EXPECT_EQ(answer("return 'x'"), R"({"row_index":1,"ok":true,"result":"x"})");
  EXPECT_EQ(answer(""), R"({"row_index":1,"ok":true,"result":null})");
  EXPECT_EQ(answer("return true"), R"({"row_index":1,"ok":true,"result":null})");
  EXPECT_EQ(answer("return nil, 'no'"), R"({"row_index":1,"ok":false,"error":"no"})");
  EXPECT_EQ(answer("return false, 'no'"), R"({"row_index":1,"ok":false,"error":"no"})");
  EXPECT_EQ(answer("return {ok = true}"), R"({"row_index":1,"ok":true,"result":null})");
  EXPECT_EQ(answer("return {1, 2.5, {x = {}}}"), R"({"row_index":1,"ok":true,"result":[1,2.5,{"x":{}}]})");
}

TEST_F(Lua, AnErrorIsAFailedRow) {
  EXPECT_EQ(answer("error('boom')"), R"({"row_index":1,"ok":false,"error":"script.lua:1: boom"})");
  EXPECT_THAT(answer("error({})"), HasSubstr("an error that is a table"));
  EXPECT_THAT(answer("return row.name.x.y"), HasSubstr("attempt to index a nil value"));
  EXPECT_THAT(answer("return {f = print}"), HasSubstr("a function is no value of a result"));
  EXPECT_THAT(answer("return {a = 0/0}"), HasSubstr("a number of the result"));
  EXPECT_THAT(answer("return '\\xff'"), HasSubstr("not UTF-8"));
  EXPECT_THAT(answer("return {[{}] = 1}"), HasSubstr("no text"));
  EXPECT_THAT(answer("local t = {} t.t = t return t"), HasSubstr("nested too deeply"));
}

TEST_F(Lua, NothingCanBeReached) {
  for (const std::string name : {"io", "os", "debug", "package", "require", "load", "loadstring", "loadfile", "dofile",
                                 "collectgarbage", "warn", "string.dump"})
    EXPECT_EQ(answer("return {kind = type(" + name + ")}"), R"({"row_index":1,"ok":true,"result":{"kind":"nil"}})")
        << name;
  EXPECT_THAT(answer("getmetatable(row).__index = nil"), HasSubstr("attempt to index a boolean"));
  (void)talk("\x1bLua compiled", {start()});
  EXPECT_EQ(error.code, "lua_invalid");
  EXPECT_THAT(error.message, HasSubstr("attempt to load a binary chunk"));
}

TEST_F(Lua, MemoryIsBounded) {
  options.memory_bytes = 8 << 20;
  const Texts lines = talk(R"lua(function import_row(index, row)
  if row.name == "eat" then local t = {} for i = 1, 1e9 do t[i] = "x" .. i end end
  if row.name == "repeat" then return ("x"):rep(1e9) end
  return row.name end)lua",
                           {start(), rows({{"a"}, {"eat"}, {"repeat"}, {"b"}})});
  EXPECT_EQ(lines, (Texts{R"({"ok":true})", R"({"row_index":1,"ok":true,"result":"a"})",
                          R"({"row_index":2,"ok":false,"error":"not enough memory"})",
                          R"({"row_index":3,"ok":false,"error":"not enough memory"})",
                          R"({"row_index":4,"ok":true,"result":"b"})"}));
}

TEST_F(Lua, TimeIsBounded) {
  options.row_seconds = std::chrono::seconds(1);
  EXPECT_THAT(answer("while true do end"), HasSubstr("it takes longer than 1 s"));
  EXPECT_THAT(answer("return coroutine.wrap(function() while true do end end)()"), HasSubstr("longer than 1 s"));
}

TEST_F(Lua, HooksOfAnImport) {
  const std::string script = R"lua(
local seen = 0
function pre_import(job_id, options) if options.closed then return false, "closed" end seen = 100 end
function import_row() seen = seen + 1 end
function on_complete(job_id, counts, options, status)
  return {seen = seen, failed = counts.failed, status = status}
end)lua";
  EXPECT_EQ(talk(script, {start(R"({"closed":true})"), pre_import_message()}),
            (Texts{R"({"ok":true})", R"({"ok":false,"error":"closed"})"}));
  const Texts lines =
      talk(script, {start(), pre_import_message(), rows({{"a"}}), on_complete_message("succeeded", R"({"failed":3})")});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[3], HasSubstr(R"("seen":101)"));
  EXPECT_THAT(lines[3], HasSubstr(R"("failed":3)"));
  EXPECT_THAT(lines[3], HasSubstr(R"("status":"succeeded")"));
  EXPECT_EQ(talk("function import_row() end", {pre_import_message(), on_complete_message("failed", "{}")}),
            (Texts{R"({"ok":true})", R"({"ok":true})"}))
      << "without hooks";
}

TEST_F(Lua, AScriptThatCannotBeRun) {
  (void)talk("x = = 1", {});
  EXPECT_EQ(error.code, "lua_invalid");
  EXPECT_THAT(error.message, HasSubstr("script.lua:1:"));
  (void)talk("x = 1", {});
  EXPECT_THAT(error.message, HasSubstr("there is no function import_row"));
}

TEST_F(Lua, MessagesThatAreNone) {
  EXPECT_EQ(talk("function import_row() end", {"nonsense\n", "{}\n", "{\"message\":\"dance\"}\n"}),
            (Texts{R"({"ok":false,"error":"the message is no JSON with a key `message`"})",
                   R"({"ok":false,"error":"the message is no JSON with a key `message`"})",
                   R"({"ok":false,"error":"there is no such message"})"}));
}

}  // namespace
}  // namespace lade::handlers
