#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/principal.h"
#include "api/fields.h"
#include "api/service.h"
#include "http/handler.h"

// The table of what can be asked for. OpenAPI, the check of rights, the tests' matrix and the metrics come from it.
namespace lade::api {

struct Route;
using PathValues = std::map<std::string, std::string, std::less<>>;  // of the {names} in a route's path

// A request that has found its route and whose sender may use it.
struct Asked {
  Service& service;
  http::Request& request;
  const Route& route;
  PathValues path;
  std::optional<accounts::Principal> principal = {};  // nullopt only on open routes

  const accounts::Principal& who() const { return *principal; }
  const std::string& at(std::string_view name) const { return path.find(name)->second; }
};

// The same with what it takes to answer. What it changes is changed in one transaction with its entry in the audit log.
struct Call : Asked {
  db::Connection& connection;
  Fields query;
  Fields body;
  std::string text = {};  // the body itself

  // For the audit log: what it was about, when the path does not say so, and what else is worth knowing.
  std::string object_id = {};
  boost::json::object audit = {};
};

struct Parameter {
  std::string_view name;
  std::string_view type;  // string, integer, boolean
  std::string_view description;
};

struct Answer {
  int status;
  std::string_view schema;  // a name of components/schemas, or a media type with a slash in it; empty: no body
  std::string_view description;
};

enum class Body { none, json, text, upload };

// Who may: open to all, or a role with a scope.
struct Access {
  std::optional<accounts::Role> role;  // nullopt: everybody
  std::string_view scope = {};
  bool instance = false;  // only those above companies
};

struct Route {
  std::string_view method;
  std::string_view path;  // /api/v1/imports/{job}/rows; a literal segment wins over a {name}
  std::string_view name;  // area.verb: the operation's id, its name in the audit log and in metrics
  std::string_view summary;
  Access access;
  Result<http::Response> (*answer)(Call& call) = nullptr;
  // Of uploads instead: what becomes of the body.
  Result<http::Reception> (*receive)(Asked asked) = nullptr;
  Body body = Body::none;
  std::string_view body_schema = {};
  std::vector<Parameter> query = {};
  std::vector<Answer> answers = {};
  bool answers_secret = false;    // its answer is kept nowhere: an Idempotency-Key has no effect
  bool audited = true;            // false: it changes nothing that anybody else would ask about
  bool own_transactions = false;  // it begins and ends them itself, or changes nothing
  std::uint64_t most_bytes = 1024 * 1024;

  bool changes() const { return method != "GET"; }
};

// All of them.
std::span<const Route> routes();
// By area, in the order in which people read about them.
std::vector<Route> file_routes();
std::vector<Route> definition_routes();
std::vector<Route> definition_part_routes();
std::vector<Route> import_routes();
std::vector<Route> watching_routes();
std::vector<Route> version_routes();
std::vector<Route> batch_routes();
std::vector<Route> review_routes();
std::vector<Route> queue_routes();
std::vector<Route> operation_routes();
std::vector<Route> why_routes();
std::vector<Route> topic_routes();
std::vector<Route> account_routes();
std::vector<Route> me_routes();
std::vector<Route> draft_routes();
std::vector<Route> administration_routes();
std::vector<Route> webhook_routes();
std::vector<Route> alias_routes();
std::vector<Route> workbook_alias_routes();
std::vector<Route> handler_alias_routes();
std::vector<Route> batch_alias_routes();
std::vector<Route> root_routes();

struct Match {
  const Route* route = nullptr;  // null: there is none
  PathValues path = {};
  std::vector<std::string_view> allowed = {};  // methods of the path, when it is known
};
// HEAD finds what GET finds.
Match find_route(std::string_view method, const std::vector<std::string>& segments);

}  // namespace lade::api
