// Variables as agents and models see them: workspace `.env`, then the config directory's, then the shell.
import type { Secret } from "../secrets/secret.ts";

/** Variables by name. Files are read again when they change, so that a new key works without a restart. */
export interface Environment {
  get(name: string): string | undefined;
  /**
   * Values that must never be shown, longest first: of variables whose name says so (isSecretName), and of
   * those in `names`, whatever they are called.
   */
  secrets(names?: readonly string[]): Secret[];
}
