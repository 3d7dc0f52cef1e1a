// The options that every command takes, before its name or behind it.

/** As the parser gives them. A type, not an interface: the parser's own types ask for an index signature. */
export type GlobalOptions = {
  quiet?: true;
  verbose?: true;
  workspace?: string;
};
