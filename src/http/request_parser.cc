#include "http/request_parser.h"

#include <fmt/format.h>

#include <boost/beast/http/basic_parser.hpp>
#include <charconv>
#include <cstring>
#include <limits>

#include "http/text.h"

namespace lade::http {
namespace {

namespace beast = boost::beast;

Error invalid(std::string_view what) {
  return {"request_invalid", fmt::format("the request is not valid HTTP: {}", what), {}, ErrorKind::usage};
}

// Decimal digits and nothing else, of a number that fits.
std::optional<std::uint64_t> length_from(std::string_view text) {
  std::uint64_t length = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return length;
}

bool is_host(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || std::strchr(".-_~:[]%", c) != nullptr;
  });
}

bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty())
    if (same_name(take_until(list, ','), token)) return true;
  return false;
}

}  // namespace

Result<std::size_t> head_length(std::string_view bytes, std::size_t& scanned) {
  for (; scanned < bytes.size(); ++scanned) {
    const char c = bytes[scanned];
    const char before = scanned > 0 ? bytes[scanned - 1] : '\0';
    if ((is_control(c) && c != '\r' && c != '\n' && c != '\t')) return fail(invalid("a control character in its head"));
    if ((c == '\n') != (before == '\r')) return fail(invalid("a line of its head does not end with CR LF"));
    if (before == '\n' && (c == ' ' || c == '\t')) return fail(invalid("a folded line in its head"));
    if (c == '\n' && scanned >= 3 && bytes[scanned - 2] == '\n') return ++scanned;
  }
  return 0;
}

// Beast reads the lines and the chunks; what it leaves to the eye of the beholder is checked here.
class RequestParser::Inside final : public beast::http::basic_parser<true> {
 public:
  Inside() {
    body_limit(boost::none);
    header_limit(std::numeric_limits<std::uint32_t>::max());
  }

  Result<RequestHead> finished_head();
  Result<Decoded> decode(std::string_view bytes, std::span<char> into);
  const std::string& fault() const { return fault_; }

 private:
  using Fault = beast::error_code;

  void refuse(std::string what, Fault& fault) {
    fault_ = std::move(what);
    fault = beast::http::make_error_code(beast::http::error::bad_value);
  }
  void take_target(std::string_view target, Fault& fault);
  void take_framing(beast::http::field name, std::string_view value, Fault& fault);

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int version,
                       Fault& fault) override;
  void on_response_impl(int, beast::string_view, int, Fault&) override {}
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value, Fault& fault) override;
  void on_header_impl(Fault&) override { head_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Fault&) override {}
  std::size_t on_body_impl(beast::string_view, Fault&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, Fault&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, Fault&) override;
  void on_finish_impl(Fault&) override {}

  RequestHead head_;
  std::string connection_;
  std::string fault_;
  bool head_done_ = false;
  std::span<char> into_;
  std::size_t made_ = 0;
};

void RequestParser::Inside::on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                                            int version, Fault& fault) {
  head_.request.method.assign(method.data(), method.size());
  head_.http_1_1 = version >= 11;
  take_target({target.data(), target.size()}, fault);
}

void RequestParser::Inside::take_target(std::string_view target, Fault& fault) {
  const bool asterisk = target == "*" && head_.request.method == "OPTIONS";
  if (!asterisk && !target.starts_with('/')) return refuse("its target does not begin with a slash", fault);
  if (std::any_of(target.begin(), target.end(), [](char c) { return c <= ' ' || c >= 0x7F || c == '#'; }))
    return refuse("its target has characters that must be escaped", fault);
  const std::size_t question = target.find('?');
  head_.request.path = target.substr(0, question);
  if (question != std::string_view::npos) head_.request.query = target.substr(question + 1);
}

void RequestParser::Inside::on_field_impl(beast::http::field name, beast::string_view text, beast::string_view value,
                                          Fault& fault) {
  if (head_done_) return;  // a trailer: nobody has asked for any
  const std::string_view content(value.data(), value.size());
  take_framing(name, content, fault);
  head_.request.headers.add(std::string(text), std::string(content));
}

void RequestParser::Inside::take_framing(beast::http::field name, std::string_view value, Fault& fault) {
  using beast::http::field;
  if (name == field::host) {
    if (head_.request.headers.has("Host")) return refuse("several Host fields", fault);
    if (!is_host(value)) return refuse("its Host field names no host", fault);
  } else if (name == field::content_length) {
    if (head_.content_length) return refuse("several Content-Length fields", fault);
    head_.content_length = length_from(value);
    if (!head_.content_length) return refuse(fmt::format("Content-Length '{}' is no number", value), fault);
  } else if (name == field::transfer_encoding) {
    if (!same_name(value, "chunked")) return refuse(fmt::format("Transfer-Encoding '{}'", value), fault);
    head_.chunked = true;
  } else if (name == field::expect) {
    head_.expects_continue = same_name(value, "100-continue");
  } else if (name == field::connection) {
    connection_.append(connection_.empty() ? "" : ",").append(value);
  }
}

Result<RequestHead> RequestParser::Inside::finished_head() {
  if (head_.chunked && head_.content_length) return fail(invalid("both Content-Length and Transfer-Encoding"));
  if (head_.chunked && !head_.http_1_1) return fail(invalid("Transfer-Encoding in HTTP/1.0"));
  if (head_.http_1_1 && !head_.request.headers.has("Host")) return fail(invalid("it has no Host field"));
  head_.keep_alive = head_.http_1_1 ? !has_token(connection_, "close") : has_token(connection_, "keep-alive");
  head_.expects_continue = head_.expects_continue && head_.http_1_1 && head_.has_body();
  return std::move(head_);
}

std::size_t RequestParser::Inside::on_chunk_body_impl(std::uint64_t, beast::string_view body, Fault&) {
  const std::size_t count = std::min(body.size(), into_.size() - made_);
  std::memcpy(into_.data() + made_, body.data(), count);
  made_ += count;
  return count;
}

Result<RequestParser::Decoded> RequestParser::Inside::decode(std::string_view bytes, std::span<char> into) {
  Decoded decoded;
  into_ = into;
  made_ = 0;
  while (!is_done() && made_ < into.size() && decoded.taken < bytes.size()) {
    Fault fault;
    decoded.taken += put({bytes.data() + decoded.taken, bytes.size() - decoded.taken}, fault);
    if (fault == beast::http::error::need_more) break;
    if (fault) return fail(invalid(fmt::format("its chunks: {}", fault_.empty() ? fault.message() : fault_)));
  }
  decoded.made = made_;
  decoded.ended = is_done();
  return decoded;
}

RequestParser::RequestParser() : inside_(std::make_unique<Inside>()) {}
RequestParser::~RequestParser() = default;

Result<RequestHead> RequestParser::parse_head(std::string_view head) {
  beast::error_code fault;
  inside_->put({head.data(), head.size()}, fault);
  if (fault) return fail(invalid(inside_->fault().empty() ? fault.message() : inside_->fault()));
  return inside_->finished_head();
}

Result<RequestParser::Decoded> RequestParser::decode(std::string_view bytes, std::span<char> into) {
  return inside_->decode(bytes, into);
}

}  // namespace lade::http
