#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

// The dashboard: files that are part of the program (made in web/, compressed by the build), and one page for all its
// addresses.
namespace lade::api {

struct WebFile {
  std::string_view path;     // index.html, assets/index-4f3a.js
  std::string_view gzipped;  // lives as long as the program
  std::string_view tag;      // of its content, for the ETag
};
// What the build has found in web/dist; none: it was built without.
std::span<const WebFile> web_files();

// Immutable, thread-safe.
class Dashboard {
 public:
  explicit Dashboard(std::span<const WebFile> files);

  // The file of that path; for whoever wants HTML, the page at any other path outside the API, with a nonce of its own
  // in the place of __CSP_NONCE__. Nullopt: there is nothing for the dashboard to answer.
  std::optional<http::Response> answer(const http::Request& request) const;

 private:
  http::Response page() const;

  std::map<std::string, WebFile, std::less<>> files_;  // without the page
  std::string page_;                                   // with the word for the nonce in it
};

}  // namespace lade::api
