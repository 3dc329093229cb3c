// Forms, cut into pieces at every place.
#include "http/multipart.h"

#include <vector>

#include "testing/results.h"

namespace lade::http {
namespace {

// What a form says, as text; the pieces of data are joined.
class Collector final : public MultipartReader::Consumer {
 public:
  Result<void> begin(const Part& part) override {
    seen += "[" + part.name + "|" + part.file_name.value_or("-") + "|" + part.content_type + "|";
    return {};
  }
  Result<void> data(std::string_view piece) override {
    EXPECT_FALSE(piece.empty());
    if (piece.find("poison") != std::string_view::npos) return fail("disk_full", "no space");
    largest = std::max(largest, piece.size());
    seen += piece;
    return {};
  }
  Result<void> end() override {
    seen += "]";
    return {};
  }
  std::string seen;
  std::size_t largest = 0;
};

Result<std::string> read(std::string_view body, std::size_t piece_bytes, const std::string& boundary = "B") {
  Collector collector;
  MultipartReader reader(boundary, collector);
  for (std::size_t at = 0; at < body.size(); at += piece_bytes)
    LADE_TRY(reader.feed(std::string(body.substr(at, piece_bytes))));
  LADE_TRY(reader.finish());
  return collector.seen;
}

// The same whatever the pieces are.
std::string read_all_ways(std::string_view body, const std::string& boundary = "B") {
  const auto whole = read(body, body.size() + 1, boundary);
  EXPECT_OK(whole);
  for (std::size_t piece_bytes = 1; piece_bytes <= body.size(); ++piece_bytes) {
    const auto cut = read(body, piece_bytes, boundary);
    EXPECT_OK(cut);
    EXPECT_EQ(cut.value_or(""), whole.value_or("")) << "pieces of " << piece_bytes;
  }
  return whole.value_or("");
}

void expect_refused(std::string_view body, const std::string& message) {
  for (std::size_t piece_bytes : {body.size() + 1, std::size_t{1}, std::size_t{3}}) {
    const auto refused = read(body, piece_bytes);
    ASSERT_FAILS(refused, "multipart_invalid");
    EXPECT_EQ(refused.error().message, "the form cannot be read: " + message);
  }
}

std::string part(const std::string& disposition, const std::string& data = "x") {
  return "--B\r\nContent-Disposition: " + disposition + "\r\n\r\n" + data + "\r\n--B--\r\n";
}

TEST(MultipartTest, PartsWithPreambleAndEpilogue) {
  EXPECT_EQ(read_all_ways("ignored --B\r\n--b\r\n\r\n--B  \t\r\n"
                          "Content-Disposition: form-data; name=\"note\"\r\n\r\n"
                          "two\r\nlines\r\n--B\r\n"
                          "content-type: text/csv; charset=utf-8\r\nX-Other: 1\r\n"
                          "CONTENT-DISPOSITION: Form-Data; filename=\"a.csv\" ; name=file\r\n\r\n"
                          "id,name\r\n1,a\r\n\r\n--B--  \r\nepilogue\r\n--B\r\n"),
            "[note|-||two\r\nlines][file|a.csv|text/csv; charset=utf-8|id,name\r\n1,a\r\n]");
}

TEST(MultipartTest, DataThatLooksLikeABoundary) {
  const std::string data = "--\r\n-\r\r\n--\r\n--A\r\r\n\r\n-B\r\n\r\n--C--B--\r\n -- B\n--B\n--B--";
  EXPECT_EQ(read_all_ways(part("form-data; name=a", data)), "[a|-||" + data + "]");
  const std::string most = "\r\n--BoundarB", again = "\r\n--Bounda\r\n--Bounda";
  EXPECT_EQ(
      read_all_ways("--Boundary\r\nContent-Disposition: form-data; name=a\r\n\r\n" + most + again + "\r\n--Boundary--",
                    "Boundary"),
      "[a|-||" + most + again + "]");
}

TEST(MultipartTest, EmptyPartsAndForms) {
  EXPECT_EQ(read_all_ways(part("form-data; name=\"\"", "")), "[|-||]");
  EXPECT_EQ(read_all_ways("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n--B--"), "[a|-||]")
      << "the blank line's end is also the boundary's";
  EXPECT_EQ(read_all_ways("--B--"), "");
}

TEST(MultipartTest, NamesOfFiles) {
  const auto file_name = [](const std::string& parameter) {
    return read_all_ways(part("form-data; name=f; " + parameter, "x"));
  };
  EXPECT_EQ(file_name(R"(filename="a b;c.csv")"), "[f|a b;c.csv||x]");
  EXPECT_EQ(file_name(R"(filename="say \"hi\"\\.csv")"), R"([f|say "hi"\.csv||x])");
  EXPECT_EQ(file_name(R"(filename="say %22hi%22 100%.csv")"), R"([f|say "hi" 100%.csv||x])");
  EXPECT_EQ(file_name(R"(filename="C:\data\new.csv")"), R"([f|C:\data\new.csv||x])");
  EXPECT_EQ(file_name(R"(filename="../../etc/passwd")"), "[f|../../etc/passwd||x]") << "text, and nothing else";
  EXPECT_EQ(file_name("filename=\"na\xC3\xAFve.csv\""), "[f|na\xC3\xAFve.csv||x]");
  EXPECT_EQ(file_name("filename=x; filename*=UTF-8''na%C3%AFve%20.csv"), "[f|na\xC3\xAFve .csv||x]");
  EXPECT_EQ(file_name("filename*=iso-8859-1'en'na%EFve.csv; filename=x"), "[f|na\xC3\xAFve.csv||x]");
  EXPECT_EQ(file_name(R"(filename="")"), "[f|||x]");
}

TEST(MultipartTest, WhatIsNoForm) {
  expect_refused("", "it has no boundary");
  expect_refused("nothing of the kind", "it has no boundary");
  expect_refused("--B\r\nContent-Disposition: form-data; name=a\r\n\r\ndata", "its last boundary is missing");
  expect_refused("--B\r\nContent-Disposition: form-data; name=a\r\n\r\ndata\r\n--B", "its last boundary is missing");
  expect_refused("--B\r\nContent-Disposition: form-data; name=a\r\n\r\ndata\r\n--B-", "its last boundary is missing");
  expect_refused("--B\r\n\r\ndata\r\n--B--", "a part has no Content-Disposition");
  expect_refused("--BB\r\n", "a boundary is not followed by a line end");
  expect_refused("--B\n", "a boundary is not followed by a line end");
  expect_refused("--B \r\r\n", "a boundary is not followed by a line end");
  expect_refused("--B" + std::string(1000, ' '), "a boundary is not followed by a line end");
  expect_refused(part("attachment; name=a"), "a part is not of the disposition form-data");
  expect_refused(part("form-data"), "a part has no name");
  expect_refused(part("form-data; filename=a"), "a part has no name");
  expect_refused(part("form-data; name=\"a"), "a part has no name");
  expect_refused(part("form-data; name=a\r\nContent-Disposition: form-data; name=b"), "a part has two dispositions");
  expect_refused(part("form-data; name=a; filename*=UTF-16''a"), "a part's filename* cannot be decoded");
  expect_refused(part("form-data; name=a; filename*=UTF-8''%4"), "a part's filename* cannot be decoded");
  expect_refused(part("form-data; name=a; filename*=UTF-8''%00"), "a part's filename* cannot be decoded");
  expect_refused(part(std::string("form-data; name=\"a\0b\"", 21)), "a control character in the head of a part");
  expect_refused(part("form-data; name=a\r\n filename=b"), "a line in the head of a part is no field");
  expect_refused("--B\r\nContent-Disposition : form-data; name=a\r\n\r\n", "a line in the head of a part is no field");
}

TEST(MultipartTest, HeadsAndPartsAreLimited) {
  const auto with_head = [](std::size_t bytes) {
    const std::string disposition = "Content-Disposition: form-data; name=a\r\n";
    return "--B\r\n" + disposition + "X: " + std::string(bytes - disposition.size() - 7, 'x') + "\r\n\r\nd\r\n--B--";
  };
  EXPECT_OK(read(with_head(16 * 1024), 1000));
  expect_refused(with_head(16 * 1024 + 1), "the head of a part is longer than 16384 bytes");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n";
  EXPECT_OK(read(many + "--B--", 1000));
  expect_refused(many + "--B\r\n", "more than 100 parts");
}

TEST(MultipartTest, AConsumersErrorIsPassedOn) {
  EXPECT_FAILS(read(part("form-data; name=a", "poison"), 1000), "disk_full");
}

TEST(MultipartTest, DataIsPassedOnInPiecesNotHeldBack) {
  Collector collector;
  MultipartReader reader("B", collector);
  ASSERT_OK(reader.feed("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n"));
  const std::string lines(100'000, '\r');
  ASSERT_OK(reader.feed(lines));
  EXPECT_EQ(collector.largest, 99'999U) << "all but what may begin a boundary, in one piece";
}

TEST(BoundaryTest, OfAContentType) {
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(boundary_of("Multipart/Form-Data ;charset=utf-8; BOUNDARY=\"a b'()+_,-./:=?\""), "a b'()+_,-./:=?");
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=" + std::string(70, 'x')), std::string(70, 'x'));
  for (const std::string type :
       {"", "multipart/form-data", "multipart/mixed; boundary=abc",
        "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"a \"",
        "multipart/form-data; boundary=a@b", "multipart/form-data; boundary=\"a", "multipart/form-data boundary=a"})
    EXPECT_EQ(boundary_of(type), std::nullopt) << type;
  EXPECT_EQ(boundary_of("multipart/form-data; boundary=" + std::string(71, 'x')), std::nullopt);
}

}  // namespace
}  // namespace lade::http
