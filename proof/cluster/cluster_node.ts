// Runs a node of the cluster: a real service with its own home directory, its own clock if faketime is installed, and its
// own proxy to the database.
import { join } from "node:path";
import type { Client } from "../../api/client/client.ts";
import { createRealHome, type RealHome } from "../../tests/e2e/real_process.ts";
import {
  type CuttingProxy,
  openCuttingProxy,
} from "../../tests/runtime/storage/postgres/cutting_proxy.ts";
import { programCommand } from "../../tests/support/program.ts";
import { LogScan } from "../soak/log_scan.ts";
import { sleep } from "../soak/sleep.ts";
import { type Ending, type ReportProblem, SoakService } from "../soak/soak_service.ts";

/**
 * The path of libfaketime, a preloaded library that shows a process another time. `apt-get install faketime` installs it.
 */
const FAKETIME = `/usr/lib/${Deno.build.arch}-linux-gnu/faketime/libfaketime.so.1`;
/** The time after a disturbance in which failed requests of the node are expected. */
const AFTERMATH_MS = 15_000;
/** The time limit of a node's start, during which the database may be unavailable. */
const START_MS = 120_000;

/** Matches the errors in a log that are allowed because the proof makes the database unavailable. */
const DATABASE_AWAY = /Cannot use postgres:/;

/** True if libfaketime is installed, so that nodes can have different clocks. */
export const HAS_FAKETIME = await Deno.stat(FAKETIME).then(() => true, () => false);

/** The options of a node. */
export interface NodeOptions {
  name: string;
  labels: readonly string[];
  /** The maximum number of parallel runs of the node. */
  runs: number;
  /** The text of config.yaml without the `node` section. */
  config: string;
  /** The port of the PostgreSQL server. */
  port: number;
  /** The name of the database that all nodes use. */
  database: string;
  /** The seconds by which the node's clock is ahead; ignored without libfaketime. */
  ahead?: number;
  complain: ReportProblem;
}

/** A node that can be disturbed. It records its disturbances, because requests may fail during and shortly after them. */
export class ClusterNode implements AsyncDisposable {
  readonly name: string;
  readonly home: RealHome;
  readonly service: SoakService;
  readonly proxy: CuttingProxy;
  readonly log: LogScan;
  readonly #complain: ReportProblem;
  #isFrozen = false;
  #troubles = 0;
  #lastTrouble = -Infinity;

  private constructor(name: string, home: RealHome, proxy: CuttingProxy, complain: ReportProblem) {
    this.name = name;
    this.home = home;
    this.proxy = proxy;
    this.#complain = (rule, row) => complain(rule, { node: name, ...row });
    this.service = new SoakService(home, this.#complain);
    this.log = new LogScan(join(home.stateDir, "inkling.log"), DATABASE_AWAY);
  }

  /** Creates the node's home directory and proxy. Does not start the service. */
  static async open(options: NodeOptions): Promise<ClusterNode> {
    const { name, labels, runs, ahead = 0 } = options;
    const proxy = openCuttingProxy(options.port);
    const address = `postgres://inkling@127.0.0.1:${proxy.port}/${options.database}`;
    const home = await createRealHome({
      shell: { INKLING_DATABASE_URL: address, ...(ahead !== 0 && HAS_FAKETIME && clock(ahead)) },
      command: programCommand(),
    });
    const node = `node: { name: ${name}, labels: [${labels.join(", ")}], runs: ${runs} }\n`;
    await Deno.writeTextFile(join(home.configDir, "config.yaml"), `${options.config}${node}`);
    return new ClusterNode(name, home, proxy, options.complain);
  }

  /** The client of the node; undefined while the service is down or frozen. */
  get client(): Client | undefined {
    return this.#isFrozen ? undefined : this.service.client;
  }

  /**
   * Returns true if the node is disturbed, or was disturbed after `time` (in milliseconds of performance.now()) or up to
   * AFTERMATH_MS before.
   */
  wasTroubledSince(time: number): boolean {
    return this.#troubles > 0 || this.#lastTrouble + AFTERMATH_MS > time;
  }

  /** Runs `act`, which disturbs the node or its database, and records the disturbance. */
  async trouble<T>(act: () => Promise<T>): Promise<T> {
    this.#troubles++;
    try {
      return await act();
    } finally {
      this.#troubles--;
      this.#lastTrouble = performance.now();
    }
  }

  /** Starts the service. Retries until START_MS have passed, as a process supervisor would. */
  async start(): Promise<void> {
    const [began, troubles, last] = [performance.now(), this.#troubles, this.#lastTrouble];
    for (;;) {
      try {
        return await this.service.start();
      } catch (error) {
        // A failed start is a finding unless a disturbance explains the failure. The restart itself is one disturbance.
        if (troubles <= 1 && this.#troubles === troubles && this.#lastTrouble === last) {
          this.#complain("a node starts whose database is there", { error: String(error) });
        }
        if (performance.now() - began > START_MS) throw error;
        await sleep(500);
      }
    }
  }

  /** Ends the service and starts it again after `gapMs`. Calls `onStopped` when the end was requested. */
  async restart(how: Ending, gapMs: number, onStopped: () => void = () => {}): Promise<void> {
    await this.trouble(async () => {
      const ending = this.service.end(how);
      onStopped();
      await ending;
      await sleep(gapMs);
      await this.start();
    });
  }

  async freeze(ms: number, onStopped: () => void = () => {}): Promise<void> {
    await this.trouble(async () => {
      const { pid } = this.service;
      this.#isFrozen = true;
      Deno.kill(pid, "SIGSTOP");
      onStopped();
      await sleep(ms);
      Deno.kill(pid, "SIGCONT");
      this.#isFrozen = false;
    });
  }

  /**
   * Makes the node's database connections silent for `ms` milliseconds, then breaks them. With 0, only breaks them.
   * `program` limits the silence to the connections with this application name, such as the queue's, which keep the leases.
   */
  async disconnect(ms: number, program?: string): Promise<void> {
    await this.trouble(async () => {
      if (ms > 0) this.proxy.swallow(program);
      await sleep(ms);
      this.proxy.cut();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.end("SIGKILL");
    await this.home[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

/**
 * Returns the environment variables that shift the time of a process. Time passes at normal speed, and the times of files
 * are real.
 */
function clock(ahead: number): Record<string, string> {
  return {
    LD_PRELOAD: FAKETIME,
    FAKETIME: `${ahead > 0 ? "+" : ""}${ahead}`,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DISABLE_SHM: "1",
    NO_FAKE_STAT: "1",
  };
}
