#include <fmt/format.h>

#include <algorithm>

#include "api/definitions.h"
#include "api/problem.h"
#include "api/server.h"
#include "api/uploads.h"
#include "api/views.h"
#include "jobs/expand.h"
#include "jobs/match.h"
#include "jobs/match_detail.h"
#include "jobs/open_source.h"
#include "store/definitions.h"

// Columns of files, matched with those of definitions. The file is read on a session that only reads; what somebody
// says is kept in a transaction of its own.
namespace lade::api {
namespace {

namespace json = boost::json;
using accounts::Role;

struct MatchWishes {
  std::string file;
  std::vector<std::string> given;
  std::string source;
  bool save = false;
  bool detail = false;
  jobs::DateFormats formats;
};

// {"data column": "DD/MM/YYYY"}
Result<jobs::DateFormats> read_formats(const std::string& text) {
  jobs::DateFormats formats;
  if (text.empty()) return formats;
  const json::value given = json::parse(text);
  for (const auto& [column, format] : given.as_object()) {
    const auto* const written = format.if_string();
    if (written == nullptr || !jobs::is_date_format(std::string_view(*written)))
      return fail("request_invalid", fmt::format("formats.{} is no format of dates", std::string_view(column)),
                  "such as DD/MM/YYYY", ErrorKind::usage);
    formats.emplace(column, *written);
  }
  return formats;
}

Result<MatchWishes> read_wishes(const Asked& asked, const std::string& text) {
  LADE_ASSIGN(Fields query, Fields::of_query(asked.request.query));
  LADE_TRY(query.finish());
  LADE_ASSIGN(Fields body, Fields::of_body(text));
  MatchWishes wishes;
  wishes.file = body.required_text("file_id");
  wishes.given = body.texts("set").value_or(std::vector<std::string>());
  wishes.source = body.map("source").value_or("");
  wishes.save = body.flag("save").value_or(false);
  wishes.detail = body.flag("detail").value_or(false);
  const std::string formats = body.map("formats").value_or("");
  LADE_TRY(body.finish());
  LADE_ASSIGN(wishes.formats, read_formats(formats));
  return wishes;
}

json::object to_json(const jobs::Candidate& candidate) {
  return {{"source_column", candidate.source_column},
          {"kind", definition::to_string(candidate.kind)},
          {"score", candidate.score}};
}

json::array texts(const std::vector<std::string>& all) {
  return json::array(all.begin(), all.end());
}

json::value to_json(const std::optional<jobs::ValueList>& values) {
  if (!values) return nullptr;
  json::array items;
  for (const jobs::ValueCount& value : values->items)
    items.push_back(json::object{{"text", value.text},
                                 {"rows", value.rows},
                                 {"target", value.target ? json::value(*value.target) : json::value(nullptr)},
                                 {"similar", text_or_null(value.similar)}});
  return json::object{{"kind", values->kind},
                      {"total", values->total},
                      {"rows_open", values->rows_open},
                      {"accepted", texts(values->accepted)},
                      {"items", std::move(items)}};
}

// The orders of day, month and year that fit every cell, where the definition does not say which one it is.
json::array orders_of(const definition::DataColumn& column, const source::ColumnEvidence& seen) {
  json::array orders;
  const bool has_order =
      column.type.kind == definition::TypeKind::date || column.type.kind == definition::TypeKind::timestamp;
  if (!has_order || !column.formats.empty() || !column.locale.empty()) return orders;
  for (const source::TypeReading& reading : seen.readings)
    if ((reading.type == "date" || reading.type == "timestamp") && !reading.format.empty())
      orders.push_back(json::string(reading.format));
  return orders;
}

// What was said of such files before counts while this file bears it out.
json::value remembered_order(const jobs::TargetDetail& target, const json::array& orders,
                             const std::vector<jobs::KnownFormat>& known) {
  for (const jobs::KnownFormat& one : known)
    if (target.match && one.data_column == target.column->name && one.source_column == target.match->source_column &&
        std::ranges::find(orders, json::value(one.format)) != orders.end())
      return json::value(one.format);
  return nullptr;
}

json::object to_json(const jobs::TargetDetail& target, const std::vector<source::ColumnEvidence>& sources,
                     const std::vector<jobs::KnownFormat>& known) {
  const definition::DataColumn& column = *target.column;
  json::array candidates;
  for (const jobs::Candidate& candidate : target.candidates) candidates.push_back(to_json(candidate));
  json::object object{{"data_column", column.name},
                      {"required", column.required},
                      {"type", definition::to_string(column.type)},
                      {"from", texts(column.from)},
                      {"match", target.match ? json::value(to_json(*target.match)) : json::value(nullptr)},
                      {"candidates", std::move(candidates)},
                      {"values", to_json(target.values)}};
  const source::ColumnEvidence none;
  const source::ColumnEvidence& seen = target.source ? sources[*target.source] : none;
  object["samples"] = column.sensitive ? json::array() : texts(seen.samples);
  object["cells"] = seen.cells;
  object["blank"] = seen.blank;
  // What nothing in the file tells is no question where the definition tells it.
  const bool decided = !column.formats.empty() || !column.locale.empty();
  std::string evidence = seen.ambiguous && decided ? "" : seen.note;
  if (evidence.empty() && !seen.readings.empty()) evidence = seen.readings.front().evidence;
  object["evidence"] = column.sensitive ? json::value(nullptr) : text_or_null(evidence);
  const json::array orders = orders_of(column, seen);
  object["ambiguous"] = orders.size() > 1;
  object["orders"] = orders;
  object["remembered_order"] = remembered_order(target, orders, known);
  return object;
}

void add_detail(json::object& object, const jobs::MatchDetail& detail, const std::vector<jobs::KnownFormat>& known) {
  json::array targets, sources;
  for (const jobs::TargetDetail& target : detail.targets) targets.push_back(to_json(target, detail.sources, known));
  for (std::size_t i = 0; i < detail.sources.size(); ++i) {
    const source::ColumnEvidence& column = detail.sources[i];
    json::array used_for;
    for (const jobs::TargetDetail& target : detail.targets)
      if (target.source == i) used_for.push_back(json::string(target.column->name));
    sources.push_back(json::object{{"source_column", column.name},
                                   {"samples", texts(column.samples)},
                                   {"cells", column.cells},
                                   {"blank", column.blank},
                                   {"used_for", std::move(used_for)}});
  }
  object["targets"] = std::move(targets);
  object["sources"] = std::move(sources);
  object["rows"] = detail.rows;
  object["complete_count"] = detail.complete;
}

struct Matched {
  definition::HeaderMatch match;
  std::vector<std::string> header;
  json::object answer;
};

Result<source::Input> open(const Asked& asked, db::Connection& connection, const std::string& id,
                           const source::Overrides& overrides) {
  LADE_ASSIGN(const auto file, store::find_file(connection, id, asked.who().company));
  if (!file || !sees_file(asked.who(), *file)) return fail(not_found("file", id));
  const jobs::ImportOptions& here = asked.service.here();
  LADE_ASSIGN(File opened, asked.service.storage().read(file->stored_as(), static_cast<std::uint64_t>(file->bytes)));
  return source::as_input(std::move(opened), file->name, here.scratch(), here.max_bytes, overrides);
}

Result<Matched> find_matches(const Asked& asked, db::Connection& connection, const store::StoredDefinition& stored,
                             const definition::Definition& said, const MatchWishes& wishes) {
  jobs::ImportOptions options;
  options.source = wishes.source;
  LADE_ASSIGN(const definition::Definition asked_for, jobs::for_request(said, options));
  LADE_ASSIGN(const definition::Definition definition, jobs::expanded(asked_for, connection));
  const source::Overrides overrides = jobs::overrides_of(definition);
  LADE_ASSIGN(const source::Input input, open(asked, connection, wishes.file, overrides));
  LADE_ASSIGN(source::Layout layout, source::recognise(input, overrides));
  LADE_ASSIGN(const auto known, jobs::known_matches(connection, asked.who().company, stored.slug, layout.header));
  Matched matched{definition::match_header(definition, layout.header, known), layout.header, {}};
  LADE_TRY(definition::give_matches(matched.match, definition, layout.header, wishes.given));
  matched.answer = api::to_json(matched.match);
  matched.answer["definition"] = stored.slug;
  matched.answer["version"] = stored.version;
  matched.answer["saved"] = wishes.save;
  if (wishes.detail) {
    LADE_ASSIGN(const jobs::MatchDetail detail,
                jobs::match_detail(connection, definition, matched.match, input, layout));
    LADE_ASSIGN(const auto formats, jobs::known_formats(connection, asked.who().company, stored.slug, layout.header));
    add_detail(matched.answer, detail, formats);
  }
  return matched;
}

Result<http::Response> match(const Asked& asked, const std::string& text) {
  const std::string& slug = asked.at("slug");
  MatchWishes wishes;
  Matched matched;
  {
    LADE_ASSIGN(const db::Pool::Lease session, asked.service.reading());
    LADE_ASSIGN(const auto stored, store::find_definition(*session, slug, {}, asked.who().company));
    if (!stored) return fail(not_found("definition", slug));
    LADE_ASSIGN(wishes, read_wishes(asked, text));
    const definition::Parsed parsed = definition::parse_definition(stored->source_text);
    if (!parsed.valid()) return faulty(parsed.faults, slug);
    LADE_ASSIGN(matched, find_matches(asked, *session, *stored, parsed.definition, wishes));
  }
  if (!wishes.save) return json_response(200, std::move(matched.answer));
  AuditNote note{slug, {{"saved", true}}};
  return change(asked, text, note, [&](db::Connection& connection) -> Result<http::Response> {
    LADE_TRY(jobs::keep_matches(
        connection, {asked.who().company, slug, matched.header, matched.match, asked.who().user, wishes.formats}));
    return json_response(200, matched.answer);
  });
}

Result<http::Reception> receive(Asked asked) {
  return http::Reception(http::WholeBody{asked.route.most_bytes, [asked](const std::string& text) {
                                           return answer_or_problem(asked.request, match(asked, text));
                                         }});
}

}  // namespace

Route match_route() {
  return {.method = "POST",
          .path = "/api/v1/definitions/{slug}/match",
          .name = "definitions.match",
          .summary =
              "Which columns of an uploaded file are which columns of the definition; `save` keeps it for such "
              "files, `detail` tells what the file has in them",
          .access = {Role::operator_, "imports:write"},
          .receive = receive,
          .body = Body::json,
          .body_schema = "MatchRequest",
          .answers = {{200, "HeaderMatch", "exact, remembered and similar columns, and what is missing"}}};
}

}  // namespace lade::api
