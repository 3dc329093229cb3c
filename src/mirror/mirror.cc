#include "mirror/mirror.h"

#include <chrono>

namespace lade::mirror {
namespace {

// KEYS: the key. ARGV: the value, its attempt, its processed rows, whether it ends the attempt, its time to live. Gives
// whether the value is at the key now.
constexpr std::string_view kWrite = R"lua(
local shown = redis.pcall('GET', KEYS[1])
if type(shown) == 'string' then
  local read, is = pcall(cjson.decode, shown)
  if read and type(is) == 'table' and type(is.attempt) == 'number' and type(is.processed_rows) == 'number' then
    local attempt, rows, ends = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
    if is.attempt > attempt then return 0 end
    if is.attempt == attempt and not ends and (is.finished == true or is.processed_rows > rows) then return 0 end
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[5])
return 1
)lua";

constexpr std::string_view kDay = "86400";
// How long somebody waits for others who ask.
constexpr std::chrono::milliseconds kTurn{100};

}  // namespace

std::string key_of(const std::string& job) {
  return "import:progress:" + job;
}

Result<bool> Writer::write(const std::string& job, const JobProgress& progress) {
  const std::string key = key_of(job), value = to_json(progress), attempt = std::to_string(progress.attempt),
                    rows = std::to_string(progress.processed());
  const std::string_view words[] = {"EVAL", kWrite, "1", key, value, attempt, rows, progress.finished ? "1" : "0",
                                    kDay};
  LADE_ASSIGN(const Reply reply, link_.ask(words));
  return reply.number == 1;
}

std::optional<JobProgress> Reader::read(const std::string& job) {
  const std::unique_lock lock(mutex_, kTurn);
  if (!lock.owns_lock()) return std::nullopt;
  const std::string key = key_of(job);
  const std::string_view words[] = {"GET", key};
  const auto reply = link_.ask(words);
  if (!reply || !reply->text) return std::nullopt;
  return read_progress(*reply->text);
}

}  // namespace lade::mirror
