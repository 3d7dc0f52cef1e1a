// Defines access to the variables of agents and models. They come from the workspace's `.env`, then from the config
// directory's `.env`, then from the shell.
import type { Secret } from "../../secrets/secret.ts";

/** Variables by name. Changed files are read again, so that a new key is used without a restart. */
export interface Environment {
  get(name: string): string | undefined;
  /**
   * Returns the secret values, longest first: those of variables with a secret name (isSecretName), and those of the
   * variables in `names`.
   */
  secrets(names?: readonly string[]): Secret[];
}
