#include "api/dashboard.h"

#include <fmt/format.h>

#include "accounts/secret.h"
#include "api/problem.h"
#include "http/compression.h"

namespace lade::api {
namespace {

constexpr std::string_view kPage = "index.html", kNonce = "__CSP_NONCE__", kImmutable = "assets/";

constexpr std::string_view kWithout = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>lade</title></head><body>
<h1>lade</h1>
<p>This program was built without its dashboard. To build it with one, on a machine with Node.js and npm:</p>
<pre>scripts/build_web.sh
make build</pre>
<p>The API is here all the same: <a href="/openapi.json">/openapi.json</a> describes it.</p>
</body></html>
)html";

std::string_view type_of(std::string_view path) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".woff", "font/woff"},
      {".txt", "text/plain; charset=utf-8"},
      {".wasm", "application/wasm"}};
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

void set_safety(http::Headers& headers) {
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "same-origin");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
}

// Scripts and styles of this server's own files, and those elements of the page that bear its nonce; nothing else.
std::string policy(std::string_view nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'self' 'nonce-{0}'; style-src 'self' 'nonce-{0}'; img-src 'self' data: blob:; "
      "font-src 'self'; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; "
      "form-action 'self'; frame-ancestors 'none'",
      nonce);
}

http::Response file_response(const WebFile& file, const http::Request& request) {
  http::Response response;
  set_safety(response.headers);
  response.headers.set("Content-Type", std::string(type_of(file.path)));
  response.headers.set("ETag", fmt::format("W/\"{}\"", file.tag));
  response.headers.set("Cache-Control",
                       file.path.starts_with(kImmutable) ? "public, max-age=31536000, immutable" : "no-cache");
  if (bare_tag(request.headers.get("If-None-Match")) == file.tag) {
    response.status = 304;
    return response;
  }
  if (http::accepts_gzip(request.headers.get("Accept-Encoding"))) {
    response.headers.set("Content-Encoding", "gzip");
    response.headers.set("Vary", "Accept-Encoding");
    response.body = std::string(file.gzipped);
  } else {
    response.body = http::gunzip(file.gzipped);
  }
  return response;
}

bool belongs_to_api(std::string_view path) {
  return path == "/api" || path.starts_with("/api/");
}

bool wants_page(const http::Request& request) {
  return request.path == "/" || request.headers.get("Accept").find("text/html") != std::string_view::npos;
}

}  // namespace

Dashboard::Dashboard(std::span<const WebFile> files) : page_(kWithout) {
  for (const WebFile& file : files)
    if (file.path == kPage)
      page_ = http::gunzip(file.gzipped);
    else
      files_.emplace(file.path, file);
}

http::Response Dashboard::page() const {
  const std::string nonce = accounts::new_secret();
  http::Response response;
  set_safety(response.headers);
  response.headers.set("Content-Type", "text/html; charset=utf-8");
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Content-Security-Policy", policy(nonce));
  std::string text;
  std::string_view rest = page_;
  for (std::size_t at = rest.find(kNonce); at != std::string_view::npos; at = rest.find(kNonce)) {
    text.append(rest.substr(0, at)).append(nonce);
    rest.remove_prefix(at + kNonce.size());
  }
  response.body = text.append(rest);
  return response;
}

std::optional<http::Response> Dashboard::answer(const http::Request& request) const {
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  if (belongs_to_api(request.path)) return std::nullopt;
  const std::string_view path = std::string_view(request.path).substr(1);
  if (const auto file = files_.find(path); file != files_.end()) return file_response(file->second, request);
  if (path.starts_with(kImmutable) || !wants_page(request)) return std::nullopt;
  return page();
}

}  // namespace lade::api
