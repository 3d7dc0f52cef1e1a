// The types of the installation that `setup` reads and writes. Their paths are absolute.
export type { Installation, OfferedModel, SetupResult } from "../../ops/setup/installation.ts";
export type { LimitName, ModelChoice, SetupChoices } from "../../ops/setup/setup_choices.ts";
export type { SetupState } from "../../ops/setup/setup_state.ts";
