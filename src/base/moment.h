#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Points in time and stretches of it, for people.
namespace lade {

using Moment = std::chrono::sys_time<std::chrono::milliseconds>;

Moment now();
// 2024-12-31T23:59:59.999Z, as the store gives times; nullopt for anything else.
std::optional<Moment> moment_of(std::string_view text);
// Microseconds since 1970, as the queue has them; nullopt for 0.
std::optional<Moment> moment_of(std::int64_t microseconds);

// 2024-12-31T23:59:59.999Z; empty without one.
std::string to_text(std::optional<Moment> moment);
// 2024-12-31 23:59:59 UTC; empty without one.
std::string for_people(std::optional<Moment> moment);

// "0.4 s", "12 s", "3 min", "2 h 5 min", "4 days".
std::string for_people(std::chrono::milliseconds duration);
// "3 min ago"; empty without a moment.
std::string age_of(std::optional<Moment> moment);

}  // namespace lade
