// Defines access to the variables of agents and models. They come from the workspace's `.env`, then from the config
// directory's `.env`, then from the shell.
import type { EnvironmentFiles } from "./environment_files.ts";

/** Variables by name. Changed files are read again, so that a new key is used without a restart. */
export type Environment = Pick<EnvironmentFiles, "get" | "secrets">;
