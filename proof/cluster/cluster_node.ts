// A node of the cluster: a real service with a home of its own, a clock of its own where that can be had, and a way of its own
// to the database.
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
import { type Complain, type Ending, SoakService } from "../soak/soak_service.ts";

/** Preloaded into a process, it shows that another time. `apt-get install faketime` brings it. */
const FAKETIME = `/usr/lib/${Deno.build.arch}-linux-gnu/faketime/libfaketime.so.1`;
/** How long what was done to a node may be noticed at it afterwards. */
const AFTERMATH_MS = 15_000;
/** How long it is tried to start a node: its database may be away. */
const START_MS = 120_000;

/** What a log may tell as an error: the database was taken away. */
const DATABASE_AWAY = /Cannot use postgres:/;

/** Whether nodes can have clocks of their own here. */
export const HAS_FAKETIME = await Deno.stat(FAKETIME).then(() => true, () => false);

/** How a node is set up. */
export interface NodeOptions {
  name: string;
  labels: readonly string[];
  /** How many runs it takes at once. */
  runs: number;
  /** config.yaml, but for `node`. */
  config: string;
  /** Of PostgreSQL. */
  port: number;
  /** The database that all nodes use. */
  database: string;
  /** Seconds by which its clock is ahead; where no clock of its own can be had, it has the machine's. */
  ahead?: number;
  complain: Complain;
}

/** One node. What is done to it is told, so that requests that fail meanwhile are no surprise. */
export class ClusterNode implements AsyncDisposable {
  readonly name: string;
  readonly home: RealHome;
  readonly service: SoakService;
  readonly proxy: CuttingProxy;
  readonly log: LogScan;
  readonly #complain: Complain;
  #isFrozen = false;
  #troubles = 0;
  #lastTrouble = -Infinity;

  private constructor(name: string, home: RealHome, proxy: CuttingProxy, complain: Complain) {
    this.name = name;
    this.home = home;
    this.proxy = proxy;
    this.#complain = (rule, row) => complain(rule, { node: name, ...row });
    this.service = new SoakService(home, this.#complain);
    this.log = new LogScan(join(home.stateDir, "inkling.log"), DATABASE_AWAY);
  }

  /** Nothing runs yet. */
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

  /** Undefined where nobody can answer. */
  get client(): Client | undefined {
    return this.#isFrozen ? undefined : this.service.client;
  }

  /** Whether something was done to it since then, or shortly before. */
  wasTroubledSince(time: number): boolean {
    return this.#troubles > 0 || this.#lastTrouble + AFTERMATH_MS > time;
  }

  /** Does something to it, or to what it needs. */
  async trouble<T>(act: () => Promise<T>): Promise<T> {
    this.#troubles++;
    try {
      return await act();
    } finally {
      this.#troubles--;
      this.#lastTrouble = performance.now();
    }
  }

  /** As often as needed: whoever supervises services does so, too. */
  async start(): Promise<void> {
    const [began, troubles, last] = [performance.now(), this.#troubles, this.#lastTrouble];
    for (;;) {
      try {
        return await this.service.start();
      } catch (error) {
        // One trouble may be that it is being restarted.
        if (troubles <= 1 && this.#troubles === troubles && this.#lastTrouble === last) {
          this.#complain("a node starts whose database is there", { error: String(error) });
        }
        if (performance.now() - began > START_MS) throw error;
        await sleep(500);
      }
    }
  }

  /** Ends it and starts it again; `told` is called at the moment of its end. */
  async restart(how: Ending, gapMs: number, told: () => void = () => {}): Promise<void> {
    await this.trouble(async () => {
      const ending = this.service.end(how);
      told();
      await ending;
      await sleep(gapMs);
      await this.start();
    });
  }

  async freeze(ms: number, told: () => void = () => {}): Promise<void> {
    await this.trouble(async () => {
      const { pid } = this.service;
      this.#isFrozen = true;
      Deno.kill(pid, "SIGSTOP");
      told();
      await sleep(ms);
      Deno.kill(pid, "SIGCONT");
      this.#isFrozen = false;
    });
  }

  /**
   * Its database hears nothing of it for so long, and it nothing of the database; 0: only the connections break. `program`: only
   * of those connections, such as the queue's, by which it keeps its runs.
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

/** Time passes as everywhere, and files are as old as they are. */
function clock(ahead: number): Record<string, string> {
  return {
    LD_PRELOAD: FAKETIME,
    FAKETIME: `${ahead > 0 ? "+" : ""}${ahead}`,
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DISABLE_SHM: "1",
    NO_FAKE_STAT: "1",
  };
}
