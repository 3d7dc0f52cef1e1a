// Defines the types of option and argument values: how their texts are parsed and completed.
import { InvalidValue } from "./usage_error.ts";
import { ownValue } from "../../base/json.ts";

/** The kind of a value, which determines its completions. */
export type ValueSort =
  | "agents"
  | "agents-or-files"
  | "executions"
  | "waiting-executions"
  | "commands"
  | "files"
  | "directories"
  /** A value without completions: any text is valid or checked by its type. */
  | "text";

/** The type of an option's or argument's value. */
export interface ValueType<Value = unknown> {
  readonly sort: ValueSort;
  /** The allowed texts; absent if any text is allowed. */
  readonly choices?: readonly string[];
  /** Parses the text and returns the value. Throws InvalidValue for an invalid text. */
  read(text: string): Value;
}

/** The type of any text. */
export const TEXT = ofSort("text");
/**
 * The type of an agent's id. The id is normalized to Unicode NFC, because keyboards and file systems produce different
 * forms of the same characters.
 */
export const AGENT: ValueType<string> = {
  sort: "agents",
  read: (text) => text.normalize("NFC"),
};
/** The type of an agent's id or a file's path. */
export const AGENT_OR_FILE = ofSort("agents-or-files");
/** The type of a command's name. */
export const COMMAND = ofSort("commands");
/** The type of a path of a file or folder. */
export const FILE = ofSort("files");
/** The type of a folder's path. An empty text, for example from an unset shell variable, is invalid. */
export const DIRECTORY: ValueType<string> = {
  sort: "directories",
  read(text) {
    if (text !== "") return text;
    throw new InvalidValue(text, "It must name a folder.");
  },
};

/** The type of a positive amount of dollars or tokens. */
export const AMOUNT = numberType(/^\$?\d+(\.\d+)?$/, "an amount such as 1.50", {
  accepts: (value) => value > 0 && value <= 1e9,
});

/** The type of a whole number from 1. */
export const COUNT = numberType(/^\d+$/, "a whole number from 1", {
  accepts: (value) => value >= 1 && Number.isSafeInteger(value),
});
/** The type of a whole number from 0. */
export const STEP = numberType(/^\d{1,9}$/, "a whole number from 0");

/** The accepted forms of a moment in the past, for help and error messages. moment.ts parses them. */
export const MOMENT_FORMS = "22:00, today, yesterday, 2h, 2026-01-31 or 2026-01-31T08:30";

/** The type of an execution's number. */
export const EXECUTION: ValueType<number> = { ...COUNT, sort: "executions" };
/** The type of the number of a waiting execution. */
export const WAITING_EXECUTION: ValueType<number> = { ...COUNT, sort: "waiting-executions" };

/** The type of a duration in seconds, at most 86,400 (one day). */
export const SECONDS = numberType(/^\d+(\.\d+)?$/, "a number of seconds, 86400 at most", {
  accepts: (value) => value <= 86_400,
});

/** The type of a TCP port, from 0 to 65,535. */
export const PORT = numberType(/^\d+$/, "a port number from 0 (any free one) to 65535", {
  accepts: (value) => value <= 65_535,
});

/**
 * Returns the type of a value that is one of `choices`. `aliases` maps further accepted texts to choices; help and
 * completions omit them.
 */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  aliases: Readonly<Record<string, NoInfer<Choice>>> = {},
): ValueType<Choice> {
  return {
    sort: "text",
    choices,
    read(text) {
      const meant = ownValue(aliases, text) ?? text;
      const found = choices.find((choice) => choice === meant);
      if (found !== undefined) return found;
      throw new InvalidValue(text, `Allowed choices are ${choices.join(", ")}.`);
    },
  };
}

function ofSort(sort: ValueSort): ValueType<string> {
  return { sort, read: (text) => text };
}

/** Returns the type of a number that has this form; `what` describes it in the message for other texts. */
function numberType(
  form: RegExp,
  what: string,
  { accepts = () => true }: { accepts?: (value: number) => boolean } = {},
): ValueType<number> {
  return {
    sort: "text",
    read(text) {
      const value = Number(text.replace(/^\$/, ""));
      if (form.test(text) && accepts(value)) return value;
      throw new InvalidValue(text, `It must be ${what}.`);
    },
  };
}
