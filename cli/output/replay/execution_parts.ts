// An execution as parts that can be compared with those of another: by step, what was said, called, returned, asked and answered.
import { callsOf, type FramePayload, textOf } from "../../../present/payload.ts";
import type { LogRow } from "../../../api/schemas/execution_schemas.ts";

/** One part. Parts of two executions with the same step and name belong together. */
export interface ExecutionPart {
  /** How many replies there are up to it. */
  step: number;
  /** `the prompt`, `call 2: file_read`. */
  what: string;
  text: string;
}

/** What two executions have of one part; null: it has none. */
export interface PartDifference {
  step: number;
  what: string;
  one: string | null;
  other: string | null;
}

const PROMPT = "the prompt";

/** The parts of a log, in its order. */
export function toParts(rows: readonly LogRow[]): ExecutionPart[] {
  const parts: ExecutionPart[] = [];
  let step = 0;
  let results = 0;
  for (const { event_type: type, message, metadata } of rows) {
    const fields: FramePayload = metadata === null ? {} : JSON.parse(metadata);
    const add = (what: string, text: string) => parts.push({ step, what, text });
    switch (type) {
      case "system":
        // When it was made differs in any case.
        add(PROMPT, message.replace(/^<environment>\nNow: .*\n/, "<environment>\n"));
        break;
      case "human":
        add(fields["request_id"] === undefined ? "what was said to it" : "an answer", message);
        break;
      case "ai":
        step++;
        add("what the model said", message);
        break;
      case "tool_call": {
        step++;
        results = 0;
        const content = textOf(fields, "content");
        if (content !== "") add("what the model said", content);
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
        add("the end", message);
    }
  }
  return parts;
}

/** Where two executions differ, in the order of their steps. */
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

/** A prompt holds until it is renewed. */
function promptAt(parts: ReadonlyMap<string, ExecutionPart>, step: number): string | null {
  return [...parts.values()].findLast((part) => part.what === PROMPT && part.step <= step)?.text ??
    null;
}

/** By step and name; of several with one name by their order, too. */
function byPlace(parts: readonly ExecutionPart[]): Map<string, ExecutionPart> {
  const found = new Map<string, ExecutionPart>();
  for (const part of parts) {
    let place = `${part.step} ${part.what}`;
    while (found.has(place)) place += " again";
    found.set(place, part);
  }
  return found;
}
