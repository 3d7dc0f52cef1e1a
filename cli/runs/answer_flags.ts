// An answer given by the flags of `respond`, checked against the question.
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import type { Answer } from "../prompting/asking.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { toVisibleLine } from "../../present/visible_text.ts";

/** The flags of `respond` that answer. */
export interface AnswerFlags {
  yes?: true;
  no?: true;
  /** With `yes`: so from now on. */
  always?: true;
  /** With `yes`: JSON, or `@` and the name of a file with it. */
  arguments?: string;
  reason?: string;
  text?: string;
  choice?: string[];
}

/** Throws CommandFailure for flags that contradict each other, whatever the question is. */
export function checkFlags(flags: AnswerFlags): void {
  const given = answersOf(flags);
  if (given.length > 1) {
    throw misuse(`${given.slice(0, -1).join(", ")} and ${given.at(-1)} contradict each other`);
  }
  for (const name of ["always", "arguments"] as const) {
    if (flags[name] !== undefined && !flags.yes) throw misuse(`--${name} goes with --yes`);
  }
  if (flags.reason !== undefined && !flags.yes && !flags.no) {
    throw misuse(
      "--reason is told to the agent along with --yes or --no: it goes with one of them",
    );
  }
}

/** The answer that the flags give to this question; undefined without any. Throws CommandFailure where they do not fit it. */
export function answerOf(flags: AnswerFlags, pending: PendingBody): Answer | undefined {
  const [given] = answersOf(flags);
  if (given === undefined) return undefined;
  const { kind } = pending;
  if (!pending.is_guard && (flags.always || flags.arguments !== undefined)) {
    throw misuse(
      `Execution ${pending.execution_id} does not ask whether a tool may be called: ` +
        "--always and --arguments are for that",
    );
  }
  if (kind === "confirm" && (flags.yes || flags.no)) {
    return { approved: flags.yes === true, ...(flags.reason && { reason: flags.reason }) };
  }
  if (kind === "input" && flags.text !== undefined) return { text: flags.text };
  if (kind === "choice" && flags.choice !== undefined) return selection(flags.choice, pending);
  throw misuse(`Execution ${pending.execution_id} ${describeNeed(pending)}, not with ${given}`);
}

/** What to type for an answer to this question: `is answered with --yes or --no`. */
export function describeNeed(pending: PendingBody): string {
  const { kind } = pending;
  switch (kind) {
    case "confirm":
      return "is answered with --yes or --no";
    case "input":
      return "is answered with --text TEXT";
    case "choice":
      return `is answered with --choice VALUE (${listOptions(pending)})`;
    default:
      return kind satisfies never;
  }
}

function answersOf({ yes, no, text, choice }: AnswerFlags): string[] {
  return [
    ...(yes ? ["--yes"] : []),
    ...(no ? ["--no"] : []),
    ...(text !== undefined ? ["--text"] : []),
    ...(choice !== undefined ? ["--choice"] : []),
  ];
}

function selection(choices: readonly string[], pending: PendingBody): Answer {
  const selected = [...new Set(choices.map((choice) => optionOf(choice, pending)))];
  if (selected.length > 1 && !pending.multi) {
    throw misuse(`Execution ${pending.execution_id} takes one choice: ${listOptions(pending)}`);
  }
  return { selected };
}

/** The option with this value, else the one with this number. A value counts first: options may be numbers themselves. */
function optionOf(choice: string, pending: PendingBody): string {
  const options = pending.options ?? [];
  const option = options.includes(choice)
    ? choice
    : /^\d{1,4}$/.test(choice)
    ? options[Number(choice) - 1]
    : undefined;
  if (option !== undefined) return option;
  throw misuse(`"${choice}" is not among the choices: ${listOptions(pending)}`);
}

function listOptions({ options }: PendingBody): string {
  return (options ?? []).map((option, index) => `${index + 1} ${toVisibleLine(option)}`).join(", ");
}

function misuse(message: string): CommandFailure {
  return new CommandFailure(EXIT.usage, message);
}
