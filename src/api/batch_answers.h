#pragma once

#include "api/batches.h"
#include "api/views.h"

// What is answered about batches and what is done to them, whoever's names it is told in: lade's own (batches.cc,
// batch_parts.cc) or those of seed G (batch_aliases.cc).
namespace lade::api {

struct BatchWords {
  boost::json::object (*batch)(const store::BatchRecord& batch);
  boost::json::object (*task)(const jobs::RowTask& task, const store::BatchRecord& batch);
  boost::json::object (*outcome)(const jobs::BatchOutcome& outcome);
  bool has_load = true;  // the last stage, which is lade's own
};

inline constexpr BatchWords kOwnWords{.batch = to_json, .task = to_json, .outcome = to_json};

Result<http::Response> list_batches(Call& call, const BatchWords& words);
Result<http::Response> list_tasks(Call& call, const BatchWords& words);
Result<http::Response> list_stages(Call& call, const BatchWords& words);
Result<http::Response> list_events(Call& call, const BatchWords& words);
Result<http::Response> show_metrics(Call& call, const BatchWords& words);
boost::json::object page_of_tasks(const jobs::RowTaskPage& page, const store::BatchRecord& batch,
                                  const BatchWords& words);

// The answer to an action; a refused one says how the batch stands.
Result<http::Response> tell(Call& call, const Result<jobs::BatchOutcome>& outcome, const BatchWords& words);
Result<http::Response> retry_tasks(Call& call, const BatchWords& words);
Result<http::Response> requeue_stuck(Call& call, const BatchWords& words);
Result<http::Response> approve_all(Call& call, const BatchWords& words);

// An action that takes nothing but the batch.
template <auto act>
Result<http::Response> act_on(Call& call, const BatchWords& words) {
  LADE_TRY(call.query.finish());
  LADE_TRY(call.body.finish());
  LADE_TRY(require_visible_batch(call));
  return tell(call, act(call.connection, batch_order(call)), words);
}

// As a route wants it.
template <Result<http::Response> (*answer)(Call&, const BatchWords&), const BatchWords& words>
Result<http::Response> in(Call& call) {
  return answer(call, words);
}

}  // namespace lade::api
