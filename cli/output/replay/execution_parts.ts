// Splits executions into parts (messages, calls, results, questions) and compares the parts of two executions by step.
import { callsOf, type FramePayload, textOf } from "../../../present/payload.ts";
import type { LogRow } from "../../../api/schemas/execution_schemas.ts";

/** A part of an execution. Parts of two executions with the same step and name are compared. */
export interface ExecutionPart {
  /** The number of replies up to it. */
  step: number;
  /** `the prompt`, `call 2: file_read`. */
  what: string;
  text: string;
}

/** A part that differs between two executions; null if an execution does not have it. */
export interface PartDifference {
  step: number;
  what: string;
  one: string | null;
  other: string | null;
}

const PROMPT = "the prompt";

/** Splits a log into parts, in its order. */
export function toParts(rows: readonly LogRow[]): ExecutionPart[] {
  const parts: ExecutionPart[] = [];
  let step = 0;
  let results = 0;
  for (const { event_type: type, message, metadata } of rows) {
    const fields: FramePayload = metadata === null ? {} : JSON.parse(metadata);
    const add = (what: string, text: string) => parts.push({ step, what, text });
    switch (type) {
      case "system":
        // The time of the prompt always differs.
        add(PROMPT, message.replace(/^<environment>\nNow: .*\n/, "<environment>\n"));
        break;
      case "human":
        add(fields["request_id"] === undefined ? "the user message" : "an answer", message);
        break;
      case "ai":
        step++;
        add("the reply", message);
        break;
      case "tool_call": {
        step++;
        results = 0;
        const content = textOf(fields, "content");
        if (content !== "") add("the reply", content);
        for (const [index, call] of callsOf(fields).entries()) {
          add(`call ${index + 1}`, `${call.name} ${call.args}`);
        }
        break;
      }
      case "tool_result":
        add(`result ${++results}`, String(fields["content"] ?? message));
        break;
      case "interrupt":
        add("a question", message);
        break;
      case "complete":
        add("the outcome", message);
    }
  }
  return parts;
}

/** Returns the differences of two executions in the order of their steps. */
export function compareParts(
  one: readonly ExecutionPart[],
  other: readonly ExecutionPart[],
): PartDifference[] {
  const [first, second] = [byPlace(one), byPlace(other)];
  const places = new Map([...first, ...second]);
  return [...places].toSorted(([, a], [, b]) => a.step - b.step).flatMap(([place, part]) => {
    const textIn = (parts: ReadonlyMap<string, ExecutionPart>) =>
      parts.get(place)?.text ?? (part.what === PROMPT ? promptAt(parts, part.step) : null);
    const [before, after] = [textIn(first), textIn(second)];
    if (before === after) return [];
    return [{ step: part.step, what: part.what, one: before, other: after }];
  });
}

/** Returns the prompt at a step: the last one up to it. */
function promptAt(parts: ReadonlyMap<string, ExecutionPart>, step: number): string | null {
  return [...parts.values()].findLast((part) => part.what === PROMPT && part.step <= step)?.text ??
    null;
}

/** Indexes parts by step and name. Parts with the same name are numbered by their order. */
function byPlace(parts: readonly ExecutionPart[]): Map<string, ExecutionPart> {
  const found = new Map<string, ExecutionPart>();
  for (const part of parts) {
    let place = `${part.step} ${part.what}`;
    while (found.has(place)) place += " again";
    found.set(place, part);
  }
  return found;
}
