// Variables as agents and models see them: workspace `.env`, then the config directory's, then the shell.

/** Variables by name. Files are read again when they change, so that a new key works without a restart. */
export interface Environment {
  get(name: string): string | undefined;
  /** Values that must never be shown, longest first: variables named `*_KEY`, `*_TOKEN`, `*_SECRET`, `*_PASSWORD`. */
  secrets(): { name: string; value: string }[];
}
