// Decides which of several services on a workspace runs the triggers when they share no database: the holder of a lease
// file beside the agents. A program that syncs the folder copies the file to the other machines.
import { dirname } from "node:path";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import type { ServiceLog } from "../service_log/service_log.ts";

/** The interval at which the holder counts on and the others read. */
const BEAT_MS = 30_000;
/** The wait before a new lease is read again, because another service may have taken it in the same moment. */
const CONFIRM_MS = 2_000;
/** A lease without a change for this long is free. */
const SILENT_MS = 120_000;

/** The collaborators of `TriggerLease`. */
export interface TriggerLeasePorts {
  /** Absolute path. Its folder is created if it is missing. */
  file: string;
  /** Returns the id of this service's state folder. */
  readId: () => Promise<string>;
  /** The name of this host, for people. */
  host: string;
  clock: Clock;
  log: ServiceLog;
  /** Called when this service starts firing in place of another one, or stops in favor of another one. */
  changed: (change: "taken" | "left") => Promise<void>;
}

/** The lease of one service. */
export class TriggerLease implements AsyncDisposable {
  readonly #ports: TriggerLeasePorts;
  readonly #work = new SerialQueue();
  #waking = new AbortController();
  #isWanted = false;
  #beating: Promise<void> | undefined;
  /** The host of the holder; undefined when this service fires. */
  #holder: string | undefined;
  /** The content of another service's lease file, and the monotonic time of its last change. */
  #seen: { text: string; since: number } | undefined;
  #checkedAt = -Infinity;
  #nextMs = BEAT_MS;
  #isWarned = false;

  constructor(ports: TriggerLeasePorts) {
    this.#ports = ports;
  }

  /** The reason why this service fires nothing; undefined when it fires. */
  get inactiveReason(): string | undefined {
    return this.#holder &&
      `the service on ${this.#holder} runs the triggers of this workspace; ` +
        "this one does when that one has stopped";
  }

  /** Returns `inactiveReason`, after a new check if the machine slept since the last one. */
  async findHoldReason(): Promise<string | undefined> {
    if (this.#ports.clock.now() - this.#checkedAt > SILENT_MS) await this.#check();
    return this.inactiveReason;
  }

  /** Takes part, or releases the lease. Resolves when it is known which service fires. */
  async want(isWanted: boolean): Promise<void> {
    if (this.#isWanted === isWanted) return;
    this.#isWanted = isWanted;
    if (isWanted) {
      await this.#check();
      this.#beating ??= this.#beat();
    } else {
      this.#waking.abort();
      await this.#work.run(() => this.#release());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.want(false);
    await this.#beating;
  }

  async #beat(): Promise<void> {
    while (this.#isWanted) {
      this.#waking = new AbortController();
      if (await sleepUnlessAborted(this.#ports.clock, this.#nextMs, this.#waking.signal)) {
        await this.#check();
      }
    }
    this.#beating = undefined;
  }

  async #check(): Promise<void> {
    await this.#work.run(async () => {
      if (!this.#isWanted) return;
      this.#checkedAt = this.#ports.clock.now();
      const before = this.#holder;
      this.#holder = await this.#decide().catch((error) => {
        this.#warn(error);
        return undefined;
      });
      if (before === this.#holder) return;
      const { log, changed } = this.#ports;
      if (this.#holder === undefined) {
        log.write("info", "This service runs the triggers from now on", { before });
      } else {
        const message = "Another service runs the triggers of this workspace: this one fires " +
          "nothing until that one has stopped";
        log.write("warn", message, { host: this.#holder, lease: this.#ports.file });
      }
      if (before === undefined || this.#holder === undefined) {
        await changed(this.#holder === undefined ? "taken" : "left").catch((error) => {
          log.write("error", "Triggers could not follow their lease", { error });
        });
      }
    });
  }

  /** Keeps or takes the lease, or returns the host of its holder. */
  async #decide(): Promise<string | undefined> {
    const { file, readId, host, clock } = this.#ports;
    const { text, lease } = await this.#read();
    const id = await readId();
    const isOwn = lease["id"] === id;
    if (text !== undefined && !isOwn) {
      const now = clock.elapsed?.() ?? clock.now();
      if (this.#seen?.text !== text) this.#seen = { text, since: now };
      if (now - this.#seen.since < SILENT_MS) {
        this.#nextMs = BEAT_MS;
        return typeof lease["host"] === "string" ? lease["host"] : "another host";
      }
    }
    const beats = isOwn ? Number(lease["beats"]) + 1 : 1;
    const about = "The service that runs the triggers of this workspace. See docs/triggers.md";
    await Deno.mkdir(dirname(file), { recursive: true });
    await writeFileAtomically(file, `${JSON.stringify({ about, host, id, beats }, null, 2)}\n`);
    this.#nextMs = isOwn ? BEAT_MS : CONFIRM_MS;
    return undefined;
  }

  async #read(): Promise<{ text: string | undefined; lease: JsonObject }> {
    const text = await Deno.readTextFile(this.#ports.file).catch(ignoreMissing);
    try {
      const lease: unknown = JSON.parse(text ?? "{}");
      return { text, lease: isJsonObject(lease) ? lease : {} };
    } catch {
      // A half-synced or foreign file is a free lease if it does not change.
      return { text, lease: {} };
    }
  }

  async #release(): Promise<void> {
    if (this.#holder !== undefined) return void (this.#holder = undefined);
    try {
      const { lease } = await this.#read();
      if (lease["id"] === await this.#ports.readId()) await Deno.remove(this.#ports.file);
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    const { log, file: lease } = this.#ports;
    if (error instanceof Deno.errors.NotCapable) {
      // Narrow permission flags forbid this file on purpose.
      const message = "Triggers fire without a lease: the permission flags close agents/_config";
      return log.write("info", message, { lease, hint: "only_on names the hosts of an agent" });
    }
    const message = "The lease of the triggers cannot be written: this service fires them, and " +
      "so does another one on this workspace";
    log.write("warn", message, { lease, error });
  }
}
