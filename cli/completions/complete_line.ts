// Computes the completions of the word at the cursor of a command line.
import type { Program } from "../command_line/command.ts";
import { looksLikeOption } from "../command_line/scanner.ts";
import { AGENT, TEXT, type ValueType } from "../command_line/value_type.ts";
import type { WorkspaceOption } from "../context/app.ts";
import { type Cursor, readCursor, visibleCommands } from "./cursor.ts";

/** A possible completion of the word at the cursor. */
export interface Candidate {
  value: string;
  /** A description of one line; may be empty. */
  description: string;
}

/** The names that the shell itself completes if there are no candidates. */
export type Fallback = "none" | "files" | "directories";

/** The result of pressing the Tab key once. */
export interface Completion {
  candidates: readonly Candidate[];
  fallback: Fallback;
}

/** The source of the agent ids and execution numbers that completions contain. */
export interface ValueSource {
  agents(options: WorkspaceOption): Promise<Candidate[]>;
  /** Returns executions, newest first. With `waiting` it returns only executions that wait for an answer. */
  executions(
    options: WorkspaceOption & { agentId?: string; waiting: boolean },
  ): Promise<Candidate[]>;
}

/** Returns the completions of the last word, which may be empty or incomplete. Rejects if `source` rejects. */
export async function completeLine(
  program: Program,
  words: readonly string[],
  source: ValueSource,
): Promise<Completion> {
  const cursor = readCursor(program, words);
  switch (cursor.kind) {
    case "command":
      return offer(cursor, commandCandidates(program));
    case "option":
      return offer(cursor, optionCandidates(cursor));
    case "value": {
      const { option, prefix } = cursor;
      const { candidates, fallback } = await completeValue(option.type ?? TEXT, {
        cursor,
        program,
        source,
      });
      const whole = candidates.map((one) => ({ ...one, value: prefix + one.value }));
      return { candidates: whole, fallback };
    }
    case "argument":
      return await completeValue(cursor.argument.type, { cursor, program, source });
    case "nothing":
      return offer(cursor, []);
    default:
      return cursor satisfies never;
  }
}

async function completeValue(
  { sort, choices }: ValueType,
  { cursor, program, source }: { cursor: Cursor; program: Program; source: ValueSource },
): Promise<Completion> {
  if (choices !== undefined) {
    return offer(cursor, choices.map((value) => ({ value, description: "" })));
  }
  const where = cursor.workspace === undefined ? {} : { workspace: cursor.workspace };
  switch (sort) {
    case "agents":
      return offer(cursor, await source.agents(where));
    case "agents-or-files":
      return offer(cursor, await source.agents(where), "files");
    case "waiting-executions":
      return offer(cursor, await source.executions({ ...where, waiting: true }));
    case "executions": {
      const [agentId] = cursor.operands;
      const of = agentId === undefined ? {} : { agentId: AGENT.read(agentId) };
      return offer(cursor, await source.executions({ ...where, ...of, waiting: false }));
    }
    case "commands":
      return offer(cursor, commandCandidates(program));
    case "files":
    case "directories":
      return offer(cursor, [], sort);
    case "text":
      return offer(cursor, []);
    default:
      return sort satisfies never;
  }
}

function commandCandidates(program: Program): Candidate[] {
  return visibleCommands(program).map(({ name, description }) => ({ value: name, description }));
}

/** Returns the long names of all options, and a short name if the typed word equals it. */
function optionCandidates({ options, typed }: Cursor): Candidate[] {
  return Object.values(options).flatMap(({ short, long, description }) =>
    [long, short === typed ? short : undefined]
      .filter((name) => name !== undefined)
      .map((value) => ({ value, description }))
  );
}

function offer(
  cursor: Cursor,
  candidates: readonly Candidate[],
  fallback: Fallback = "none",
): Completion {
  const isMisread = (value: string) =>
    cursor.kind === "argument" && !cursor.isBehindDashes && looksLikeOption(value);
  const fits = ({ value }: Candidate) => value.startsWith(cursor.typed) && !isMisread(value);
  return { candidates: candidates.filter(fits), fallback };
}
