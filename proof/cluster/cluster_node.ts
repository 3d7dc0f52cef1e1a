// A node of the cluster: a real service with its own home, its own clock if possible, and its own proxy to the
// database.
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

/** A preloaded library that shows a process another time. `apt-get install faketime` installs it. */
const FAKETIME = `/usr/lib/${Deno.build.arch}-linux-gnu/faketime/libfaketime.so.1`;
/** The time for which effects of a disturbance may appear at a node. */
const AFTERMATH_MS = 15_000;
/** The time limit of starting a node, whose database may be away. */
const START_MS = 120_000;

/** The errors that a log may contain because the database was taken away. */
const DATABASE_AWAY = /Cannot use postgres:/;

/** True when nodes can have their own clocks on this system. */
export const HAS_FAKETIME = await Deno.stat(FAKETIME).then(() => true, () => false);

/** The options of a node. */
export interface NodeOptions {
  name: string;
  labels: readonly string[];
  /** The number of its parallel runs. */
  runs: number;
  /** The text of config.yaml, except `node`. */
  config: string;
  /** The port of PostgreSQL. */
  port: number;
  /** The database that all nodes use. */
  database: string;
  /** The seconds by which its clock is ahead, if it can have its own clock. */
  ahead?: number;
  complain: ReportProblem;
}

/** One node. Disturbances are recorded, so that requests that fail meanwhile are expected. */
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

  /** Opens the node without starting its service. */
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

  /** Undefined while no service can answer. */
  get client(): Client | undefined {
    return this.#isFrozen ? undefined : this.service.client;
  }

  /** Returns true when the node was disturbed since that time or shortly before. */
  wasTroubledSince(time: number): boolean {
    return this.#troubles > 0 || this.#lastTrouble + AFTERMATH_MS > time;
  }

  /** Disturbs the node, or something that it needs. */
  async trouble<T>(act: () => Promise<T>): Promise<T> {
    this.#troubles++;
    try {
      return await act();
    } finally {
      this.#troubles--;
      this.#lastTrouble = performance.now();
    }
  }

  /** Retries as often as needed, as a supervisor of services does. */
  async start(): Promise<void> {
    const [began, troubles, last] = [performance.now(), this.#troubles, this.#lastTrouble];
    for (;;) {
      try {
        return await this.service.start();
      } catch (error) {
        // A restart counts as one disturbance.
        if (troubles <= 1 && this.#troubles === troubles && this.#lastTrouble === last) {
          this.#complain("a node starts whose database is there", { error: String(error) });
        }
        if (performance.now() - began > START_MS) throw error;
        await sleep(500);
      }
    }
  }

  /** Stops it and starts it again; `onStopped` is called at the moment of the stop. */
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
   * Cuts the node off from its database for this time; 0 only breaks the connections. `program` selects connections
   * by name, such as those of the queue, which keep its leases.
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

/** Time advances at normal speed, and file times are real. */
function clock(ahead: number): Record<string, string> {
  return {
    LD_PRELOAD: FAKETIME,
    FAKETIME: `${ahead > 0 ? "+" : ""}${ahead}`,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DISABLE_SHM: "1",
    NO_FAKE_STAT: "1",
  };
}
