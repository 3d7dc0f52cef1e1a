// From a command line with a cursor to what the Tab key offers there.
import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Candidate, Completion, Fallback } from "./completion.ts";
import { type Cursor, readCursor, visibleCommands, visibleOptions } from "./cursor.ts";
import { kindOfArgument, kindOfOption, type ValueKind } from "./value_kind.ts";

/** Where candidates come from that the program itself does not know. */
export interface ValueSource {
  agents(options: SourceOptions): Promise<Candidate[]>;
  /** Newest first; with `waiting` those alone that wait for an answer. */
  executions(options: SourceOptions & { agentId?: string; waiting: boolean }): Promise<Candidate[]>;
}

/** What the line so far says about where to look. */
export interface SourceOptions {
  workspace?: string;
}

/** What fits the last of the words, which is typed in part or empty. Rejects when the source does. */
export async function completeLine(
  program: CommandUnknownOpts,
  words: readonly string[],
  source: ValueSource,
): Promise<Completion> {
  const cursor = readCursor(program, words);
  switch (cursor.kind) {
    case "command":
      return offer(
        cursor,
        visibleCommands(program).map((one) => ({
          value: one.name(),
          description: one.description(),
        })),
      );
    case "option":
      return offer(cursor, optionCandidates(cursor));
    case "value": {
      const { option, prefix } = cursor;
      const { candidates, fallback } = await completeValue(
        cursor,
        option,
        kindOfOption(option),
        source,
      );
      const whole = candidates.map((one) => ({ ...one, value: prefix + one.value }));
      return { candidates: whole, fallback };
    }
    case "argument": {
      const kind = kindOfArgument(cursor.command.name(), cursor.argument);
      return await completeValue(cursor, cursor.argument, kind, source);
    }
    case "nothing":
      return offer(cursor, []);
    default:
      return cursor satisfies never;
  }
}

async function completeValue(
  cursor: Cursor,
  declared: Argument | Option,
  kind: ValueKind,
  source: ValueSource,
): Promise<Completion> {
  const { argChoices } = declared;
  if (argChoices) {
    return offer(cursor, argChoices.map((value) => ({ value, description: "" })));
  }
  const where = cursor.workspace === undefined ? {} : { workspace: cursor.workspace };
  switch (kind) {
    case "agents":
      return offer(cursor, await source.agents(where));
    case "agents-or-files":
      return offer(cursor, await source.agents(where), "files");
    case "waiting-executions":
      return offer(cursor, await source.executions({ ...where, waiting: true }));
    case "executions": {
      const [agentId] = cursor.operands;
      const of = agentId === undefined ? {} : { agentId };
      return offer(cursor, await source.executions({ ...where, ...of, waiting: false }));
    }
    case "files":
    case "directories":
      return offer(cursor, [], kind);
    case "text":
      return offer(cursor, []);
    default:
      return kind satisfies never;
  }
}

/** Long names, because they say what they mean; a short one only to confirm that it is whole. */
function optionCandidates({ command, typed }: Cursor): Candidate[] {
  return visibleOptions(command).flatMap(({ short, long, description }) =>
    [long, short === typed ? short : undefined]
      .filter((name) => name !== undefined)
      .map((value) => ({ value, description }))
  );
}

function offer(
  { typed }: Cursor,
  candidates: readonly Candidate[],
  fallback: Fallback = "none",
): Completion {
  return { candidates: candidates.filter(({ value }) => value.startsWith(typed)), fallback };
}
