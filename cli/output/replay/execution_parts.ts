// Splits executions into parts, such as messages, calls and results. Compares the parts of two executions step by step.
import { callsOf, type FramePayload, textOf } from "../../../present/payload.ts";
import type { LogRow } from "../../../api/schemas/execution_schemas.ts";

/** A part of an execution. The parts of two executions with the same step and name are compared with each other. */
export interface ExecutionPart {
  /** The number of replies before the part. If the part is a reply, it is included. */
  step: number;
  /** The name of the part, such as `the prompt` or `call 2`. */
  what: string;
  text: string;
}

/** A part that differs between two executions. The text is null for an execution that does not have the part. */
export interface PartDifference {
  step: number;
  what: string;
  one: string | null;
  other: string | null;
}

const PROMPT = "the prompt";

/** Returns the parts of an execution, in the order of its log. */
export function toParts(rows: readonly LogRow[]): ExecutionPart[] {
  const parts: ExecutionPart[] = [];
  let step = 0;
  let results = 0;
  for (const { event_type: type, message, metadata } of rows) {
    const fields: FramePayload = metadata === null ? {} : JSON.parse(metadata);
    const add = (what: string, text: string) => parts.push({ step, what, text });
    switch (type) {
      case "system":
        // Removes the time from the prompt, because it always differs.
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

/** Returns the parts that differ between two executions, in the order of their steps. */
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

/** Returns the prompt that is in effect at a step: the last stored prompt up to that step, or null. */
function promptAt(parts: ReadonlyMap<string, ExecutionPart>, step: number): string | null {
  return [...parts.values()].findLast((part) => part.what === PROMPT && part.step <= step)?.text ??
    null;
}

/** Returns the parts by a key of their step and name. A repeated key gets the suffix ` again`. */
function byPlace(parts: readonly ExecutionPart[]): Map<string, ExecutionPart> {
  const found = new Map<string, ExecutionPart>();
  for (const part of parts) {
    let place = `${part.step} ${part.what}`;
    while (found.has(place)) place += " again";
    found.set(place, part);
  }
  return found;
}
