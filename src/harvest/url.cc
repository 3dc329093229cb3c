#include "harvest/url.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>
#include <unicode/uidna.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <optional>

#include "base/assert.h"

namespace lade::harvest {
namespace {

constexpr std::size_t kLongestUrl = 8192;
constexpr std::size_t kLongestHost = 253;

struct Free {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Parsed = std::unique_ptr<CURLU, Free>;

Parsed new_parsed() {
  Parsed parsed(curl_url());
  LADE_ASSERT(parsed);
  return parsed;
}

std::optional<std::string> part_of(const Parsed& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  const bool found = curl_url_get(url.get(), part, &text, flags) == CURLUE_OK;
  std::optional<std::string> copy;
  if (found) copy = text;
  curl_free(text);
  return copy;
}

tl::unexpected<Error> refused(std::string_view reason) {
  return fail("unreachable_url", fmt::format("this is no address of a page: {}", reason), "give https://host/path",
              ErrorKind::invalid);
}

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text,
                             [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == 127; });
}

// What some resolvers would take for an IPv4 address in another notation: the last label begins with a digit and is a
// number (as browsers decide it).
bool ends_in_a_number(std::string_view host) {
  const std::size_t dot = host.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (last.empty()) return false;
  const bool is_hex = last.starts_with("0x");
  return std::ranges::all_of(last.substr(is_hex ? 2 : 0), [&](char letter) {
    return is_hex ? std::isxdigit(static_cast<unsigned char>(letter)) != 0 : letter >= '0' && letter <= '9';
  });
}

bool is_name(std::string_view host) {
  if (host.empty() || host.size() > kLongestHost || host.front() == '.' || host.find("..") != std::string_view::npos)
    return false;
  return std::ranges::all_of(host, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' ||
           letter == '.';
  });
}

// The address in its usual notation; nothing when the host is none.
std::optional<std::string> address_text(const std::string& host) {
  const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string bare = is_bracketed ? host.substr(1, host.size() - 2) : host;
  unsigned char bytes[16];
  char text[INET6_ADDRSTRLEN];
  const int family = is_bracketed ? AF_INET6 : AF_INET;
  if (inet_pton(family, bare.c_str(), bytes) != 1) return std::nullopt;
  return inet_ntop(family, bytes, text, sizeof text);
}

Result<void> take_host(Url& url, std::string host) {
  std::ranges::transform(host, host.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  if (const auto address = address_text(host)) {
    url.host = *address;
    url.is_address = true;
    return {};
  }
  if (host.ends_with('.')) host.pop_back();
  if (!is_name(host)) return refused("its host is no name");
  if (ends_in_a_number(host)) return refused("its host is a number, but no address");
  url.host = std::move(host);
  return {};
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return static_cast<unsigned char>(letter) < 128; });
}

// A name of any script in the letters that name servers know (UTS 46), as browsers have it. libcurl could do it too,
// but only in a locale of UTF-8.
std::optional<std::string> in_ascii(const std::string& host) {
  UErrorCode status = U_ZERO_ERROR;
  static UIDNA* const idna = uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII,
                                             &status);  // for all threads, for ever
  if (idna == nullptr) return std::nullopt;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  char ascii[4 * kLongestHost];
  status = U_ZERO_ERROR;
  const int32_t length = uidna_nameToASCII_UTF8(idna, host.data(), static_cast<int32_t>(host.size()), ascii,
                                                static_cast<int32_t>(sizeof ascii), &info, &status);
  if (U_FAILURE(status) || info.errors != 0) return std::nullopt;
  return std::string(ascii, static_cast<std::size_t>(length));
}

// In letters that every resolver reads in one way; what is %-encoded in the host as itself.
Result<std::string> in_plain_letters(const Parsed& parsed) {
  curl_url_set(parsed.get(), CURLUPART_FRAGMENT, nullptr, 0);
  const std::string host = part_of(parsed, CURLUPART_HOST).value_or("");
  if (!is_ascii(host)) {
    const auto ascii = in_ascii(host);
    if (!ascii || curl_url_set(parsed.get(), CURLUPART_HOST, ascii->c_str(), 0) != CURLUE_OK)
      return refused("its host is no name");
  }
  auto text = part_of(parsed, CURLUPART_URL);
  if (!text) return refused("its host is no name");
  return std::move(*text);
}

Result<Url> url_of(const Parsed& parsed) {
  Url url;
  url.scheme = part_of(parsed, CURLUPART_SCHEME).value_or("");
  if (url.scheme != "http" && url.scheme != "https")
    return refused(fmt::format("it begins with '{}'; http and https are accepted", url.scheme));
  if (part_of(parsed, CURLUPART_USER) || part_of(parsed, CURLUPART_PASSWORD))
    return refused("it has a user or a password in it");
  if (part_of(parsed, CURLUPART_ZONEID)) return refused("its host names a network interface");
  LADE_TRY(take_host(url, part_of(parsed, CURLUPART_HOST).value_or("")));
  const std::string port = part_of(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT).value_or("0");
  std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (url.port == 0) return refused("its port is none");
  const auto query = part_of(parsed, CURLUPART_QUERY);
  url.target = part_of(parsed, CURLUPART_PATH).value_or("/") + (query ? "?" + *query : "");
  const bool is_usual = url.port == (url.scheme == "http" ? 80 : 443);
  const std::string host = url.host.find(':') != std::string::npos ? "[" + url.host + "]" : url.host;
  url.text = fmt::format("{}://{}{}{}", url.scheme, host, is_usual ? "" : fmt::format(":{}", url.port), url.target);
  return url;
}

// Twice: the second time sees what decoding the host has made of it.
Result<Url> normal_form(const Parsed& parsed) {
  LADE_ASSIGN(const std::string text, in_plain_letters(parsed));
  const Parsed again = new_parsed();
  if (curl_url_set(again.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return refused("its host is no name");
  return url_of(again);
}

Result<void> check_text(std::string_view text) {
  if (text.size() > kLongestUrl)
    return refused(fmt::format("it has {} characters; at most {} are accepted", text.size(), kLongestUrl));
  if (has_control_characters(text)) return refused("it has a control character in it");
  return {};
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  LADE_TRY(check_text(text));
  const Parsed parsed = new_parsed();
  const CURLUcode code =
      curl_url_set(parsed.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME);
  if (code != CURLUE_OK) return refused(curl_url_strerror(code));
  return normal_form(parsed);
}

Result<Url> Url::join(std::string_view reference) const {
  LADE_TRY(check_text(reference));
  const Parsed parsed = new_parsed();
  LADE_ASSERT(curl_url_set(parsed.get(), CURLUPART_URL, text.c_str(), 0) == CURLUE_OK);
  const CURLUcode code = curl_url_set(parsed.get(), CURLUPART_URL, std::string(reference).c_str(),
                                      CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME);
  if (code != CURLUE_OK) return refused(curl_url_strerror(code));
  return normal_form(parsed);
}

std::string Url::origin() const {
  return fmt::format("{}://{}:{}", scheme, host, port);
}

}  // namespace lade::harvest
