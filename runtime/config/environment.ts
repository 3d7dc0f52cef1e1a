// Variables as agents and models see them: workspace `.env`, then the config directory's, then the shell.

/** Variables by name. Files are read again when they change, so that a new key works without a restart. */
export interface Environment {
  get(name: string): string | undefined;
  /**
   * Values that must never be shown, longest first: of variables named `KEY`, `TOKEN`, `SECRET`, `PASSWORD` or ending
   * in `_` and one of these words, and of those in `names`, whatever they are called.
   */
  secrets(names?: readonly string[]): { name: string; value: string }[];
}
