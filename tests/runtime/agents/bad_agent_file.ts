// The form of the tables of bad agent files, and builders of their entries.

/** `line:column` and a fragment of the message, hint included. */
export type Expected = readonly [place: string, fragment: string];

/** What one bad file must lead to. */
export interface BadAgentFile {
  /** What is wrong. */
  about: string;
  content: string | Uint8Array;
  expect: readonly Expected[];
  /** The file's name; `daily.md` unless it matters. */
  name?: string;
  /** The agent still loads. */
  warning?: true;
}

/** A file that must be refused. */
export function bad(
  about: string,
  content: string | Uint8Array,
  ...expect: Expected[]
): BadAgentFile {
  return { about, content, expect };
}

/** A file that must load with warnings. */
export function odd(
  about: string,
  content: string,
  ...expect: Expected[]
): BadAgentFile {
  return { about, content, expect, warning: true };
}

/** Front matter of these lines, the first of which is line 2, and a body. */
export function fields(...lines: string[]): string {
  return `---\n${lines.join("\n")}\n---\nDo it.\n`;
}

/** Text and single bytes as one file. */
export function bytes(...parts: (string | number[])[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => typeof part === "string" ? [...new TextEncoder().encode(part)] : part),
  );
}
