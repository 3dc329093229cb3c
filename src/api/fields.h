#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace lade::api {

// What a client has sent by name: the members of a JSON object, or a query. Every name must be asked for and every
// value fit; the first fault is what finish() tells.
class Fields {
 public:
  // `what` is for messages: "field", "parameter".
  Fields(boost::json::object values, std::string what) : values_(std::move(values)), what_(std::move(what)) {}
  // A body that must be an object; none at all is an empty one.
  static Result<Fields> of_body(std::string_view text);
  static Result<Fields> of_query(std::string_view query);

  std::optional<std::string> text(std::string_view name);
  // Also as digits in text, as queries have it.
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::optional<bool> flag(std::string_view name);
  // An object, also as JSON in text, as forms and queries have it; gives it as JSON.
  std::optional<std::string> map(std::string_view name);
  std::optional<std::vector<std::string>> texts(std::string_view name);
  // A list of at most 10,000 whole numbers.
  std::optional<std::vector<std::int64_t>> integers(std::string_view name);
  // A name that must be there; empty when it is not.
  std::string required_text(std::string_view name);

  // Whether it was sent, also as null.
  bool has(std::string_view name) const { return values_.contains(name); }
  // Fails with request_invalid (a wrong value) or option_unknown, naming it.
  Result<void> finish() const;

 private:
  const boost::json::value* take(std::string_view name);
  void refuse(std::string_view name, std::string_view expected);

  boost::json::object values_;
  std::string what_;
  std::set<std::string, std::less<>> known_;
  std::optional<Error> fault_;
};

}  // namespace lade::api
