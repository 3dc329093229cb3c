#include "api/problem.h"
#include "api/route.h"
#include "api/views.h"

// What happens, for those who look at lists.
namespace lade::api {
namespace {

using accounts::Role;

Result<http::Response> events(Call& call) {
  const std::string words = call.query.text("topic").value_or("imports");
  LADE_TRY(call.query.finish());
  LADE_ASSIGN(const Topics topics, read_topics(words));
  const bool operates = accounts::may(call.who(), Role::operator_, "queue:read");
  if (topics.overview && (!operates || call.who().sight != accounts::Sight::company))
    return fail("not_allowed", "the overview is for operators who see the whole company",
                "leave out the topic overview", ErrorKind::usage);
  if (call.request.headers.get("Accept").find("text/event-stream") == std::string_view::npos)
    return fail("request_invalid", "this is a stream of events", "send Accept: text/event-stream", ErrorKind::usage);
  const std::string last(call.request.headers.get("Last-Event-ID"));
  return http::Response{.status = 200, .body = call.service.topics().watch(call.who(), topics, last)};
}

}  // namespace

std::vector<Route> topic_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/events",
       .name = "events.stream",
       .summary = "A stream of what changes: imports, batches, figures; Last-Event-ID goes on where it broke off",
       .access = {Role::viewer, "imports:read"},
       .answer = events,
       .query = {{"topic", "string", "imports (default), batches, overview, review; several with commas between"}},
       .answers = {{200, "text/event-stream", "events hello, reset, import, batch, overview, review"}}},
  };
}

}  // namespace lade::api
