// Runs one soak: first a phase of load with kills, then a warm-up, then a steady phase in which memory is measured, and
// returns the report.
import { Actions } from "./actions.ts";
import { Inspection } from "./inspection.ts";
import { Lives } from "./lives.ts";
import { Load } from "./load/load.ts";
import { readCollectedMemory } from "./collected_memory.ts";
import { fitSlope, growsTooMuch, type MemorySample } from "./memory_slope.ts";
import { People } from "./load/people.ts";
import type { SoakOptions } from "./soak_options.ts";
import type { MemoryReport, Progress, SoakReport } from "./soak_report.ts";
import { MODEL_CALLS } from "./load/soak_agents.ts";
import { SoakWorld } from "./soak_world.ts";
import { WatchedFiles } from "./load/watched_files.ts";
import { sleep } from "./sleep.ts";

const MINUTE_MS = 60_000;
const MEMORY_MS = 5_000;
/** The part of the warm-up that has the higher load. */
const BUSY_PART = 7 / 8;
const REST_AT = 1 / 2;

/** The time limit for all running and waiting executions to end, after the load and the triggers have stopped. */
const END_MS = 180_000;
/**
 * The time after which an idle service has released its resources: it keeps tool processes for a minute and connections for
 * 90 seconds.
 */
const IDLE_MS = 100_000;
const SOON_MS = 3_000;

/** Runs a whole soak and returns its report. Calls `onProgress` every minute. */
export async function runSoak(
  options: SoakOptions,
  onProgress: (progress: Progress) => void,
): Promise<SoakReport> {
  await using world = await SoakWorld.open({ seed: options.seed, isFlaky: true });
  const soak = new Soak(world, options, onProgress);
  const report = await soak.run();
  if (options.keep && report.violations.length > 0) {
    await Deno.rename(world.home.root, `${world.home.root}-kept`);
    await Deno.mkdir(world.home.root);
  }
  return report;
}

/** The options of the sample for the test suite. Its model has no faults, because retries take seconds. */
const SAMPLE: Omit<SoakOptions, "seed"> = {
  minutes: 0,
  killMinutes: 0,
  warmUpMinutes: 0,
  warmUpRate: 15,
  rate: 15,
  slopeLimit: Infinity,
  json: false,
  keep: false,
};
const SAMPLE_MS = 800;

/**
 * Runs a short sample of the soak and returns the report. The service is started twice, and ends the first time by SIGKILL.
 */
export async function runSoakSample({ seed }: { seed: number }): Promise<SoakReport> {
  await using world = await SoakWorld.open({ seed, isFlaky: false });
  return await new Soak(world, { ...SAMPLE, seed }, () => {}).runSample();
}

class Soak {
  readonly #world: SoakWorld;
  readonly #options: SoakOptions;
  readonly #onProgress: (progress: Progress) => void;
  readonly #files: WatchedFiles;
  readonly #actions: Actions;
  readonly #load: Load;
  readonly #people: People;
  readonly #inspection: Inspection;
  readonly #lives: Lives;
  readonly #began = performance.now();
  readonly #samples: MemorySample[] = [];
  #phase = "begin";
  #isSampling = false;
  #isOver = false;

  constructor(world: SoakWorld, options: SoakOptions, onProgress: (progress: Progress) => void) {
    this.#world = world;
    this.#options = options;
    this.#onProgress = onProgress;
    this.#files = new WatchedFiles(world);
    this.#actions = new Actions(world, this.#files);
    this.#load = new Load(world, { actions: this.#actions, rate: options.rate });
    this.#people = new People(world);
    this.#inspection = new Inspection(world, this.#actions.accepted);
    this.#lives = new Lives(world, this.#inspection);
  }

  async run(): Promise<SoakReport> {
    const { minutes, killMinutes, warmUpMinutes, warmUpRate, rate } = this.#options;
    const { service } = this.#world;
    await service.start();
    const parts = [this.#load.run(), this.#people.attend(), this.#watch(), this.#tellOn()];
    let files = { base: 0, end: 0 };
    let memory: MemoryReport | undefined;
    try {
      if (killMinutes > 0) {
        this.#phase = "kills";
        await this.#lives.endUntil(this.#began + killMinutes * MINUTE_MS);
        await this.#lives.restart("SIGTERM");
      }
      this.#phase = "warm-up";
      this.#load.rate = warmUpRate;
      await this.#until(killMinutes + warmUpMinutes * REST_AT);
      // The pause is in the middle of the warm-up, because V8 frees code while the service is idle. Compiling this code
      // again takes as many runs as the first time.
      const base = await this.#calm();
      this.#load.resume();
      await this.#actions.unpause();
      this.#files.resume();
      await this.#until(killMinutes + warmUpMinutes * BUSY_PART);
      this.#load.rate = rate;
      await this.#until(killMinutes + warmUpMinutes);
      this.#phase = "steady";
      this.#isSampling = true;
      const from = Date.now();
      await this.#until(minutes);
      this.#isSampling = false;
      memory = await this.#measureMemory(from);
      this.#phase = "end";
      const end = await this.#calm(base);
      files = { base: base.length, end: end.length };
      await this.#finish();
    } finally {
      this.#isOver = true;
      this.#load.end();
      this.#people.leave();
      await Promise.all(parts);
    }
    return this.#report(files, memory);
  }

  async runSample(): Promise<SoakReport> {
    await this.#world.service.start();
    const parts = [this.#load.run(), this.#people.attend()];
    try {
      await sleep(SAMPLE_MS);
      await this.#lives.restart("SIGKILL");
      await sleep(SAMPLE_MS);
      await this.#settle();
      await this.#finish();
    } finally {
      this.#isOver = true;
      this.#load.end();
      this.#people.leave();
      await Promise.all(parts);
    }
    return this.#report({ base: 0, end: 0 }, undefined);
  }

  /** Samples the service's memory until the soak is over. Reports a finding if the service ends by itself. */
  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await sleep(MEMORY_MS);
      const { service, findings } = this.#world;
      const { generation } = service;
      const seen = await service.look();
      if (seen !== undefined && this.#isSampling) {
        this.#samples.push({ at: performance.now(), megabytes: seen.rss });
      }
      if (await service.hasDied() && service.generation === generation && !this.#isOver) {
        findings.add("the service does not end by itself", { phase: this.#phase });
        this.#isOver = true;
      }
    }
  }

  async #tellOn(): Promise<void> {
    for (let minute = 1; !this.#isOver; minute++) {
      while (!this.#isOver && performance.now() < this.#began + minute * MINUTE_MS) {
        await sleep(500);
      }
      if (this.#isOver) return;
      await this.#inspection.lookAtLog();
      const { service } = this.#world;
      const files = service.isUp ? (await service.ownFiles()).length : 0;
      const rss = (await service.look())?.rss ?? 0;
      this.#onProgress({
        phase: this.#phase,
        minutes: (performance.now() - this.#began) / MINUTE_MS,
        ...this.#inspection.counts(),
        rss,
        files,
        kills: service.kills + service.stops,
        findings: this.#world.findings.rules,
      });
    }
  }

  /** Stops the load and the triggers, answers every question, and waits until no execution runs or waits. */
  async #settle(): Promise<void> {
    const { findings } = this.#world;
    this.#load.pause();
    this.#people.isHurried = true;
    if (!await this.#files.pause(END_MS)) this.#files.check();
    await this.#load.rest();
    await this.#world.attempt("pause", { allowed: [], work: (client) => client.pauseScheduler() });
    const began = performance.now();
    for (;;) {
      const { running, waiting } = this.#inspection.counts();
      if (running + waiting === 0) break;
      if (performance.now() - began > END_MS) {
        findings.add("everything comes to its end", { running, waiting, afterMs: END_MS });
        break;
      }
      await sleep(100);
    }
    this.#people.isHurried = false;
  }

  /**
   * Settles, and returns the files that the idle service has open. With `base`, waits until no more files are open than in
   * `base`, plus the idle connections to the model; reports a finding if more stay open.
   */
  async #calm(base?: readonly string[]): Promise<readonly string[]> {
    const { service, findings } = this.#world;
    await this.#settle();
    service.renewClient();
    const idle = performance.now();
    for (;;) {
      await sleep(1_000);
      const files = await service.ownFiles();
      const waited = performance.now() - idle;
      if (
        base === undefined
          ? waited > (this.#hasTime ? IDLE_MS : SOON_MS)
          : files.length <= base.length + MODEL_CALLS
      ) {
        return files;
      }
      if (base !== undefined && waited > IDLE_MS + 60_000) {
        findings.add("as many files are open as at the beginning", {
          base,
          now: files,
        });
        return files;
      }
    }
  }

  /** True if the soak is long enough to wait for idle resources to be released. */
  get #hasTime(): boolean {
    return this.#options.minutes >= 20;
  }

  async #finish(): Promise<void> {
    const { service } = this.#world;
    await this.#inspection.look("quiet", { whole: true });
    this.#people.findLostAnswers();
    this.#files.check();
    if (this.#hasTime) await this.#seeChildrenGone();
    await service.end("stop");
    await this.#inspection.findLeftovers();
    await this.#inspection.look("dead", { whole: true });
  }

  /**
   * Waits until the service has ended its tool processes. MCP servers and their watchers remain, because they live as long
   * as the service.
   */
  async #seeChildrenGone(): Promise<void> {
    const { service, findings } = this.#world;
    const began = performance.now();
    for (;;) {
      const children = (await service.look())?.children ?? [];
      const servers = children.filter(({ command }) => command.includes("stdio_server.ts"));
      const kept = new Set(servers.map(({ pid }) => String(pid)));
      const left = children.filter((child) =>
        !servers.includes(child) && !kept.has(/inkling-watch (\d+)$/.exec(child.command)?.[1] ?? "")
      );
      if (left.length === 0) return;
      if (performance.now() - began > IDLE_MS) {
        return findings.add("no child is left over", ...left.map((child) => ({ ...child })));
      }
      await sleep(1_000);
    }
  }

  async #measureMemory(from: number): Promise<MemoryReport> {
    const { home, service, findings } = this.#world;
    const collected = await readCollectedMemory(home.root, {
      pid: service.pid,
      from,
      to: Date.now(),
    });
    const [first, last] = [collected.rss[0], collected.rss.at(-1)];
    const memory = {
      resident: fitSlope(this.#samples),
      collected: fitSlope(collected.rss),
      objects: fitSlope(collected.objects),
      code: fitSlope(collected.code),
      range: first === undefined || last === undefined
        ? undefined
        : [first.megabytes, last.megabytes] satisfies MemoryReport["range"],
    };
    if (growsTooMuch(memory.collected, this.#options.slopeLimit)) {
      findings.add("memory does not grow", { ...memory });
    }
    return memory;
  }

  #report(files: { base: number; end: number }, memory: MemoryReport | undefined): SoakReport {
    const { findings, service, model, done } = this.#world;
    return {
      seed: this.#options.seed,
      minutes: (performance.now() - this.#began) / MINUTE_MS,
      totals: this.#inspection.totals(),
      done: Object.fromEntries([...done].sort(([a], [b]) => a < b ? -1 : 1)),
      faults: Object.fromEntries(model.faults),
      kills: service.kills,
      stops: service.stops,
      longest: service.longest,
      looks: this.#inspection.looks,
      removed: this.#inspection.removed,
      memory,
      files,
      violations: findings.list(),
    };
  }

  async #until(minute: number): Promise<void> {
    const end = this.#began + minute * MINUTE_MS;
    while (performance.now() < end && !this.#isOver) await sleep(200);
  }
}
