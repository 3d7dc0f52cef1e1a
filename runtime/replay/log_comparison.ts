// Compares two logs of one run, without ids and times.
import type { Frame } from "../events/frame.ts";
import { SIGN_IN } from "../vocabulary/tool_vocabulary.ts";
import { isJsonObject } from "../../base/json.ts";
import type { Difference } from "./difference.ts";

/** The fields that differ in every play of a run. */
const VARYING_FIELDS = new Set([
  "execution_id",
  "timestamp",
  "duration_ms",
  "change",
  "created_at",
  "expires_at",
  "answered_via",
  "answered_by",
  // A play does not rest.
  "pauses",
]);

/** Returns a frame's payload without ids and times. */
export function withoutIdsAndTimes(payload: string): string {
  const parsed: unknown = JSON.parse(payload);
  if (!isJsonObject(parsed)) return payload;
  return JSON.stringify(
    Object.fromEntries(Object.entries(parsed).filter(([key]) => !VARYING_FIELDS.has(key))),
  );
}

/** Returns the difference at the first frame that differs. Undefined for equal logs. */
export function firstLogDifference(
  original: readonly Frame[],
  replayed: readonly Frame[],
): Omit<Difference, "call"> | undefined {
  const recorded = instructionsLast(withoutSignIns(original));
  const played = instructionsLast(replayed);
  const length = Math.max(recorded.length, played.length);
  for (let index = 0; index < length; index++) {
    const [before, now] = [recorded[index], played[index]].map((frame) =>
      frame === undefined ? null : `${frame.event} ${withoutIdsAndTimes(frame.payload)}`
    );
    if (before === now) continue;
    return {
      kind: "log",
      what: `entry ${index + 1} of the log`,
      recorded: before ?? null,
      today: now ?? null,
    };
  }
  return undefined;
}

/** The types of frames before which all results of the reply before are logged. */
const REPLY_ENDS = new Set<unknown>(["ai", "tool_call", "system", "complete"]);

/**
 * Moves the instructions of skills behind the results of their reply, in the order of their texts. Instructions are logged
 * when their call ends, and the order in which concurrent calls end differs in each play.
 */
function instructionsLast(frames: readonly Frame[]): Frame[] {
  const moved: Frame[] = [];
  const instructions: { frame: Frame; text: string }[] = [];
  const end = () => {
    const sorted = instructions.splice(0).sort((one, other) => one.text < other.text ? -1 : 1);
    moved.push(...sorted.map(({ frame }) => frame));
  };
  for (const frame of frames) {
    const { event_type: type, kind, content } = JSON.parse(frame.payload);
    if (type === "meta" && kind === undefined) {
      instructions.push({ frame, text: content });
      continue;
    }
    if (REPLY_ENDS.has(type)) end();
    moved.push(frame);
  }
  end();
  return moved;
}

/** Leaves out the questions about sign-ins and their answers, because a replay uses no server. */
function withoutSignIns(frames: readonly Frame[]): readonly Frame[] {
  const asked = frames.flatMap(({ event, payload }) => {
    if (event !== "interrupt") return [];
    const { tool_name: tool, request_id: id } = JSON.parse(payload);
    return tool === SIGN_IN ? [id] : [];
  });
  if (asked.length === 0) return frames;
  return frames.filter(({ payload }) => !asked.includes(JSON.parse(payload).request_id));
}

/**
 * Compares the log of a fork. A fork's log lacks the cost of the copied steps, and its prompts are compared with the
 * requests to the model instead.
 */
export function firstForkDifference(
  recorded: readonly Frame[],
  played: readonly Frame[],
  steps: number,
): Omit<Difference, "call"> | undefined {
  const typeOf = ({ payload }: Frame) => JSON.parse(payload).event_type;
  const withoutPrompts = (frames: readonly Frame[]) =>
    frames.filter((frame) => typeOf(frame) !== "system");
  let paid = 0;
  return firstLogDifference(
    withoutPrompts(recorded),
    withoutPrompts(played).filter((frame) => typeOf(frame) !== "stats" || ++paid > steps),
  );
}
