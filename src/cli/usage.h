#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace lade::cli {

// What is wrong with the command line, for people: names what was not understood and the nearest that would be.
std::string describe_usage_fault(const CLI::App* app, const CLI::Error& error);

using Choices = std::vector<std::pair<std::string, int>>;
// Lets a flag take one of these names, in any case, as the number behind it.
CLI::Validator one_of(Choices choices);

}  // namespace lade::cli
