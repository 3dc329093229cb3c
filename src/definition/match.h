#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "definition/definition.h"

// Which column of a file is which column of a definition. Nothing is applied here: an import takes exact and remembered
// matches only; a similar one counts when a person has saved it.
namespace lade::definition {

// exact: a spelling of the definition's `from`, whatever the case and the spaces. remembered: somebody said so before.
// similar: a guess. given: somebody says so now.
enum class MatchKind { exact, remembered, similar, given };
std::string_view to_string(MatchKind kind);

struct ColumnMatch {
  std::string source_column;  // as the file writes it
  std::string data_column;
  MatchKind kind = MatchKind::exact;
  double confidence = 1;  // 0 to 1; below 1 only for similar ones
};

// Somebody has said that a column of that name is a data column.
struct KnownMatch {
  std::string source_column;
  std::string data_column;
  bool same_header = false;  // of a file with the same header: beats what the definition says
};

struct SimilarName {
  std::string source_column;
  double confidence = 0;
};

// A data column for which the file has no column.
struct MissingColumn {
  std::string data_column;
  std::vector<std::string> from;  // that the definition accepts
  bool required = false;
  std::vector<SimilarName> similar;  // the best three; several nearly equal ones are the reason why none was taken
};

struct HeaderMatch {
  std::vector<ColumnMatch> matches;  // in the order of the definition
  std::vector<MissingColumn> missing;
  std::vector<std::string> unmapped;  // columns of the file that nothing takes

  // Every required column has one.
  bool is_complete() const;
};

// `known`: newest first. Of similar names the best pair is taken first, each source column once, and none when another
// is nearly as good. Cost: a microsecond or so for each pair of a data column and a source column that do not fit
// exactly; beyond 200,000 pairs nothing similar is looked for.
HeaderMatch match_header(const Definition& definition, const std::vector<std::string>& header,
                         const std::vector<KnownMatch>& known = {});

// What somebody says now: "File column=data column". Fails with match_invalid when the file or the definition has no
// such column.
Result<void> give_matches(HeaderMatch& match, const Definition& definition, const std::vector<std::string>& header,
                          const std::vector<std::string>& given);

// The known matches that an import of a file with this header follows. Where the definition finds a column itself only
// those of the same header count.
std::vector<KnownMatch> matches_to_follow(const Definition& definition, const std::vector<std::string>& header,
                                          const std::vector<KnownMatch>& known);

// The definition with these spellings before its own.
Definition with_matches(Definition definition, const std::vector<KnownMatch>& matches);

// A definition for a handler that declares no columns has all of the file's, as text.
Definition with_all_columns(Definition definition, const std::vector<std::string>& header);

// The column of the header with that name, or one that differs in case and spaces only; -1: there is none.
int find_name(const std::vector<std::string>& header, std::string_view name);

// The names nearest to one of `wanted`, best first, at most `most`, none below what is worth proposing.
std::vector<SimilarName> similar_names(const std::vector<std::string>& wanted, const std::vector<std::string>& header,
                                       std::size_t most = 3);

}  // namespace lade::definition
