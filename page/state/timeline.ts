// Builds the steps of an execution from its frames. A reply includes its calls, a call its result, a question its answer.
import { describeAnswerPlace, isGiven } from "../../present/answer_place.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import {
  callsOf,
  changeOf,
  delegatedOf,
  type FileChange,
  numberOf,
  type ToolCall,
} from "../../present/payload.ts";

/** A frame of the log, with a parsed payload. */
export interface Entry {
  id: number;
  payload: JsonObject;
}

/** A tool call of the timeline. `result` is null until the call ends. */
export interface Call extends ToolCall {
  result: {
    content: string;
    isError: boolean;
    durationMs: number | null;
    at: number;
    /** The change that the call made in a file. */
    change: FileChange | null;
  } | null;
  /** The id of the execution that a delegating call started; null for another call. */
  childId: number | null;
}

/** The usage of one reply. */
export interface StepUsage {
  inputTokens: number;
  outputTokens: number;
  /** The cost in US dollars; null if no price is known. */
  costUsd: number | null;
}

/**
 * A step of the timeline. `at` is in milliseconds since the epoch. `number` is the step number for forks: 0 is the opening,
 * replies count from 1, and later messages of a person have null.
 */
export type Step =
  & { id: number; at: number }
  & (
    | { kind: "prompt"; role: "system"; text: string }
    | { kind: "prompt"; role: "user"; text: string; number: 0 | null }
    | { kind: "reply"; text: string; calls: Call[]; usage: StepUsage | null; number: number }
    /** With `pauses`, the execution does nothing until its next frame. */
    | { kind: "notice"; text: string; pauses?: true }
    | {
      kind: "question";
      requestId: string;
      text: string;
      toolName: string;
      /** The arguments of the call in question. */
      args: JsonObject;
      answer: string | null;
      /** The time of the answer in milliseconds since the epoch; absent for an open question. */
      answeredAt?: number;
      /** The arguments that the answer put in their place. */
      changed?: JsonObject;
      /** The place and sender of the answer, such as `on the page`. Absent if the log does not name it. */
      place?: string;
    }
    | { kind: "answer"; text: string; usage: StepUsage | null; number: number | null }
    | { kind: "end"; status: string; error: string | null }
  );

/** Returns the steps. The usage of a reply is the difference between two consecutive totals in the log. */
export function buildTimeline(entries: readonly Entry[]): Step[] {
  const steps: Step[] = [];
  const before = { input: 0, output: 0, cost: 0 };
  let replies = 0;
  for (const { id, payload } of entries) {
    const at = Date.parse(text(payload["timestamp"]));
    const content = text(payload["content"] ?? payload["message"]);
    const here = { id, at };
    switch (payload["event_type"]) {
      case "system":
        steps.push({ ...here, kind: "prompt", role: "system", text: content });
        break;
      case "human": {
        const changed = payload["arguments"];
        addHuman(steps, {
          ...here,
          // The arguments are shown as a table instead.
          ...(isJsonObject(changed)
            ? { text: content.split("\nWith other arguments:\n")[0] ?? "", changed }
            : { text: content }),
          requestId: text(payload["request_id"]),
          ...(isGiven(payload) && { place: describeAnswerPlace(payload) }),
        });
        break;
      }
      case "ai":
      case "tool_call": {
        const calls = callsOf(payload).map((call) => ({ ...call, result: null, childId: null }));
        // The message of a reply with calls is about the calls.
        const reply = calls.length === 0 ? content : text(payload["content"]);
        steps.push({ ...here, kind: "reply", text: reply, calls, usage: null, number: ++replies });
        break;
      }
      case "tool_result":
        addResult(steps, payload, at);
        break;
      case "stats":
        addUsage(steps, payload, before);
        if (payload["warning"]) {
          steps.push({ ...here, kind: "notice", text: text(payload["warning"]) });
        }
        break;
      case "meta":
        steps.push({
          ...here,
          kind: "notice",
          // Show the short message of a repair, because its content includes the entire schema.
          text: payload["kind"] === "repair"
            ? text(payload["message"])
            : payload["kind"] === "reasoning"
            ? `Reasoning: ${content}`
            : content,
          ...(payload["pauses"] === true && { pauses: true }),
        });
        break;
      case "interrupt":
        addQuestion(steps, {
          ...here,
          kind: "question",
          requestId: text(payload["request_id"]),
          text: text(payload["message"]),
          toolName: text(payload["tool_name"]),
          args: isJsonObject(payload["tool_args"]) ? payload["tool_args"] : {},
          answer: null,
        });
        break;
      case "final_answer":
        steps.push({
          ...here,
          kind: "answer",
          text: content,
          ...removeRepeatedReply(steps, content),
        });
        break;
      case "complete": {
        const error = payload["error"] == null ? null : text(payload["error"]);
        steps.push({ ...here, kind: "end", status: text(payload["status"]), error });
        break;
      }
    }
  }
  return steps;
}

type Question = Extract<Step, { kind: "question" }>;

/** Adds a question, unless it is already open: when a waiting execution is resumed, it logs its question again. */
function addQuestion(steps: Step[], question: Step & Question): void {
  const { requestId } = question;
  const isShown = steps.some((step) =>
    step.kind === "question" && step.answer === null && step.requestId === requestId
  );
  if (requestId === "" || !isShown) steps.push(question);
}

/**
 * Adds a person's message: the answer to the question with its request id, or a turn of the conversation. In logs of older
 * versions, a message without a request id answers the open question.
 */
function addHuman(
  steps: Step[],
  { id, at, text, requestId, ...given }: {
    id: number;
    at: number;
    text: string;
    requestId: string;
    place?: string;
    changed?: JsonObject;
  },
): void {
  const question = steps.findLast((step): step is Question =>
    step.kind === "question" && step.answer === null &&
    (requestId === "" || step.requestId === requestId)
  );
  if (question !== undefined) Object.assign(question, { answer: text, answeredAt: at, ...given });
  else {
    const isOpening = requestId === "" &&
      steps.every((step) => step.kind !== "prompt" || step.role === "system");
    steps.push({ id, at, kind: "prompt", role: "user", text, number: isOpening ? 0 : null });
  }
}

function addResult(steps: readonly Step[], payload: JsonObject, at: number): void {
  const id = text(payload["tool_call_id"]);
  for (const step of steps.toReversed()) {
    if (step.kind !== "reply") continue;
    const call = step.calls.find((one) => one.id === id && one.result === null);
    if (call === undefined) continue;
    const content = text(payload["content"]);
    call.result = {
      content,
      isError: payload["is_error"] === true,
      durationMs: numberOf(payload, "duration_ms") ?? null,
      at,
      change: changeOf(payload),
    };
    if (call.name === "run_agent") {
      call.childId = numberOf(delegatedOf(content) ?? {}, "execution_id") ?? null;
    }
    return;
  }
}

function addUsage(
  steps: readonly Step[],
  payload: JsonObject,
  before: { input: number; output: number; cost: number },
): void {
  const reply = steps.findLast((step) => step.kind === "reply");
  const input = numberOf(payload, "input_tokens") ?? before.input;
  const output = numberOf(payload, "output_tokens") ?? before.output;
  const cost = numberOf(payload, "cost_usd");
  if (reply?.kind === "reply") {
    reply.usage = {
      inputTokens: input - before.input,
      outputTokens: output - before.output,
      costUsd: cost === undefined ? null : Math.max(0, cost - before.cost),
    };
  }
  Object.assign(before, { input, output, cost: cost ?? before.cost });
}

/** Removes the last reply if its text equals the final answer. Returns the usage and the number of this reply. */
function removeRepeatedReply(
  steps: Step[],
  answer: string,
): { usage: StepUsage | null; number: number | null } {
  const last = steps.at(-1);
  if (last?.kind !== "reply" || last.calls.length > 0 || last.text !== answer) {
    return { usage: null, number: null };
  }
  steps.pop();
  return { usage: last.usage, number: last.number };
}

/** Returns the current activity of a running execution in a few words. */
export function describeLatest(steps: readonly Step[]): string {
  const step = steps.at(-1);
  if (step?.kind === "notice" && step.pauses) return step.text;
  const open = step?.kind === "reply" ? step.calls.filter(({ result }) => result === null) : [];
  return open.length === 0
    ? "Waiting for the model"
    : `Running ${open.map(({ name }) => name).join(", ")}`;
}

function text(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
