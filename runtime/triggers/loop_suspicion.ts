// Tells an agent that fires itself by files that nobody saw it write (a script's, a custom tool's, an MCP server's) from
// one whose folder somebody else fills. Pure.
//
// Decision: an experiment, because in a busy folder changes come while runs go on just as well. After ten generations of
// runs in a row, each fired by a change noticed while watch runs went on, the agent's next ones wait in quiet for longer
// than their changes took to come. Whoever else writes there goes on meanwhile, and that ends the suspicion; a loop has
// nothing to go on with. (rejected: counting alone, which stops a folder that is always busy)
import type { Clock } from "../clock.ts";
import { BusyTime } from "./busy_time.ts";
import { type ChangeOrigin, FROM_OUTSIDE } from "./change_origin.ts";
import { MAX_CHAIN } from "./max_chain.ts";

/** So many generations in a row are trusted; each one after them waits in quiet. */
const TRUSTED_RUNS = 10;
/** An agent with no more than so many has no part in another one's loop. */
const HARMLESS_RUNS = 5;
/** The file system tells of a run's last write when the run is over already. */
const LATE_MS = 1_000;
const SHORTEST_QUIET_MS = 1_000;

/** The wait of an agent whose next generation has come. */
interface Quiet {
  since: number;
  needMs: number;
  /** When the last of the runs was over that had begun before. */
  loneSince: number | undefined;
}

interface Suspect {
  /** Of its newest run. */
  generation: number;
  /** The last generation before those that count. */
  base: number;
  /** The busy time at which the newest generation began. */
  begunAt: number;
  /** The longest busy time that the first change of a generation took to come. */
  longestMs: number;
  /** When each of its runs began. */
  running: Map<number, number>;
  /** Of those that are over. */
  longestRunMs: number;
  endedAt: number;
  quiet: Quiet | undefined;
}

/** Suspects agents. */
export class LoopSuspicion {
  readonly #clock: Pick<Clock, "now">;
  readonly #suspects = new Map<string, Suspect>();
  readonly #agents = new Map<number, string>();
  /** While any watch run goes on, or its changes may still be noticed. */
  readonly #busy = new BusyTime(LATE_MS);

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** What a change of an agent's files, noticed now, may come from. */
  noticed(agentId: string): Pick<ChangeOrigin, "generation" | "noticedAt"> {
    const suspect = this.#suspects.get(agentId);
    if (suspect === undefined) return FROM_OUTSIDE;
    const now = this.#clock.now();
    if (!this.#mayBeOwn(suspect, now)) {
      this.#acquit(suspect);
      return FROM_OUTSIDE;
    }
    return { generation: suspect.generation + 1, noticedAt: this.#busy.total(now) };
  }

  /** Whether a change of this generation must wait so many milliseconds, may fire, or shows that this is a loop. */
  judge(agentId: string, generation: number): "fires" | "loops" | { waitMs: number } {
    const suspect = this.#suspects.get(agentId);
    if (suspect === undefined || generation <= suspect.generation) return "fires";
    const length = lengthOf(suspect, generation);
    if (length <= TRUSTED_RUNS) return "fires";
    const waitMs = this.#waitMs(suspect, length);
    if (waitMs > 0) return { waitMs };
    return suspect.quiet === undefined || length <= MAX_CHAIN ? "fires" : "loops";
  }

  /** How many generations in a row a change would begin the next one of; 0: it would not, or they are no matter yet. */
  lengthWith(agentId: string, generation: number): number {
    const suspect = this.#suspects.get(agentId);
    if (suspect === undefined || generation <= suspect.generation) return 0;
    const length = lengthOf(suspect, generation);
    return length > HARMLESS_RUNS ? length : 0;
  }

  /** Whether lengthWith() may be more than 0. */
  isSuspected(agentId: string): boolean {
    const suspect = this.#suspects.get(agentId);
    return suspect !== undefined && lengthOf(suspect, suspect.generation + 1) > HARMLESS_RUNS;
  }

  started(
    agentId: string,
    run: { executionId: number; origin: Pick<ChangeOrigin, "generation" | "noticedAt"> },
  ): void {
    const now = this.#clock.now();
    this.#busy.begin(now);
    const suspect = this.#suspects.get(agentId) ?? newSuspect(this.#busy.total(now));
    this.#suspects.set(agentId, suspect);
    this.#agents.set(run.executionId, agentId);
    suspect.running.set(run.executionId, now);
    const { generation, noticedAt } = run.origin;
    if (generation <= suspect.generation) return;
    suspect.longestMs = Math.max(suspect.longestMs, noticedAt - suspect.begunAt);
    suspect.generation = generation;
    suspect.begunAt = this.#busy.total(now);
    suspect.quiet = undefined;
  }

  ended(executionId: number): void {
    const agentId = this.#agents.get(executionId);
    if (agentId === undefined) return;
    this.#agents.delete(executionId);
    const now = this.#clock.now();
    this.#busy.end(now);
    const suspect = this.#suspects.get(agentId);
    if (suspect === undefined) return;
    suspect.longestRunMs = Math.max(
      suspect.longestRunMs,
      now - (suspect.running.get(executionId) ?? now),
    );
    suspect.running.delete(executionId);
    suspect.endedAt = now;
  }

  /** Suspects this agent of nothing any more. */
  reset(agentId: string): void {
    const suspect = this.#suspects.get(agentId);
    if (suspect !== undefined) this.#acquit(suspect);
  }

  /** This agent watches no more, and none of its changes waits. */
  forget(agentId: string): void {
    this.#suspects.delete(agentId);
  }

  /** Somebody else writes to what it watches. */
  #acquit(suspect: Suspect): void {
    suspect.base = suspect.generation;
    suspect.begunAt = this.#busy.total(this.#clock.now());
    suspect.longestMs = 0;
    suspect.quiet = undefined;
  }

  #mayBeOwn(suspect: Suspect, now: number): boolean {
    if (lengthOf(suspect, suspect.generation) < TRUSTED_RUNS) return this.#busy.isBusy(now);
    const from = this.#quietFrom(suspect, now);
    return from === undefined || now <= from;
  }

  /** Those whose runs may have made a change of this one's files. */
  *#accomplices(suspect: Suspect): Iterable<Suspect> {
    for (const one of this.#suspects.values()) {
      if (one === suspect || lengthOf(one, one.generation) > HARMLESS_RUNS) yield one;
    }
  }

  /** The time after which a change of its files comes from somebody else; undefined while runs go on. */
  #quietFrom(suspect: Suspect, now: number): number | undefined {
    let from = -Infinity;
    for (const { running, endedAt } of this.#accomplices(suspect)) {
      if (running.size > 0) return undefined;
      // An end in the future is one before the clock was set back.
      if (endedAt <= now) from = Math.max(from, endedAt + LATE_MS);
    }
    return from;
  }

  /** How long its next generation has to wait yet; 0: it has waited, or there is no need to any more. */
  #waitMs(suspect: Suspect, length: number): number {
    const now = this.#clock.now();
    if (suspect.quiet !== undefined && suspect.quiet.since > now) suspect.quiet = undefined;
    // Longer each time, so that it falls into step with nobody who writes at regular times.
    const needMs = suspect.longestMs * (1 + (length - TRUSTED_RUNS) / 2);
    const quiet = suspect.quiet ??= {
      since: now,
      needMs: Math.ceil(Math.max(SHORTEST_QUIET_MS, needMs)),
      loneSince: undefined,
    };
    const from = this.#quietFrom(suspect, now);
    if (from !== undefined) return Math.max(0, Math.max(quiet.since, from) + quiet.needMs - now);
    if (this.#isUnneeded(suspect, quiet, now)) {
      this.#acquit(suspect);
      return 0;
    }
    if (now - quiet.since <= this.#patienceMs(suspect, quiet)) return LATE_MS;
    // Some run goes on for much longer than all before it: no quiet is to be had, so this generation is not counted.
    suspect.base++;
    suspect.quiet = undefined;
    return 0;
  }

  /** How long a wait for quiet may take while runs go on. */
  #patienceMs(suspect: Suspect, { needMs }: Quiet): number {
    const runs = [...this.#accomplices(suspect)].map(({ longestRunMs }) => longestRunMs);
    return 3 * (Math.max(0, ...runs) + needMs + LATE_MS);
  }

  /** Whether the others keep running without it: their runs are not caused by its own. */
  #isUnneeded(suspect: Suspect, quiet: Quiet, now: number): boolean {
    for (const { running } of this.#accomplices(suspect)) {
      for (const begunAt of running.values()) if (begunAt <= quiet.since) return false;
    }
    quiet.loneSince ??= now;
    return now - quiet.loneSince > 3 * (quiet.needMs + LATE_MS);
  }
}

/** How many generations in a row there are with this one, the one that began it included. */
function lengthOf({ base }: Suspect, generation: number): number {
  return generation - base + 1;
}

function newSuspect(begunAt: number): Suspect {
  return {
    generation: 0,
    base: 0,
    begunAt,
    longestMs: 0,
    running: new Map(),
    longestRunMs: 0,
    endedAt: -Infinity,
    quiet: undefined,
  };
}
