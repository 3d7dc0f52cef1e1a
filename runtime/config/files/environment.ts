// The variables of agents and models: the workspace's `.env`, then the config directory's, then the shell.
import type { Secret } from "../../secrets/secret.ts";

/** Variables by name. Changed files are read again, so that a new key works without a restart. */
export interface Environment {
  get(name: string): string | undefined;
  /**
   * Returns the values that must never be shown, longest first: of variables with a secret name (isSecretName), and of
   * the variables in `names`.
   */
  secrets(names?: readonly string[]): Secret[];
}
