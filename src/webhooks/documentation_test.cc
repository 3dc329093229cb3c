// The example of docs/webhooks.md, as a receiver would run it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "testing/results.h"
#include "testing/temporary_folder.h"
#include "webhooks/signature.h"

namespace lade::webhooks {
namespace {

class Documentation : public ::testing::Test {
 protected:
  // The text of the page between the two lines.
  static std::string example() {
    const char* root = std::getenv("LADE_SOURCE_DIR");
    std::ifstream page(std::string(root == nullptr ? "." : root) + "/docs/webhooks.md");
    std::stringstream text;
    text << page.rdbuf();
    const std::string all = text.str(), begin = "```python\n";
    const std::size_t from = all.find(begin);
    EXPECT_NE(from, std::string::npos) << "run by ctest, or in the source folder";
    if (from == std::string::npos) return "";
    return all.substr(from + begin.size(), all.find("```", from + begin.size()) - from - begin.size());
  }
  // Whether the example takes what was signed with `secret` for genuine, `age` seconds later.
  bool takes(const std::string& secret, const std::string& signed_body, const std::string& body, int age = 0) {
    constexpr std::int64_t kTime = 1767225600;
    const std::string signature = sign(signing_secret, "id-1", kTime, signed_body).value();
    std::ofstream(folder.path() / "verify.py")
        << example()
        << fmt::format(
               "\nheaders = {{'webhook-id': 'id-1', 'webhook-timestamp': '{}', 'webhook-signature': '{}'}}\n"
               "raise SystemExit(0 if is_genuine('{}', headers, b'{}', {}) else 7)\n",
               kTime, signature, secret, body, kTime + age);
    const int status = std::system(("python3 " + (folder.path() / "verify.py").string()).c_str());
    EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 7)) << status;
    return status == 0;
  }

  lade::testing::TemporaryFolder folder;
  const std::string signing_secret = new_secret();
};

TEST_F(Documentation, VerifiesWhatLadeSigns) {
  EXPECT_TRUE(takes(signing_secret, R"({"a":1})", R"({"a":1})"));
  EXPECT_FALSE(takes(signing_secret, R"({"a":1})", R"({"a":2})")) << "another body";
  EXPECT_FALSE(takes(new_secret(), R"({"a":1})", R"({"a":1})")) << "another secret";
  EXPECT_FALSE(takes(signing_secret, R"({"a":1})", R"({"a":1})", 301)) << "too old";
}

}  // namespace
}  // namespace lade::webhooks
