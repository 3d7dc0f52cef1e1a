// Forks recorded runs of the mix at every step and runs each fork to its end. The copied part must equal the record,
// and none of its unsafe calls may be made again.
import { join } from "node:path";
import { ignoreMissing } from "../../base/files/missing.ts";
import type { Frame } from "../../runtime/events/frame.ts";
import { NoSuchStep } from "../../runtime/executions/refusals.ts";
import { withoutIdsAndTimes } from "../../runtime/replay/log_comparison.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import { SkippingClock } from "./skipping_clock.ts";
import type { Draw, Mix } from "./mix.ts";
import { attendRuns } from "./people.ts";

/** The result of the forks. */
export interface Forked {
  runs: number;
  forks: number;
  /** The unsafe calls in the copied parts, counted for each fork. */
  takenOver: number;
  /** The unsafe calls that forks made after them. */
  made: number;
  problems: string[];
}

/** The text that an unsafe call of the mix writes; no two calls write the same. */
const LINE = /agent_\d+ \d+/g;

/** Forks runs with model replies, at most this number. */
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
        // The calls of a last reply have no results if the run ended among them.
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

/** Returns undefined when the step does not exist. */
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

/** Counts a line in the files, or all lines without one. */
async function countLines(paths: readonly string[]): Promise<(line?: string) => number> {
  const texts = await Promise.all(
    paths.map((path) => Deno.readTextFile(path).catch(ignoreMissing)),
  );
  const lines = texts.join("\n").split("\n");
  return (line) => lines.filter((one) => line === undefined ? one !== "" : one === line).length;
}

const typeOf = ({ payload }: Frame): string => JSON.parse(payload).event_type;
const isReply = ({ event }: Frame) => event === "ai" || event === "tool_call";

/** A fork has its own beginning and end, and pays for no copied step. */
function isTakenOver(frame: Frame): boolean {
  return !["execution_info", "stats", "complete"].includes(typeOf(frame));
}

/** Returns the part of a log that a fork copies: up to the next reply, without the frames about waiting for it. */
function prefixOf(frames: readonly Frame[], step: number): Frame[] {
  const replies = frames.flatMap((frame, index) => isReply(frame) ? [index] : []);
  const before = frames.slice(0, replies[step] ?? frames.length)
    .filter((frame) => isTakenOver(frame) && frame.event !== "final_answer");
  const isWait = (frame: Frame) =>
    frame.event === "interrupt" || JSON.parse(frame.payload).kind === "notice";
  return before.slice(0, before.findLastIndex((frame) => !isWait(frame)) + 1);
}
