// Starts, ends and monitors the service of a soak, which is a real process.
import { SERVICE_VARIABLES } from "../../cli/service/service_environment.ts";
import type { Client } from "../../api/client/client.ts";
import { isAlive, type RealHome } from "../../tests/e2e/real_process.ts";
import { descendantsOf, listProcesses, openFiles, type ProcessRow } from "./process_table.ts";
import { sleep } from "./sleep.ts";

const READY_MS = 60_000;
/** The time limit of a graceful stop. The service itself waits 8 s for runs and 2 s for connections. */
const STOP_MS = 30_000;
/** The time within which all children of an ended service must end. A child ends when its standard input is closed. */
const FOLLOW_MS = 20_000;
/** The time within which the service reaps an ended child on a busy machine, in milliseconds. */
const ZOMBIE_MS = 10_000;

/** The way in which the service is ended: by a signal, by a request for shutdown, or by `inkling stop`. */
export type Ending = "SIGKILL" | "SIGTERM" | "shutdown" | "stop";

/** A running service process with its client. */
interface Life {
  child: Deno.ChildProcess;
  output: Promise<string>;
  client: Client;
  /** Every child process that the service has started, by PID. */
  started: Map<number, ProcessRow>;
}

/** A callback that reports a broken rule of the service process, with the observed values. */
export type ReportProblem = (rule: string, row: Record<string, unknown>) => void;

/** Controls the service of one home directory. */
export class SoakService {
  readonly #home: RealHome;
  readonly #complain: ReportProblem;
  #life: Life | undefined;
  /** The times at which the present zombies were first seen, by PID. */
  #zombies = new Map<number, number>();
  /** The number of times that the service has ended. */
  generation = 0;
  kills = 0;
  stops = 0;
  /** The longest start and the longest stop of the service, in milliseconds. */
  readonly longest = { start: 0, stop: 0 };

  constructor(home: RealHome, complain: ReportProblem) {
    this.#home = home;
    this.#complain = complain;
  }

  /** The client of the running service; undefined while no service runs or after a stop was requested. */
  get client(): Client | undefined {
    return this.#life?.client;
  }

  /** True when a service runs and no stop was requested. */
  get isUp(): boolean {
    return this.#life !== undefined;
  }

  get pid(): number {
    if (this.#life === undefined) throw new TypeError("no service runs");
    return this.#life.child.pid;
  }

  /**
   * Starts the service in the foreground, with the environment variables of a background start. Resolves when the service
   * answers. Throws if the service is not ready within a minute.
   */
  async start(): Promise<void> {
    const child = await this.#home.spawn(["start", "--keep-alive"], { env: SERVICE_VARIABLES });
    const output = outputOf(child);
    const client = this.#home.client();
    const began = performance.now();
    let hasEnded = false;
    void child.status.then(() => hasEnded = true);
    for (;;) {
      try {
        await client.health();
        break;
      } catch {
        // The service is not ready yet.
      }
      if (hasEnded || performance.now() - began > READY_MS) {
        if (!hasEnded) child.kill("SIGKILL");
        client[Symbol.dispose]();
        const passed = Math.round(performance.now() - began);
        throw new Error(`The service was not ready in ${passed} ms:\n${await output}`);
      }
      await sleep(20);
    }
    this.longest.start = Math.max(this.longest.start, performance.now() - began);
    this.#life = { child, output, client, started: new Map() };
  }

  /** Replaces the client, so that the connections of the old client are closed. */
  renewClient(): void {
    if (this.#life === undefined) return;
    this.#life.client[Symbol.dispose]();
    this.#life.client = this.#home.client();
  }

  /**
   * Ends the service and waits for its end. Reports stops that are slow or fail, stack traces, and children that outlive
   * the service.
   */
  async end(how: Ending): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    await this.look();
    const { child, client } = life;
    this.#life = undefined;
    this.generation++;
    let hadEnded = false;
    switch (how) {
      case "SIGKILL":
      case "SIGTERM":
        try {
          child.kill(how);
        } catch {
          hadEnded = true;
        }
        break;
      case "shutdown":
        await client.shutdown();
        break;
      case "stop": {
        const { code, stderr } = await this.#home.inkling("stop");
        if (code !== 0) this.#complain("inkling stop ends with 0", { code, stderr });
        break;
      }
    }
    if (how === "SIGKILL") this.kills++;
    else this.stops++;
    const stopRequested = performance.now();
    const timer = setTimeout(() => {
      this.#complain("a graceful stop takes no longer than it may", { how, ms: STOP_MS });
      child.kill("SIGKILL");
    }, STOP_MS);
    const { code, signal } = await child.status;
    clearTimeout(timer);
    client[Symbol.dispose]();
    if (how !== "SIGKILL") {
      this.longest.stop = Math.max(this.longest.stop, performance.now() - stopRequested);
    }
    const output = await life.output;
    if (how !== "SIGKILL" && !hadEnded && code !== 0) {
      const last = output.slice(-2_000);
      this.#complain("a graceful stop ends with exit code 0", { how, code, signal, output: last });
    }
    if (hadEnded) {
      const last = output.slice(-2_000);
      this.#complain("the service does not end by itself", { code, signal, output: last });
    }
    if (/^\s+at .+:\d+/m.test(output) || /\berror: Uncaught/.test(output)) {
      this.#complain("the service prints no stack trace", { output: output.slice(-2_000) });
    }
    await this.#seeAllGone(life);
  }

  /**
   * Returns the service's resident memory in megabytes and its descendants; undefined while no service runs. Reports
   * lasting zombies.
   */
  async look(): Promise<{ rss: number; children: ProcessRow[] } | undefined> {
    const life = this.#life;
    if (life === undefined) return undefined;
    const { pid } = life.child;
    const table = await listProcesses();
    const children = descendantsOf(table, pid);
    for (const child of children) if (!child.isZombie) life.started.set(child.pid, child);
    const now = performance.now();
    const zombies = new Map<number, number>();
    for (const child of children.filter(({ isZombie }) => isZombie)) {
      const since = this.#zombies.get(child.pid) ?? now;
      if (now - since > ZOMBIE_MS) this.#complain("no child stays a zombie", { ...child });
      zombies.set(child.pid, since);
    }
    this.#zombies = zombies;
    return { rss: (table.find((one) => one.pid === pid)?.rss ?? 0) / 1_024, children };
  }

  /**
   * Returns the targets of the service's file descriptors, without the four descriptors (one pidfd, three pipes) of each
   * child.
   */
  async ownFiles(): Promise<string[]> {
    const { pid } = this;
    const children = (await listProcesses()).filter(({ parent }) => parent === pid);
    const files = (await openFiles(pid)).sort();
    const take = (name: RegExp, count: number) => {
      for (let left = count; left > 0; left--) {
        const index = files.findIndex((file) => name.test(file));
        if (index >= 0) files.splice(index, 1);
      }
    };
    take(/\[pidfd\]/, children.length);
    take(/^pipe:/, 3 * children.length);
    return files;
  }

  /** Returns true if the service process has ended, although no stop was requested. */
  async hasDied(): Promise<boolean> {
    return this.#life !== undefined && !await isAlive(this.#life.child.pid);
  }

  async #seeAllGone({ started }: Life): Promise<void> {
    const began = performance.now();
    for (;;) {
      const table = new Map((await listProcesses()).map((row) => [row.pid, row]));
      const left = [...started.values()].filter(({ pid, command }) => {
        const now = table.get(pid);
        return now !== undefined && !now.isZombie && now.command === command;
      });
      if (left.length === 0) return;
      if (performance.now() - began > FOLLOW_MS) {
        for (const row of left) {
          this.#complain("nothing that the service started outlives it", { ...row });
        }
        return;
      }
      await sleep(100);
    }
  }
}

async function outputOf(child: Deno.ChildProcess): Promise<string> {
  const both = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return both.join("\n");
}
