#include "http/prepared_response.h"

#include <fmt/format.h>

#include <ctime>

#include "http/byte_range.h"
#include "http/compression.h"
#include "http/text.h"

namespace lade::http {
namespace {

constexpr std::size_t kCompressedFrom = 1024;  // bytes; less is not worth it

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 422: return "Unprocessable Content";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 507: return "Insufficient Storage";
    default: return "";
  }
}

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  static constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[parts.tm_wday], parts.tm_mday,
                     kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// Whoever filled in a field, it stays one field.
void append_clean(std::string& out, std::string_view text) {
  for (const char c : text) out.push_back(is_control(c) && c != '\t' ? ' ' : c);
}

class Preparation {
 public:
  Preparation(Response response, const ResponseFacts& facts) : response_(std::move(response)), facts_(facts) {
    result_.keep_alive = facts.keep_alive;
  }

  PreparedResponse run() {
    if (auto* text = std::get_if<std::string>(&response_.body)) take_text(std::move(*text));
    if (auto* file = std::get_if<FileBody>(&response_.body)) take_file(std::move(*file));
    if (auto* events = std::get_if<std::shared_ptr<EventChannel>>(&response_.body)) take_events(std::move(*events));
    result_.status = response_.status;
    write_head();
    return std::move(result_);
  }

 private:
  std::string_view asked(std::string_view name) const {
    return facts_.request != nullptr ? facts_.request->headers.get(name) : std::string_view();
  }
  bool is_method(std::string_view method) const {
    return facts_.request != nullptr && facts_.request->method == method;
  }
  bool may_have_body() const { return response_.status >= 200 && response_.status != 204 && response_.status != 304; }

  void set_length(std::uint64_t bytes) { response_.headers.set("Content-Length", std::to_string(bytes)); }
  void take_text(std::string text);
  void take_file(FileBody file);
  void take_events(std::shared_ptr<EventChannel> events);
  void compress(std::string& text);
  bool range_is_for_this_version() const;
  void write_head();

  Response response_;
  const ResponseFacts& facts_;
  PreparedResponse result_;
};

void Preparation::take_text(std::string text) {
  if (!may_have_body()) return;
  compress(text);
  set_length(text.size());
  if (!is_method("HEAD")) result_.text = std::move(text);
}

void Preparation::compress(std::string& text) {
  Headers& headers = response_.headers;
  if (text.size() <= kCompressedFrom || headers.has("Content-Encoding") ||
      !is_compressible(headers.get("Content-Type")))
    return;
  const std::string vary(headers.get("Vary"));
  headers.set("Vary", vary.empty() ? "Accept-Encoding" : vary + ", Accept-Encoding");
  if (!accepts_gzip(asked("Accept-Encoding"))) return;
  text = gzip(text);
  headers.set("Content-Encoding", "gzip");
  // The same content in other bytes.
  if (const std::string tag(headers.get("ETag")); tag.starts_with('"')) headers.set("ETag", "W/" + tag);
}

// If-Range: only whoever has a part of these very bytes gets another part.
bool Preparation::range_is_for_this_version() const {
  const std::string_view wanted = asked("If-Range");
  if (wanted.empty()) return true;
  if (wanted.starts_with('"')) return wanted == response_.headers.get("ETag");
  return !wanted.starts_with("W/") && wanted == response_.headers.get("Last-Modified");
}

void Preparation::take_file(FileBody file) {
  if (!may_have_body()) return;
  response_.headers.set("Accept-Ranges", "bytes");
  ByteRange range{ByteRange::Kind::whole, 0, file.bytes};
  if (response_.status == 200 && is_method("GET") && range_is_for_this_version())
    range = byte_range(asked("Range"), file.bytes);
  if (range.kind == ByteRange::Kind::unsatisfiable) {
    response_.status = 416;
    response_.headers.set("Content-Range", fmt::format("bytes */{}", file.bytes));
  } else if (range.kind == ByteRange::Kind::part) {
    response_.status = 206;
    response_.headers.set("Content-Range",
                          fmt::format("bytes {}-{}/{}", range.first, range.first + range.count - 1, file.bytes));
  }
  set_length(range.count);
  if (is_method("HEAD")) return;
  result_.file = std::move(file);
  result_.first = range.first;
  result_.count = range.count;
}

// Its end is the connection's: proxies then hold nothing back.
void Preparation::take_events(std::shared_ptr<EventChannel> events) {
  response_.headers.set("Content-Type", "text/event-stream");
  response_.headers.set("Cache-Control", "no-store");
  response_.headers.set("X-Accel-Buffering", "no");
  result_.keep_alive = false;
  if (is_method("HEAD"))
    events->listen({});
  else
    result_.events = std::move(events);
}

void Preparation::write_head() {
  if (facts_.request != nullptr) response_.headers.set("X-Request-Id", facts_.request->id);
  response_.headers.set("Date", http_date());
  if (!result_.keep_alive)
    response_.headers.set("Connection", "close");
  else if (!facts_.http_1_1)
    response_.headers.set("Connection", "keep-alive");
  result_.head = fmt::format("HTTP/1.1 {} {}\r\n", result_.status, reason_of(result_.status));
  for (const auto& [name, value] : response_.headers.all()) {
    append_clean(result_.head, name);
    result_.head += ": ";
    append_clean(result_.head, value);
    result_.head += "\r\n";
  }
  result_.head += "\r\n";
}

}  // namespace

PreparedResponse prepare(Response response, const ResponseFacts& facts) {
  return Preparation(std::move(response), facts).run();
}

}  // namespace lade::http
