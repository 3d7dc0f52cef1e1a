// Files put into watched folders, each once and whole, and whether their agent was told of each of them, once.
import { join } from "node:path";
import { readSnapshot } from "./invariants.ts";
import { sleep } from "./sleep.ts";
import { WATCHED } from "./soak_agents.ts";
import type { Chance } from "./soak_random.ts";
import type { SoakWorld } from "./soak_world.ts";

/** The watched folders of one soak. */
export class WatchedFiles {
  readonly #world: SoakWorld;
  readonly #chance: Chance;
  readonly #written = new Map<string, { agent: string; at: string }>();
  #unseen = new Set<string>();
  #count = 0;
  #isPausing = false;

  constructor(world: SoakWorld) {
    this.#world = world;
    this.#chance = world.chance("watched");
  }

  get written(): number {
    return this.#written.size;
  }

  /** Moves new files into a folder; in a pause none, for nobody is told of these. */
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
      this.#written.set(path, { agent, at: new Date().toISOString() });
      this.#unseen.add(path);
      await Deno.rename(staged, path);
      this.#world.count("watched files");
    }
  }

  /** Writes nothing until `resume`, and resolves when all that was written has been seen; false when that takes too long. */
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

  /** The files that no run is for, yet. */
  findUnseen(): string[] {
    if (this.#unseen.size === 0) return [];
    const known = new Set(this.#runs().map(({ path }) => path));
    this.#unseen = new Set([...this.#unseen].filter((path) => !known.has(path)));
    return [...this.#unseen];
  }

  /** Tells what was never seen, and what was seen more than once. */
  check(): void {
    for (const path of this.findUnseen()) {
      this.#world.findings.add("every watched file is seen", { path, ...this.#written.get(path) });
    }
    const runs = new Map<string, number[]>();
    for (const { id, path } of this.#runs()) runs.set(path, [...runs.get(path) ?? [], id]);
    for (const [path, executions] of runs) {
      if (executions.length === 1) continue;
      this.#world.findings.add("no watched file is seen twice", { path, executions });
    }
  }

  #runs(): { id: number; path: string }[] {
    return readSnapshot(this.#world.database, (db) =>
      db.prepare(
        "SELECT id, json_extract(request, '$.cause.path') AS path FROM executions WHERE trigger = 'watch'",
      ).all()) as { id: number; path: string }[];
  }
}
