#include "http/multipart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "http/part_head.h"
#include "http/text.h"

namespace lade::http {
namespace {

constexpr std::size_t kMostHeadBytes = 16 * 1024;
constexpr std::size_t kMostParts = 100;
constexpr std::size_t kMostPadding = 256;  // behind a boundary
constexpr std::size_t kMostBoundaryBytes = 70;
constexpr std::string_view kLineEnd = "\r\n";

bool is_boundary(std::string_view text) {
  return !text.empty() && text.size() <= kMostBoundaryBytes && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter_or_digit(c) || (c != '\0' && std::strchr("'()+_,-./:=? ", c) != nullptr);
         });
}

}  // namespace

std::optional<std::string> boundary_of(std::string_view content_type) {
  std::string_view type = content_type;
  if (!same_name(take_until(type, ';'), "multipart/form-data")) return std::nullopt;
  auto boundary = parameter_of(content_type, "boundary");
  if (!boundary || !is_boundary(*boundary)) return std::nullopt;
  return boundary;
}

MultipartReader::MultipartReader(std::string boundary, Consumer& consumer)
    : delimiter_("\r\n--" + std::move(boundary)), consumer_(consumer) {
  expect_delimiter(Place::preamble);
}

// As if a line had just ended.
void MultipartReader::expect_delimiter(Place place) {
  place_ = place;
  matched_ = implied_ = kLineEnd.size();
}

Result<void> MultipartReader::feed(std::string_view piece) {
  while (!piece.empty()) LADE_TRY(step(piece));
  return {};
}

Result<void> MultipartReader::step(std::string_view& piece) {
  switch (place_) {
    case Place::preamble:
    case Place::data: return take_text(piece);
    case Place::boundary: return take_boundary(piece);
    case Place::head: return take_head(piece);
    case Place::epilogue: piece = {}; break;
  }
  return {};
}

Result<void> MultipartReader::give(std::string_view data) {
  if (place_ != Place::data || data.empty()) return {};
  return consumer_.data(data);
}

// Text up to a delimiter. CR stands nowhere in a delimiter but at its front, so what has matched and then does not is
// text as a whole, and the search goes on right behind it.
Result<void> MultipartReader::take_text(std::string_view& piece) {
  while (matched_ > 0 && matched_ < delimiter_.size() && !piece.empty()) {
    if (piece.front() == delimiter_[matched_]) {
      ++matched_;
      piece.remove_prefix(1);
      continue;
    }
    const std::string_view text = std::string_view(delimiter_).substr(implied_, matched_ - implied_);
    matched_ = implied_ = 0;
    LADE_TRY(give(text));
  }
  if (matched_ == delimiter_.size()) {
    if (place_ == Place::data) LADE_TRY(consumer_.end());
    matched_ = implied_ = 0;
    line_.clear();
    place_ = Place::boundary;
    return {};
  }
  if (piece.empty()) return {};
  std::size_t end = piece.find(delimiter_);
  if (end == std::string_view::npos) {  // perhaps its beginning, at the end
    end = piece.size() - std::min(piece.size(), delimiter_.size() - 1);
    while (end < piece.size() && !delimiter_.starts_with(piece.substr(end))) ++end;
  }
  const std::string_view text = piece.substr(0, end);
  matched_ = std::min(piece.size() - end, delimiter_.size());
  piece.remove_prefix(end + matched_);
  return give(text);
}

// "--" ends the form; else padding and a line end begin a part.
Result<void> MultipartReader::take_boundary(std::string_view& piece) {
  line_.push_back(piece.front());
  piece.remove_prefix(1);
  if (line_ == "--") {
    place_ = Place::epilogue;
    return {};
  }
  if (line_.ends_with(kLineEnd) && trimmed(line_) == kLineEnd) {
    if (++parts_ > kMostParts) return fail(multipart_invalid(fmt::format("more than {} parts", kMostParts)));
    head_.clear();
    place_ = Place::head;
    return {};
  }
  const std::string_view rest = trimmed(line_);
  if ((rest.empty() || rest == "\r" || line_ == "-") && line_.size() <= kMostPadding) return {};
  return fail(multipart_invalid("a boundary is not followed by a line end"));
}

Result<void> MultipartReader::take_head(std::string_view& piece) {
  head_.push_back(piece.front());
  piece.remove_prefix(1);
  if (head_.size() > kMostHeadBytes)
    return fail(multipart_invalid(fmt::format("the head of a part is longer than {} bytes", kMostHeadBytes)));
  if (head_ != kLineEnd && !head_.ends_with("\r\n\r\n")) return {};
  head_.resize(head_.size() - kLineEnd.size());
  LADE_ASSIGN(const Part part, parse_part_head(head_));
  expect_delimiter(Place::data);
  return consumer_.begin(part);
}

Result<void> MultipartReader::finish() {
  if (place_ == Place::epilogue) return {};
  return fail(multipart_invalid(place_ == Place::preamble ? "it has no boundary" : "its last boundary is missing"));
}

}  // namespace lade::http
