// Converts a recorded run to a case: the model's replies, the results of tools that a test does not run, and the outcome.
// Times and ids are left out, so equal runs give equal texts.
import { Document } from "../../runtime/config/files/yaml_library.ts";
import { isJsonObject, isWholeJson, type JsonObject, sortedJson } from "../../base/json.ts";
import type { ToolCall } from "../../runtime/models/message.ts";
import type { RecordedRun } from "../../runtime/executions/record/recorded_run.ts";
import type {
  Cassette,
  CassetteQuestion,
  CassetteReply,
  CassetteResult,
} from "../../runtime/replay/cassette.ts";
import { createCassette } from "../../runtime/replay/create_cassette.ts";
import { withoutPrefix } from "../../runtime/replay/played_tools.ts";
import { argumentsOf } from "./case_script.ts";
import type { PlayedRun } from "./played_run.ts";
import { shortenPath } from "./private_workspace.ts";
import { PLACES } from "./test_tools.ts";
import { CASE_VERSION, type ScriptedCall, type ScriptedReply, type TestCase } from "./test_case.ts";

/** The content of a new case file. The schema in test_case.ts documents each field. */
export interface WrittenCase extends Pick<TestCase, "version"> {
  input?: Readonly<Record<string, unknown>>;
  replies: WrittenReply[];
  expect?: Readonly<Record<string, unknown>>;
}

type WrittenReply = Partial<Omit<ScriptedReply, "calls">> & { calls?: WrittenCall[] };
type WrittenCall = Pick<ScriptedCall, "tool"> & Partial<ScriptedCall>;

/** The folders that the run's paths are shortened against. */
type Places = Parameters<typeof shortenPath>[1];

const FILE_TOOL = /^file_/;

/** Returns a case for a run, without expectations. */
export function createCase(run: RecordedRun, places: Places): WrittenCase {
  const replies = new Replies(places).read(createCassette(run));
  const input = toInput(run, places);
  return {
    version: CASE_VERSION,
    ...(Object.keys(input).length > 0 && { input }),
    replies,
  };
}

/** Returns the case with the outcome of a play as expectations. */
export function withExpectations(written: WrittenCase, played: PlayedRun): WrittenCase {
  const called = [...new Set(played.calls.map(({ tool }) => tool))];
  return {
    ...written,
    expect: {
      status: played.status,
      ...(played.error !== null && { error: played.error }),
      ...(played.output !== null && { output: { equals: played.output } }),
      ...(played.written.size > 0 && {
        files: Object.fromEntries(
          [...played.written].map(([path, equals]) => [path, { equals }]),
        ),
      }),
      ...(called.length > 0 && { tools_called: called }),
      max_steps: Math.max(1, played.steps),
    },
  };
}

/** Formats a case as the text of a case file. */
export function formatCase(written: WrittenCase): string {
  return new Document(written, { aliasDuplicateObjects: false }).toString({ lineWidth: 0 });
}

function toInput(
  { request, execution: { trigger } }: RecordedRun,
  places: Places,
): Readonly<Record<string, unknown>> {
  const { args, message, context, cause } = request;
  const event = cause?.type === "mail" || cause?.type === "change" ? cause : undefined;
  const begins = event?.type ??
    (trigger === "schedule" || trigger === "watch" ? trigger : undefined);
  return {
    ...(args.length > 0 && { args }),
    ...(message !== undefined && { message }),
    ...(context !== undefined && { context }),
    ...(begins !== undefined && { trigger: begins }),
    ...(event && {
      recorded: { summary: event.summary, values: event.values, shown: event.shown },
    }),
    ...(cause?.type === "watch" && { file: shortenPath(cause.path, places), event: cause.event }),
  };
}

class Replies {
  readonly #places: Places;
  /** The files that the run has created so far. The play creates them again, so their contents are not recorded. */
  readonly #made = new Set<string>();

  constructor(places: Places) {
    this.#places = places;
  }

  read({ steps, outcome }: Cassette): WrittenReply[] {
    const replies: WrittenReply[] = [];
    for (const [index, step] of steps.entries()) {
      if (step.type !== "reply") continue;
      const rest = steps.slice(index + 1);
      const end = rest.findIndex(({ type }) => type === "reply");
      const questions = rest.slice(0, end < 0 ? undefined : end)
        .filter((one): one is CassetteQuestion => one.type === "question");
      replies.push(this.#toReply(step, questions));
    }
    const last = steps.findLast(({ type }) => type === "reply");
    // A run that failed without a final answer ends with an error of the model in the script.
    const isFailed = outcome?.status === "error" && outcome.error !== null &&
      !(last?.type === "reply" && last.results.length === 0);
    return isFailed ? [...replies, { error: outcome.error ?? "" }] : replies;
  }

  #toReply(reply: CassetteReply, questions: readonly CassetteQuestion[]): WrittenReply {
    const { message: { content, toolCalls, stop }, results, usage, costUsd } = reply;
    const usual = toolCalls.length > 0 ? "tool_calls" : "end";
    return {
      ...(content !== "" && { text: content }),
      ...(toolCalls.length > 0 && {
        calls: toolCalls.map((call, index) =>
          this.#toCall(call, results[index], questions.filter((one) => one.call === call.id))
        ),
      }),
      ...(stop !== undefined && stop !== usual && stop !== "unknown" &&
        stop !== "unclosed_thought" && { stop }),
      ...(usage !== null && {
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
      }),
      ...(costUsd !== null && { cost_usd: costUsd }),
    };
  }

  #toCall(
    { name, arguments: text }: Pick<ToolCall, "name" | "arguments">,
    result: CassetteResult | undefined,
    questions: readonly CassetteQuestion[],
  ): WrittenCall {
    const parsed = argumentsOf(text);
    const args = parsed === undefined ? text : this.#shorten(name, parsed);
    const given = questions.flatMap(({ answer }) => answer === null ? [] : [answer]);
    const isDenied = questions.some(({ request, answer }) =>
      request.isGuard && answer !== null && !("approved" in answer && answer.approved)
    );
    const isSettled = isDenied || name === "ask_user";
    const isRun = !isSettled && typeof args !== "string" && result?.isError === false &&
      this.#runs(name, args);
    return {
      tool: name,
      ...((typeof args === "string" || Object.keys(args).length > 0) && { args }),
      ...(given.length > 0 && { answers: given }),
      ...(result !== undefined && !isRun && !isSettled &&
        (result.isError
          ? { error: withoutIds(name, withoutPrefix(result.content)) }
          : { result: withoutIds(name, result.content) })),
    };
  }

  /** Returns true if the play runs the call's real tool: the call writes a file, or uses files that the run has created. */
  #runs(name: string, args: JsonObject): boolean {
    const places = ["path", "source"].flatMap((key) => args[key] === undefined ? [] : args[key])
      .map(String);
    const isOfOwn = FILE_TOOL.test(name) && places.length > 0 &&
      places.every((place) => this.#made.has(place));
    if (name !== "file_write" && !isOfOwn) return false;
    if (name === "file_write") this.#made.add(String(args["path"]));
    if (name === "file_move") this.#made.add(String(args["destination"]));
    return true;
  }

  #shorten(name: string, args: JsonObject): JsonObject {
    const shown = FILE_TOOL.test(name)
      ? Object.fromEntries(
        Object.entries(args).map(([key, value]) => [
          key,
          PLACES.has(key) && typeof value === "string" && value.startsWith("/")
            ? shortenPath(value, this.#places)
            : value,
        ]),
      )
      : args;
    return JSON.parse(sortedJson(shown));
  }
}

/** Returns the result of a delegation without the execution's id and duration, which differ in each run. */
function withoutIds(tool: string, content: string): string {
  if (tool !== "run_agent" || !isWholeJson(content)) return content;
  const end: unknown = JSON.parse(content);
  if (!isJsonObject(end)) return content;
  const { execution_id: _id, duration_ms: _time, ...rest } = end;
  return JSON.stringify(rest);
}
