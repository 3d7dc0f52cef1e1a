// Two logs of one run: the same but for ids and times?
import type { Frame } from "../events/frame.ts";
import { isJsonObject } from "../../base/json.ts";
import type { Difference } from "./difference.ts";

/** Fields that differ between two plays of one run. */
const IDS_AND_TIMES = new Set([
  "execution_id",
  "timestamp",
  "duration_ms",
  "created_at",
  "expires_at",
  "answered_via",
]);

/** A frame's payload without ids and times, to be compared byte for byte. */
export function withoutIdsAndTimes(payload: string): string {
  const parsed: unknown = JSON.parse(payload);
  if (!isJsonObject(parsed)) return payload;
  return JSON.stringify(
    Object.fromEntries(Object.entries(parsed).filter(([key]) => !IDS_AND_TIMES.has(key))),
  );
}

/** The first frame that differs; undefined for logs that say the same. */
export function firstLogDifference(
  recorded: readonly Frame[],
  played: readonly Frame[],
): Omit<Difference, "call"> | undefined {
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

/**
 * The same for a fork: it has paid for none of the steps that it took over, and its prompt was renewed behind them, if it was; the
 * prompts themselves are among what its model was sent.
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
