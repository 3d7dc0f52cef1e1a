// Converts the options of `inkling respond` to an answer, and checks that the answer fits the question.
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import type { CommandOptions } from "../command_line/command.ts";
import type { respond } from "../declarations/execution_commands.ts";
import type { Answer } from "../prompting/asking.ts";
import { misuse } from "../context/exit.ts";
import { signInServerOf } from "../../present/asked_sign_in.ts";
import { toVisibleLine } from "../../present/visible_text.ts";

/** The options of `inkling respond`. */
export type AnswerFlags = CommandOptions<typeof respond>;

/** Throws CommandFailure if options contradict each other. */
export function checkFlags(flags: AnswerFlags): void {
  const given = answersOf(flags);
  if (given.length > 1) {
    throw misuse(`${given.slice(0, -1).join(", ")} and ${given.at(-1)} contradict each other`);
  }
  for (const name of ["always", "arguments"] as const) {
    if (flags[name] !== undefined && !flags.yes) throw misuse(`--${name} requires --yes`);
  }
  if (flags.reason !== undefined && !flags.yes && !flags.no) {
    throw misuse("--reason requires --yes or --no");
  }
}

/**
 * Returns the answer that the options contain, or undefined if they contain none. Throws CommandFailure if the answer does
 * not fit the question.
 */
export function answerOf(flags: AnswerFlags, pending: PendingBody): Answer | undefined {
  const [given] = answersOf(flags);
  if (given === undefined) return undefined;
  const { kind } = pending;
  if (!pending.is_guard && (flags.always || flags.arguments !== undefined)) {
    throw misuse(
      "--always and --arguments are for the approval of a tool call, " +
        `and execution ${pending.execution_id} does not ask for one`,
    );
  }
  if (kind === "confirm" && (flags.yes || flags.no)) {
    return { approved: flags.yes === true, ...(flags.reason && { reason: flags.reason }) };
  }
  if (kind === "input" && flags.text !== undefined) return { text: flags.text };
  if (kind === "choice" && flags.choice !== undefined) return selection(flags.choice, pending);
  throw misuse(
    `${given} does not fit the question of execution ${pending.execution_id}: ` +
      describeNeed(pending),
  );
}

/** Returns an instruction with the options that answer this question, such as `use --yes or --no`. */
export function describeNeed(pending: PendingBody): string {
  const { kind } = pending;
  switch (kind) {
    case "confirm":
      return signInServerOf(pending) === undefined ? "use --yes or --no" : "use --no to give up";
    case "input":
      return "use --text TEXT";
    case "choice":
      return `use --choice VALUE (${listOptions(pending)})`;
    default:
      return kind satisfies never;
  }
}

function answersOf(flags: AnswerFlags): string[] {
  return (["yes", "no", "text", "choice"] as const)
    .filter((name) => flags[name] !== undefined).map((name) => `--${name}`);
}

function selection(choices: readonly string[], pending: PendingBody): Answer {
  const selected = [...new Set(choices.map((choice) => optionOf(choice, pending)))];
  if (selected.length > 1 && !pending.multi) {
    throw misuse(
      `Execution ${pending.execution_id} accepts one --choice: ${listOptions(pending)}`,
    );
  }
  return { selected };
}

/**
 * Returns the question's choice with this value or position. A choice with this value takes precedence, because the value
 * of a choice can be a number.
 */
function optionOf(choice: string, pending: PendingBody): string {
  const options = pending.options ?? [];
  const option = options.includes(choice)
    ? choice
    : /^\d{1,4}$/.test(choice)
    ? options[Number(choice) - 1]
    : undefined;
  if (option !== undefined) return option;
  throw misuse(`"${choice}" is not one of the choices: ${listOptions(pending)}`);
}

function listOptions({ options }: PendingBody): string {
  return (options ?? []).map((option, index) => `${index + 1} ${toVisibleLine(option)}`).join(", ");
}
