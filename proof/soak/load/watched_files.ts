// Puts files into watched folders and checks that the watching agent got each file exactly once. Removes files that were
// seen, so that their number stays steady.
import { join } from "node:path";
import { readSnapshot } from "../invariants/invariants.ts";
import { sleep } from "../sleep.ts";
import { WATCHED } from "./soak_agents.ts";
import type { Chance } from "../chance.ts";
import type { SoakWorld } from "../soak_world.ts";

/** The number of files that remain after a removal. Files are removed when there are 50 % more. */
const MAX_KEPT_FILES = 60;

/** The creation or removal of a file, which an agent must get once. */
interface Change {
  event: "created" | "deleted";
  path: string;
}

/** The parts of the soak's world that WatchedFiles needs. */
type WatchedWorld = Pick<SoakWorld, "chance" | "count" | "database" | "findings"> & {
  home: Pick<SoakWorld["home"], "workspace">;
};

/** Changes the watched folders of one soak and checks the runs. */
export class WatchedFiles {
  readonly #world: WatchedWorld;
  readonly #leftLying: number;
  readonly #chance: Chance;
  /** The time of each change in ISO format, by the change's key. */
  readonly #made = new Map<string, string>();
  #unseen = new Map<string, Change>();
  /** The paths of the existing files, oldest first. */
  #lying: string[] = [];
  #count = 0;
  /** The number of files written so far. */
  written = 0;
  #isPausing = false;

  constructor(world: WatchedWorld, { leftLying = MAX_KEPT_FILES }: { leftLying?: number } = {}) {
    this.#world = world;
    this.#leftLying = leftLying;
    this.#chance = world.chance("watched");
  }

  /** Moves new files into a watched folder. Does nothing during a pause, because changes during a pause start no runs. */
  async write(): Promise<void> {
    if (this.#isPausing) return;
    const agent = this.#chance.is(0.8) ? "watch_inbox" : "watch_desk";
    const files = this.#chance.is(0.1) ? this.#chance.between(2, 8) : 1;
    for (let n = 0; n < files; n++) {
      const name = `file-${++this.#count}.md`;
      const staged = join(this.#world.home.workspace, "stage", name);
      const path = join(this.#world.home.workspace, WATCHED[agent] ?? "", name);
      await Deno.writeTextFile(staged, `The letter ${this.#count}.\n`);
      if (this.#isPausing) return;
      this.#expect({ event: "created", path });
      await Deno.rename(staged, path);
      this.#lying.push(path);
      this.written++;
      this.#world.count("watched files");
    }
    if (this.#lying.length > this.#leftLying * 1.5) await this.#clearAway();
  }

  /**
   * Stops all changes until `resume`. Returns true when every change was seen, or false when `patienceMs` milliseconds have
   * passed before.
   */
  async pause(patienceMs: number): Promise<boolean> {
    this.#isPausing = true;
    const began = performance.now();
    while (this.findUnseen().length > 0) {
      if (performance.now() - began > patienceMs) return false;
      await sleep(250);
    }
    return true;
  }

  resume(): void {
    this.#isPausing = false;
  }

  /** Returns the changes for which there is no run yet. */
  findUnseen(): Change[] {
    if (this.#unseen.size > 0) {
      for (const change of this.#runs()) this.#unseen.delete(toKey(change));
    }
    return [...this.#unseen.values()];
  }

  /** Reports the changes that started no run, or more than one. */
  check(): void {
    const { findings } = this.#world;
    for (const change of this.findUnseen()) {
      findings.add("every change of a watched file is seen", {
        ...change,
        at: this.#made.get(toKey(change)),
      });
    }
    const runs = new Map<string, number[]>();
    for (const { id, ...change } of this.#runs()) {
      const key = toKey(change);
      runs.set(key, [...runs.get(key) ?? [], id]);
    }
    for (const [change, executions] of runs) {
      if (executions.length === 1) continue;
      findings.add("no change of a watched file is seen twice", { change, executions });
    }
  }

  #expect(change: Change): void {
    this.#made.set(toKey(change), new Date().toISOString());
    this.#unseen.set(toKey(change), change);
  }

  /** Removes the oldest files, except the files that were not seen yet. */
  async #clearAway(): Promise<void> {
    const unseen = new Set(this.findUnseen().map(({ path }) => path));
    const old = this.#lying.slice(0, -this.#leftLying).filter((path) => !unseen.has(path));
    for (const path of old) {
      const place = this.#lying.indexOf(path);
      // A concurrent action may have removed the file.
      if (place < 0 || this.#isPausing) continue;
      this.#lying.splice(place, 1);
      this.#expect({ event: "deleted", path });
      await Deno.remove(path);
    }
  }

  #runs(): (Change & { id: number })[] {
    return readSnapshot(this.#world.database, (db) =>
      db.prepare(
        `SELECT id, json_extract(request, '$.cause.event') AS event, json_extract(request, '$.cause.path') AS path
           FROM executions WHERE trigger = 'watch'`,
      ).all()) as unknown as (Change & { id: number })[];
  }
}

/** Returns the key of a change. It is unique, because no file name is used twice. */
function toKey({ event, path }: Change): string {
  return `${event} ${path}`;
}
