#include "webhooks/printable.h"

namespace lade::webhooks {

std::string printable(std::string bytes, std::string_view secret) {
  for (std::size_t at = bytes.find(secret); !secret.empty() && at != std::string::npos; at = bytes.find(secret, at))
    bytes.replace(at, secret.size(), "***");
  std::string line;
  for (const char letter : bytes) {
    const bool is_space = letter == ' ' || (letter >= '\t' && letter <= '\r');
    if (is_space) {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else {
      line += letter > ' ' && letter < 127 ? letter : '.';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace lade::webhooks
