// A storm on one mail account: two nodes that share a database and are killed, a server that is cut, silenced and restarted,
// and agents that are edited. Afterwards, each mail must have started one run.
import { seededRandom } from "../../tests/support/seeded_random.ts";
import { startImap, type TestImap } from "../../tests/support/machine/mail_servers.ts";
import { startPostgres } from "../../tests/support/postgres.ts";
import { NodeWorld } from "../../tests/runtime/nodes/node_world.ts";
import { sleep } from "../soak/sleep.ts";
import { kill, serve } from "../../tests/runtime/triggers/mortal_process.ts";
import type { MortalOrder } from "../../tests/runtime/triggers/mortal_service.ts";
import { homeAccount, mailOf } from "../../tests/runtime/triggers/mail/mail_world.ts";

const NODES = ["one", "two"] as const;
const BATCH = 50;
/** The maximum number of delivered mails without a run. */
const MAX_AHEAD = 500;
/** The time without a new run after which a storm is given up. Longer than a silence and two leases. */
const STUCK_MS = 240_000;
/** The duration of a silence. Longer than the time after which the service closes a silent connection. */
const SILENCE_MS = 70_000;
const SAMPLE_MS = 100;

/** The size of a storm. */
export interface StormOptions {
  mails: number;
  agents: number;
  deaths: number;
  silences: number;
  seed: number;
  say?: (line: string) => void;
}

/** The faults of a storm, and the broken rules. */
export interface StormReport {
  violations: string[];
  faults: Record<"deaths" | "cuts" | "restarts" | "edits" | "silences", number>;
  connections: number;
  seconds: number;
}

/** Runs a storm. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  await using server = await startPostgres();
  await using world = await NodeWorld.create(server.address);
  await using imap = await startImap();
  return await new Storm(world, imap, options).run();
}

class Storm {
  readonly #world: NodeWorld;
  readonly #imap: TestImap;
  readonly #options: StormOptions;
  readonly #draw: () => number;
  readonly #violations: string[] = [];
  readonly #faults = { deaths: 0, cuts: 0, restarts: 0, edits: 0, silences: 0 };
  readonly #nodes = new Map<string, Deno.ChildProcess>();
  readonly #over = new AbortController();
  #isSilent = false;

  constructor(world: NodeWorld, imap: TestImap, options: StormOptions) {
    this.#world = world;
    this.#imap = imap;
    this.#options = options;
    this.#draw = seededRandom(options.seed);
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async run(): Promise<StormReport> {
    const { mails, agents, say = () => {} } = this.#options;
    const startedAt = performance.now();
    this.#world.workspace.shell["HOME_PASSWORD"] = "secret";
    await this.#imap.deliver("ann", mailOf({ subject: "old" }));
    for (let agent = 0; agent < agents; agent++) await this.#writeAgent(agent);
    const living = NODES.map((name) => this.#keepAlive(name));
    await this.#untilRows("SELECT 1 FROM inkling.mail_positions", agents);
    const work = [this.#harm(), this.#watchConnections()];
    let sent = 0;
    let taken = 0;
    let changedAt = performance.now();
    while (taken < mails && performance.now() - changedAt < STUCK_MS) {
      for (let at = 0; at < BATCH && sent < mails && sent - taken < MAX_AHEAD; at++) {
        await this.#deliver(sent++);
      }
      await sleep(500);
      const now = await this.#countTaken();
      if (now === taken) continue;
      if (Math.floor(now / 1_000) > Math.floor(taken / 1_000)) {
        say(`${now} of ${mails} mails have a run; ${JSON.stringify(this.#faults)}`);
      }
      taken = now;
      changedAt = performance.now();
    }
    this.#over.abort();
    await Promise.all(work);
    await this.#check();
    for (const child of this.#nodes.values()) await kill(child).catch(() => {});
    await Promise.all(living);
    return {
      violations: this.#violations,
      faults: this.#faults,
      connections: this.#imap.accepted,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
    };
  }

  /** Writes an agent. Each edit changes its text, and every other agent marks its mails. */
  async #writeAgent(agent: number): Promise<void> {
    const then = agent % 2 === 0 ? "seen" : "keep";
    const trigger =
      `trigger: { type: mail, account: home, subject: "a${agent} *", then: ${then}, ` +
      "input: '{subject}' }";
    const answer = `done ${this.#faults.edits}`;
    await this.#world.workspace.writeScript(`a${agent}`, [{ say: answer }], trigger);
  }

  async #deliver(number: number): Promise<void> {
    const subject = `a${number % this.#options.agents} ${number}`;
    // A sender may start 20 runs of an agent within an hour.
    await this.#imap.deliver("ann", mailOf({ subject, from: `bob${number}@example.org` }));
  }

  /** Starts a node again and again, until the storm is over. As long as deaths are left, it kills itself at a point. */
  async #keepAlive(name: string): Promise<void> {
    const config = homeAccount(this.#imap.port);
    const shell = await this.#world.prepare(name, config);
    while (!this.#isOver) {
      const child = await serve({ root: this.#world.workspace.root, shell }, this.#nextDeath());
      this.#nodes.set(name, child);
      await child.stdout.cancel();
      const { signal } = await child.status;
      if (this.#isOver) return;
      if (signal === "SIGKILL") this.#faults.deaths++;
      else this.#violations.push(`node ${name} ended by itself`);
    }
  }

  /** Returns the next point of a death: the kinds of points in turn, at a random call. */
  #nextDeath(): MortalOrder["death"] {
    const { mails, agents, deaths } = this.#options;
    if (this.#faults.deaths >= deaths) return null;
    const kind = this.#faults.deaths % 4;
    const each = Math.max(1, Math.floor(mails / deaths * 0.8));
    const nth = 1 + Math.floor(this.#draw() * each);
    const when = kind % 2 === 0 ? "before" : "after";
    return kind < 2 ? { when, nth, trigger: "mail" } : {
      when,
      nth: nth * agents,
      trigger: "position",
    };
  }

  async #harm(): Promise<void> {
    const { agents, silences, mails } = this.#options;
    while (!this.#isOver) {
      await sleep(4_000 + this.#draw() * 8_000, this.#over.signal);
      if (this.#isOver) return;
      const progress = await this.#countTaken() / mails;
      if (this.#faults.silences < silences * progress) {
        await this.#silence();
        continue;
      }
      const kind = Math.floor(this.#draw() * 3);
      if (kind === 0) {
        this.#imap.cut();
        this.#faults.cuts++;
      } else if (kind === 1) {
        await this.#imap.stop();
        await sleep(this.#draw() * 2_000);
        await this.#imap.start();
        this.#faults.restarts++;
      } else {
        this.#faults.edits++;
        await this.#writeAgent(Math.floor(this.#draw() * agents));
      }
    }
  }

  async #silence(): Promise<void> {
    this.#faults.silences++;
    this.#isSilent = true;
    this.#imap.silence(true);
    const end = performance.now() + SILENCE_MS;
    while (!this.#isOver && performance.now() < end) await sleep(500);
    this.#imap.silence(false);
    this.#isSilent = false;
  }

  /** Checks that the account has one connection. A closed one may be counted for a moment, and all while the link is silent. */
  async #watchConnections(): Promise<void> {
    let many = 0;
    while (!this.#isOver) {
      await sleep(SAMPLE_MS);
      many = this.#imap.open > 1 && !this.#isSilent ? many + 1 : 0;
      if (many === 20) this.#violations.push(`${this.#imap.open} connections for two seconds`);
    }
  }

  async #countTaken(): Promise<number> {
    const [row] = await this.#world.query(
      "SELECT count(*) AS count FROM inkling.executions WHERE trigger = 'mail'",
    );
    return Number(row?.["count"]);
  }

  async #untilRows(query: string, count: number): Promise<void> {
    const end = performance.now() + STUCK_MS;
    while (performance.now() < end) {
      if ((await this.#world.query(query)).length === count) return;
      await sleep(100);
    }
    throw new Error(`There were never ${count} rows: ${query}`);
  }

  /** Checks that each mail started one run of its agent, in order, and that every run ends. */
  async #check(): Promise<void> {
    const { mails, agents, deaths } = this.#options;
    const rows = await this.#world.query(
      "SELECT agent_id, request FROM inkling.executions WHERE trigger = 'mail' ORDER BY id",
    );
    const numbers = Map.groupBy(
      rows.map(({ agent_id, request }) => ({
        agent: String(agent_id),
        subject: String(JSON.parse(String(request)).cause.values.subject),
      })),
      ({ agent }) => agent,
    );
    for (let agent = 0; agent < agents; agent++) {
      const got = (numbers.get(`a${agent}`) ?? []).map(({ subject }) => subject);
      const wanted = Array.from({ length: mails }, (_, number) => number)
        .filter((number) => number % agents === agent).map((number) => `a${agent} ${number}`);
      const twice = got.filter((one, index) => got.indexOf(one) !== index);
      const lost = wanted.filter((one) => !got.includes(one));
      if (twice.length > 0) this.#violations.push(`two runs: ${twice.slice(0, 5).join(", ")}`);
      if (lost.length > 0) {
        this.#violations.push(`no run: ${lost.slice(0, 5).join(", ")} (${lost.length})`);
      }
      if (twice.length + lost.length === 0 && got.join() !== wanted.join()) {
        this.#violations.push(`the runs of a${agent} are not in the order of the mails`);
      }
    }
    if (this.#faults.deaths < deaths) {
      this.#violations.push(`only ${this.#faults.deaths} of ${deaths} deaths happened`);
    }
    const open = "SELECT 1 FROM inkling.executions WHERE status IN ('waiting', 'running')";
    await this.#untilRows(open, 0).catch(() => this.#violations.push("runs did not end"));
  }
}
