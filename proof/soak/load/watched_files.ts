// Puts files into watched folders, each once and complete, and checks that the agent got each of them once. Seen
// files are removed, so that the load stays steady.
import { join } from "node:path";
import { readSnapshot } from "../invariants/invariants.ts";
import { sleep } from "../sleep.ts";
import { WATCHED } from "./soak_agents.ts";
import type { Chance } from "../soak_random.ts";
import type { SoakWorld } from "../soak_world.ts";

/** The number of seen files that stay; removal starts at half as many more. */
const MAX_KEPT_FILES = 60;

/** A file that an agent must get once. */
interface Change {
  event: "created" | "deleted";
  path: string;
}

/** The parts of the soak that it uses. */
type WatchedWorld = Pick<SoakWorld, "chance" | "count" | "database" | "findings"> & {
  home: Pick<SoakWorld["home"], "workspace">;
};

/** The watched folders of one soak. */
export class WatchedFiles {
  readonly #world: WatchedWorld;
  readonly #leftLying: number;
  readonly #chance: Chance;
  /** The time of each change, by its key. */
  readonly #made = new Map<string, string>();
  #unseen = new Map<string, Change>();
  /** The existing files, the oldest first. */
  #lying: string[] = [];
  #count = 0;
  /** The number of written files. */
  written = 0;
  #isPausing = false;

  constructor(world: WatchedWorld, { leftLying = MAX_KEPT_FILES }: { leftLying?: number } = {}) {
    this.#world = world;
    this.#leftLying = leftLying;
    this.#chance = world.chance("watched");
  }

  /** Moves new files into a folder; during a pause none, because agents would not get them. */
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

  /** Changes nothing until `resume`. Resolves when every change was seen; false when that takes too long. */
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

  /** Returns the changes without a run. */
  findUnseen(): Change[] {
    if (this.#unseen.size > 0) {
      for (const change of this.#runs()) this.#unseen.delete(toKey(change));
    }
    return [...this.#unseen.values()];
  }

  /** Reports changes that were never seen, or seen more than once. */
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

  /** Removes the oldest files that were seen. */
  async #clearAway(): Promise<void> {
    const unseen = new Set(this.findUnseen().map(({ path }) => path));
    const old = this.#lying.slice(0, -this.#leftLying).filter((path) => !unseen.has(path));
    for (const path of old) {
      const place = this.#lying.indexOf(path);
      // Another action may be removing files, too.
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

/** Every file has a unique name. */
function toKey({ event, path }: Change): string {
  return `${event} ${path}`;
}
