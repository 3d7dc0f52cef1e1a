// Forks recorded runs at every step and runs each fork to its end. The copied part of a fork must equal the recorded part,
// and the fork must not repeat the unsafe calls of this part.
import { join } from "node:path";
import { ignoreMissing } from "../../base/files/missing.ts";
import type { Frame } from "../../runtime/events/frame.ts";
import { NoSuchStep } from "../../runtime/executions/refusals.ts";
import { withoutIdsAndTimes } from "../../runtime/replay/log_comparison.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { SkippingClock } from "./skipping_clock.ts";
import type { Draw, Mix } from "./mix.ts";
import { attendRuns } from "./people.ts";

/** The numbers of forks and calls, and the problems found. */
export interface Forked {
  runs: number;
  forks: number;
  /** The number of unsafe calls in the copied parts of all forks. */
  takenOver: number;
  /** The number of unsafe calls that the forks made after their copied parts. */
  made: number;
  problems: string[];
}

/** Matches the text that an unsafe call writes. Each call writes another text. */
const LINE = /agent_\d+ \d+/g;

/** Forks up to `most` runs that have a model reply, each at all its steps. */
export async function forkAll(
  { place, witness }: Mix,
  { draw, most }: { draw: Draw; most: number },
): Promise<Forked> {
  await using runtime = await place.open({ clock: new SkippingClock() });
  const roots = (await runtime.listExecutions({ limit: 500, offset: 0 }))
    .filter(({ parentExecutionId }) => parentExecutionId === null);
  const forked: Forked = { runs: 0, forks: 0, takenOver: 0, made: 0, problems: [] };
  for (const { id, agentId } of roots) {
    const recorded = await runtime.readFrames(id, { after: 0 });
    const replies = recorded.filter(isReply).length;
    if (replies === 0) continue;
    if (forked.runs === most) break;
    forked.runs++;
    const memory = join(place.agentsDir, `${agentId}.memory.md`);
    for (let step = 0; step <= replies; step++) {
      const before = await countLines([witness, memory]);
      const forkId = await forkToEnd(runtime, { id, step }, draw);
      if (forkId === undefined) {
        // The last step may be missing: if the run ended during the calls of the last reply, some of them have no result.
        if (step < replies) forked.problems.push(`${id} cannot be forked at ${step}`);
        break;
      }
      forked.forks++;
      const now = await countLines([witness, memory]);
      const taken = prefixOf(recorded, step);
      const lines = taken.filter(({ event }) => event === "tool_call")
        .flatMap(({ payload }) => payload.match(LINE) ?? []);
      forked.takenOver += lines.length;
      for (const line of lines) {
        if (now(line) > before(line)) {
          forked.problems.push(`${id} forked at ${step}: "${line}" again`);
        }
      }
      forked.made += Math.max(0, now() - before());
      const frames = (await runtime.readFrames(forkId, { after: 0 })).filter(isTakenOver);
      const other = taken.findIndex(({ payload }, index) =>
        withoutIdsAndTimes(payload) !== withoutIdsAndTimes(frames[index]?.payload ?? "null")
      );
      if (other >= 0) {
        forked.problems.push(`${id} forked at ${step}: entry ${other} is not the record's`);
      }
      const { differences: [first] } = await runtime.replays.replay(forkId, {
        withAllTools: false,
      });
      if (first !== undefined) {
        forked.problems.push(`${id} forked at ${step}: ${JSON.stringify(first)}`);
      }
    }
  }
  return forked;
}

/**
 * Forks the run at a step and waits until the fork has ended. Returns the id of the fork, or undefined if the run has no
 * such step.
 */
async function forkToEnd(
  runtime: Runtime,
  { id, step }: { id: number; step: number },
  draw: Draw,
): Promise<number | undefined> {
  try {
    const fork = await runtime.replays.fork(id, { step });
    const open = new Set([fork.id]);
    while (open.size > 0) await attendRuns(runtime, open, draw);
    return fork.id;
  } catch (error) {
    if (error instanceof NoSuchStep) return undefined;
    throw error;
  }
}

/** Returns a function that counts the occurrences of a line in the files, or all lines without an argument. */
async function countLines(paths: readonly string[]): Promise<(line?: string) => number> {
  const texts = await Promise.all(
    paths.map((path) => Deno.readTextFile(path).catch(ignoreMissing)),
  );
  const lines = texts.join("\n").split("\n");
  return (line) => lines.filter((one) => line === undefined ? one !== "" : one === line).length;
}

const typeOf = ({ payload }: Frame): string => JSON.parse(payload).event_type;
const isReply = ({ event }: Frame) => event === "ai" || event === "tool_call";

/**
 * Returns true if a fork copies the frame. The frames of a run's beginning, end and usage are not copied, because a fork
 * has its own and does not pay for copied steps.
 */
function isTakenOver(frame: Frame): boolean {
  return !["execution_info", "stats", "complete"].includes(typeOf(frame));
}

/**
 * Returns the frames that a fork at this step copies: all up to the next reply, except the frames about the wait for that
 * reply.
 */
function prefixOf(frames: readonly Frame[], step: number): Frame[] {
  const replies = frames.flatMap((frame, index) => isReply(frame) ? [index] : []);
  const before = frames.slice(0, replies[step] ?? frames.length)
    .filter((frame) => isTakenOver(frame) && frame.event !== "final_answer");
  const isWait = (frame: Frame) =>
    frame.event === "interrupt" || JSON.parse(frame.payload).kind === "notice";
  return before.slice(0, before.findLastIndex((frame) => !isWait(frame)) + 1);
}
