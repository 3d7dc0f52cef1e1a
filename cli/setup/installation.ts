// What `setup` needs of the program around it (see CliApp), as the runtime declares it. Paths in it are absolute.
export type { Installation, OfferedModel, SetupResult } from "../../ops/setup/installation.ts";
export type { LimitName, ModelChoice, SetupChoices } from "../../ops/setup/setup_choices.ts";
export type { SetupState } from "../../ops/setup/setup_state.ts";
