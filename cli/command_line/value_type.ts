// The types of option and argument values: their parsing and their completion.
import { InvalidValue } from "./usage_error.ts";

/** The source of the completions of a value. */
export type ValueSort =
  | "agents"
  | "agents-or-files"
  | "executions"
  | "waiting-executions"
  | "commands"
  | "files"
  | "directories"
  /** Free text, without completions. */
  | "text";

/** The type of a value. */
export interface ValueType<Value = unknown> {
  readonly sort: ValueSort;
  /** The allowed texts, if the value is one of a list. */
  readonly choices?: readonly string[];
  /** Parses the text. Throws InvalidValue. */
  read(text: string): Value;
}

/** Any text. */
export const TEXT = ofSort("text");
/** An agent's id, normalized to NFC as all ids are, because keyboards and file systems differ. */
export const AGENT: ValueType<string> = {
  sort: "agents",
  read: (text) => text.normalize("NFC"),
};
/** An agent's id, or the path of a file. */
export const AGENT_OR_FILE = ofSort("agents-or-files");
/** A command's name. */
export const COMMAND = ofSort("commands");
/** The path of a file or folder. */
export const FILE = ofSort("files");
/** The path of a folder. An empty text, for example from an unset shell variable, is invalid. */
export const DIRECTORY: ValueType<string> = {
  sort: "directories",
  read(text) {
    if (text !== "") return text;
    throw new InvalidValue(text, "It must name a folder.");
  },
};

/** A positive amount of dollars or tokens. */
export const AMOUNT: ValueType<number> = {
  sort: "text",
  read(text) {
    const value = Number(text.replace(/^\$/, ""));
    if (/^\$?\d+(\.\d+)?$/.test(text) && value > 0 && value <= 1e9) return value;
    throw new InvalidValue(text, "It must be an amount such as 1.50.");
  },
};

/** A whole number from 1. */
export const COUNT: ValueType<number> = { sort: "text", read: readCount };
/** A whole number from 0. */
export const STEP: ValueType<number> = {
  sort: "text",
  read(text) {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new InvalidValue(text, "It must be a whole number from 0.");
  },
};
/** The forms of a past moment; moment.ts parses them. */
export const MOMENT_FORMS = "22:00, today, yesterday, 2h, 2026-01-31 or 2026-01-31T08:30";

/** The id of an execution. */
export const EXECUTION: ValueType<number> = { sort: "executions", read: readCount };
/** The id of a waiting execution. */
export const WAITING_EXECUTION: ValueType<number> = { sort: "waiting-executions", read: readCount };

/** A duration in seconds, at most a day. */
export const SECONDS: ValueType<number> = {
  sort: "text",
  read(text) {
    const value = Number(text);
    if (/^\d+(\.\d+)?$/.test(text) && value <= 86_400) return value;
    throw new InvalidValue(text, "It must be a number of seconds, 86400 at most.");
  },
};

/** A TCP port. */
export const PORT: ValueType<number> = {
  sort: "text",
  read(text) {
    const value = Number(text);
    if (/^\d+$/.test(text) && value <= 65_535) return value;
    throw new InvalidValue(text, "It must be a port number from 0 (any free one) to 65535.");
  },
};

/** Declares a choice of these texts. `aliases` are accepted, but not listed. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  aliases: Readonly<Record<string, NoInfer<Choice>>> = {},
): ValueType<Choice> {
  return {
    sort: "text",
    choices,
    read(text) {
      const meant = Object.hasOwn(aliases, text) ? aliases[text] : text;
      const found = choices.find((choice) => choice === meant);
      if (found !== undefined) return found;
      throw new InvalidValue(text, `Allowed choices are ${choices.join(", ")}.`);
    },
  };
}

function ofSort(sort: ValueSort): ValueType<string> {
  return { sort, read: (text) => text };
}

function readCount(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)) return value;
  throw new InvalidValue(text, "It must be a whole number from 1.");
}
