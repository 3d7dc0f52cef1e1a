// The tool wait: lets the execution rest until a time. The runtime stores the rest and continues the run afterwards.
import { z } from "zod";
import { formatDuration, parseDuration, writeDuration } from "../../../base/durations.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { defineTool } from "../definition/define_tool.ts";
import { RestRaised } from "../definition/raised.ts";
import type { ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** The minimum delay that the result reports. */
const LATE_MS = MINUTE_MS;
const MAX_REASON_CHARACTERS = 200;

const EXAMPLES = 'Write for: "90m" or "2d", or until: "2026-11-30T08:00+01:00"';

type Rested = NonNullable<ToolContext["rested"]>;

/** Rests until a time. */
export const wait = defineTool({
  name: "wait",
  description:
    "Rests until a time, then continues, for example to check something again later. Costs nothing meanwhile.",
  schema: z.object({
    until: z.string().optional().describe("With zone: 2026-11-30T08:00+01:00"),
    for: z.string().optional().describe("Instead of until: 90m, 2h, 1d12h"),
    reason: z.string().trim().min(1, "must not be empty").max(MAX_REASON_CHARACTERS).describe(
      "What for, in a few words",
    ),
  }),
  effect: "read",
  timeoutMs: MINUTE_MS,
  run: ({ until: moment, for: duration, reason }, { agent, clock, timeZone, rested }) => {
    const now = clock.now();
    const toLocal = (ms: number) => describeTime(ms, timeZone());
    if (rested?.ended !== undefined) {
      const { at } = rested.ended;
      return Promise.resolve(
        describeEnd(rested, { ...rested.ended, now: Math.max(now, at), toLocal }),
      );
    }
    const since = rested?.since ?? now;
    const until = readEnd({ moment, duration }, since);
    if (until <= now) {
      // An earlier call of the reply has rested as long.
      if (rested !== undefined) return Promise.resolve(`It is now ${toLocal(now)}.`);
      throw new ToolFailure(`The time is over already: it is now ${toLocal(now)}. ${EXAMPLES}`);
    }
    const { maxWait } = agent;
    if (maxWait !== null && until - since > maxWait) {
      throw new ToolFailure(
        `This agent may wait ${
          writeDuration(maxWait)
        } at most (max_wait): wait for a shorter time, ` +
          "or end and say what is left to do",
      );
    }
    throw new RestRaised({ until, since, reason });
  },
});

/** Returns the end of a rest that begins at `since`. Throws ToolFailure for unusable arguments. */
function readEnd(
  { moment, duration }: { moment: string | undefined; duration: string | undefined },
  since: number,
): number {
  if ((moment === undefined) === (duration === undefined)) {
    throw new ToolFailure(`Give either until or for. ${EXAMPLES}`);
  }
  if (moment !== undefined) {
    const end = readMoment(moment.trim());
    if (end !== undefined) return end;
    throw new ToolFailure(`until "${moment}" is no time with a zone. ${EXAMPLES}`);
  }
  const ms = parseDuration(duration?.replaceAll(" ", "") ?? "");
  if (ms !== undefined && ms > 0) return since + ms;
  throw new ToolFailure(`for "${duration}" is no duration. ${EXAMPLES}`);
}

/** Parses a time with an offset, or with the name of a zone: `2026-11-30 08:00 Europe/Paris`. */
function readMoment(text: string): number | undefined {
  const named = text.replace(/\s+([A-Za-z]\w*(?:\/[\w+-]+)*)$/, "[$1]");
  try {
    return named.endsWith("]")
      ? Temporal.ZonedDateTime.from(named).epochMilliseconds
      : Temporal.Instant.from(named).epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the result of a call whose rest has ended. */
function describeEnd(
  { since, until }: Rested,
  { at, by, now, toLocal }: NonNullable<Rested["ended"]> & {
    now: number;
    toLocal: (ms: number) => string;
  },
): string {
  const rested = `Rested ${formatDuration(at - since)}`;
  if (by === "person") {
    return `${rested}: a person ended the rest, which was planned until ${toLocal(until)}. ` +
      `It is now ${toLocal(now)}.`;
  }
  const lateMs = now - until;
  const late = lateMs < LATE_MS
    ? ""
    : ` That is ${formatDuration(lateMs)} late, because the service could not continue at ${
      toLocal(until)
    }.`;
  return `${rested}. It is now ${toLocal(now)}.${late}`;
}

/** Returns a time for the model: `Mon 2026-11-30 08:00 +01:00`. */
function describeTime(ms: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
  const day = local.toLocaleString("en", { weekday: "short" });
  const time = local.toPlainTime().toString({ smallestUnit: "minute" });
  return `${day} ${local.toPlainDate().toString()} ${time} ${local.offset}`;
}
