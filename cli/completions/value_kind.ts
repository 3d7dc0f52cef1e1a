// What kind of thing each argument and option value is, by the name under which it is declared.
import type { Argument, Option } from "@commander-js/extra-typings";

/** Where candidates for a value come from. */
export type ValueKind =
  | "agents"
  | "agents-or-files"
  | "executions"
  | "waiting-executions"
  | "files"
  | "directories"
  /** A text of the person's own. */
  | "text";

const ARGUMENT_KINDS: Readonly<Record<string, ValueKind>> = {
  "agent": "agents",
  "execution_id": "waiting-executions",
  "args": "files",
  "validate agent": "agents-or-files",
};

const OPTION_KINDS: Readonly<Record<string, ValueKind>> = {
  "--agent": "agents",
  "--execution": "executions",
  "--workspace": "directories",
  "--path": "files",
  "--watch": "files",
};

/** The kind of a command's argument. */
export function kindOfArgument(command: string, argument: Argument): ValueKind {
  const name = argument.name();
  return ARGUMENT_KINDS[`${command} ${name}`] ?? ARGUMENT_KINDS[name] ?? "text";
}

/** The kind of an option's value. */
export function kindOfOption({ long }: Option): ValueKind {
  return OPTION_KINDS[long ?? ""] ?? "text";
}
