// Runs the scheduler through a simulated world and compares its slots with the slots that the rules require.
import type { Slot } from "../../runtime/triggers/schedule/slot_store.ts";
import { type ExpectedSlot, expectSlots } from "./expectation.ts";
import { runWorld, type WorldScript } from "./world.ts";

export interface Comparison {
  /** Sentences about wrong slots and starts; empty if every slot and every start is as required. */
  differences: string[];
  /** The number of slots with each outcome. */
  counts: Record<Slot["outcome"], number>;
  wakes: number;
}

/** Runs the script and returns the differences between the actual and the required slots and starts. */
export async function compareWorld(script: WorldScript): Promise<Comparison> {
  const { slots, started, overlaps, wakes } = await runWorld(script);
  const expected = expectSlots(script);
  const differences = compareSlots(slots, expected.slots);
  for (const event of script.events) {
    const blindMs = event.type === "step" ? (event.seenAt ?? event.at) - event.at : 0;
    if (Number.isFinite(blindMs) && blindMs > 60_000) {
      differences.push(`a clock set at ${show(event.at)} goes unseen for ${blindMs} ms`);
    }
  }
  if (overlaps > 0) differences.push(`${overlaps} runs began while another one ran`);
  for (const [index, start] of expected.starts.entries()) {
    const actual = started[index];
    if (actual?.scheduledFor === start.scheduledFor && actual.at === start.at) continue;
    differences.push(`run ${index}: started ${show(actual?.at)}, expected ${show(start.at)}`);
    break;
  }
  if (started.length !== expected.starts.length) {
    differences.push(`${started.length} runs, expected ${expected.starts.length}`);
  }
  const counts = { run: 0, skipped: 0, missed: 0 };
  for (const { outcome, count } of slots) counts[outcome] += count;
  return { differences, counts, wakes };
}

/** Returns a sentence about the first difference, or an empty list. A row covers `count` consecutive slots. */
function compareSlots(rows: readonly Slot[], expected: readonly ExpectedSlot[]): string[] {
  let place = 0;
  for (const row of rows) {
    for (let within = 0; within < row.count; within++) {
      const want = expected[place++];
      const isRight = want !== undefined && want.outcome === row.outcome &&
        want.reason === row.reason && (within > 0 || want.at === row.scheduledFor);
      if (isRight) continue;
      return [
        `slot ${within + 1} of ${row.count} from ${show(row.scheduledFor)}: ${row.outcome} ` +
        `(${row.reason}), expected ${show(want?.at)}: ${want?.outcome} (${want?.reason})`,
      ];
    }
  }
  const left = expected[place];
  if (left === undefined) return [];
  return [
    `no outcome for ${expected.length - place} slots from ${show(left.at)} (${left.outcome})`,
  ];
}

function show(at: number | undefined): string {
  return at === undefined ? "none" : new Date(at).toISOString();
}
