// Calculates the required outcome of every slot in a world from the documented rules, without the product's scheduler.
import { parseDuration } from "../../base/durations.ts";
import { cronSlots, intervalSlots } from "./cron_oracle.ts";
import type { WorldScript } from "./world.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface ExpectedSlot {
  at: number;
  outcome: "run" | "skipped" | "missed";
  reason: string | null;
}

/** Returns the required slots, oldest first, and the wall time at which each run must start. */
export function expectSlots(
  script: WorldScript,
): { slots: ExpectedSlot[]; starts: { scheduledFor: number; at: number }[] } {
  return new Expectation(script).play();
}

class Expectation {
  readonly #script: WorldScript;
  #slots: ExpectedSlot[] = [];
  readonly #starts: { scheduledFor: number; at: number }[] = [];
  readonly #times: (range: { anchor: number; from: number; to: number }) => number[];
  #offset = 0;
  /** The wall clock's offset at the scheduler's last check; undefined when the service has just started. */
  #seenOffset: number | undefined = 0;
  #anchor: number;
  /** The newest slot that has an outcome; null before the first. */
  #newest: number | null = null;
  #isUp = true;
  #isPaused = false;
  #runEnds = -Infinity;
  /** The real time at which the scheduler first notices that the wall clock was set; Infinity if the clock was not set. */
  #blindUntil = Infinity;

  constructor(script: WorldScript) {
    this.#script = script;
    this.#anchor = script.from;
    this.#times = timesOf(script);
  }

  play(): { slots: ExpectedSlot[]; starts: { scheduledFor: number; at: number }[] } {
    for (const event of [...this.#script.events, { at: this.#script.to, type: "end" as const }]) {
      this.#goTo(event.at);
      if (event.type === "step") {
        this.#offset += event.by;
        if (this.#isUp) this.#blindUntil = Math.min(this.#blindUntil, event.seenAt ?? Infinity);
      } else if (event.type === "stop") {
        this.#isUp = false;
        this.#runEnds = -Infinity;
        this.#blindUntil = Infinity;
        this.#seenOffset = undefined;
      } else if (event.type === "start") {
        this.#isUp = true;
        this.#look(event.at, "the service was not running");
      } else if (event.type !== "end") {
        if (event.type !== "edit") this.#isPaused = event.type === "pause";
        if (this.#blindUntil < Infinity) this.#lookAfterStep(event.at);
      }
    }
    return { slots: this.#slots.sort((a, b) => a.at - b.at), starts: this.#starts };
  }

  /** Advances to a real time and starts the slots that become due, unless the scheduler has not yet noticed a set clock. */
  #goTo(real: number): void {
    if (!this.#isUp) return;
    if (this.#blindUntil < Infinity) {
      if (this.#blindUntil > real) return;
      this.#lookAfterStep(this.#blindUntil);
    }
    // While the clock runs normally, the scheduler starts each slot at its exact time.
    for (const slot of this.#open(real + this.#offset)) {
      this.#start(slot, slot - this.#offset, null);
    }
  }

  #lookAfterStep(real: number): void {
    this.#blindUntil = Infinity;
    this.#look(real, "the machine slept or the clock was set forward");
  }

  /** Gives an outcome to every slot that became due while nothing checked the schedule. */
  #look(real: number, reason: string): void {
    const now = real + this.#offset;
    this.#goBack(now);
    const due = this.#open(now);
    const last = due.pop();
    if (last === undefined) return;
    const isInTime = now - last <= MINUTE_MS;
    const isNewest = !this.#slots.some(({ at, outcome }) =>
      outcome === "run" && at > last && at <= now
    );
    const catchesUp = isNewest && this.#script.trigger.catchUp === "once";
    const runs = !this.#isPaused && (isInTime || catchesUp);
    const passed = this.#isPaused
      ? { outcome: "skipped" as const, reason: "paused" }
      : { outcome: "missed" as const, reason };
    for (const at of due) this.#slots.push({ at, ...passed });
    this.#newest = last;
    if (runs) this.#start(last, real, isInTime ? null : "caught up");
    else this.#slots.push({ at: last, ...passed });
  }

  /**
   * Moves the slots after the clock was set back. The slots of an interval move back with the clock, and slots after the
   * new position are forgotten. For a cron expression, of the slots after the new time, only the slots that have run are
   * kept.
   */
  #goBack(now: number): void {
    const setBack = Math.max(0, (this.#seenOffset ?? this.#offset) - this.#offset);
    this.#seenOffset = this.#offset;
    const isInterval = this.#script.trigger.every !== undefined;
    const ahead = (this.#newest ?? this.#anchor) - now;
    if (ahead <= 1_000 && !(isInterval && setBack > 0)) return;
    const move = (at: number) => isInterval ? at - Math.max(setBack, ahead) : Math.min(at, now);
    this.#anchor = move(this.#anchor);
    if (this.#newest !== null) this.#newest = move(this.#newest);
    const reached = this.#newest ?? this.#anchor;
    this.#slots = this.#slots.filter(({ at, outcome }) =>
      at <= reached || !isInterval && outcome === "run"
    );
  }

  #start(slot: number, real: number, reason: string | null): void {
    this.#newest = slot;
    if (this.#isPaused) {
      this.#slots.push({ at: slot, outcome: "skipped", reason: "paused" });
    } else if (real < this.#runEnds) {
      this.#slots.push({ at: slot, outcome: "skipped", reason: "still running" });
    } else {
      const { durations } = this.#script;
      this.#runEnds = real + (durations[this.#starts.length % durations.length] ?? 0);
      this.#slots.push({ at: slot, outcome: "run", reason });
      this.#starts.push({ scheduledFor: slot, at: real + this.#offset });
    }
  }

  /** Returns the slots up to the wall time `to` that have no outcome yet. */
  #open(to: number): number[] {
    const anchor = this.#anchor;
    const ran = new Set(this.#slots.flatMap(({ at, outcome }) => outcome === "run" ? at : []));
    return this.#times({ anchor, from: this.#newest ?? anchor, to }).filter((at) => !ran.has(at));
  }
}

function timesOf(
  { trigger, zone, from, to }: WorldScript,
): (range: { anchor: number; from: number; to: number }) => number[] {
  if (trigger.every !== undefined) {
    const everyMs = parseDuration(trigger.every) ?? NaN;
    return (range) => intervalSlots(everyMs, range);
  }
  // Setting the clock moves wall time by up to a day, so three more days of slots are calculated on each side.
  const all = cronSlots(trigger.cron ?? "", {
    zone: trigger.timezone ?? zone,
    from: from - 3 * DAY_MS,
    to: to + 3 * DAY_MS,
  });
  return (range) => all.filter((slot) => slot > range.from && slot <= range.to);
}
