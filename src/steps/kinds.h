#pragma once

#include "steps/step_kind.h"

// The kinds that lade brings along, one file each.
namespace lade::steps {

// Who changed a row, and when: columns that never cut a timeline.
const StepKind& edit_info();
// Which unit a row is about, found by its identifiers or new; columns come from the table of identifier types.
const StepKind& external_idents();
// Fields that are taken out of the pages which `fetch` has fetched.
const StepKind& extract();
// Pages of the web that the rows of a file name.
const StepKind& fetch();
// A program of the user's own, which reads columns of the row and fills others.
const StepKind& handler();
// What a unit belongs to: an enterprise that each new unit founds, or another unit found by its identifiers.
const StepKind& link();
// Columns that belong to no step; nothing to do.
const StepKind& metadata();
// Which entity of a table a name means, however it is spelt.
const StepKind& resolve();
// Procedures of the user's own, in the database (PostgreSQL).
const StepKind& sql();
// Figures about a unit; columns come from the table of their definitions.
const StepKind& statistical_variables();
// One target table: the unit's own, or one that has rows of the unit.
const StepKind& table();
// Marks on a unit.
const StepKind& tags();
// From when to when a row holds.
const StepKind& valid_time();

}  // namespace lade::steps
