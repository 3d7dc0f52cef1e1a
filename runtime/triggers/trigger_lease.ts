// A lease file that decides which of several services runs the triggers of a workspace. Used by services that share no
// database, but a synchronized folder. A sync program copies the file between the machines.
import type { Context } from "../config/context.ts";
import { dirname } from "../../base/plain_path.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { SerialQueue } from "../../base/serial_queue.ts";

/** The interval at which the holder renews the lease file and the other services read it. */
const BEAT_MS = 30_000;
/** The wait before a newly taken lease is checked, because another service may have taken it at the same time. */
const CONFIRM_MS = 2_000;
/** A lease file that has not changed for this time is free. */
const SILENT_MS = 120_000;

/** The collaborators of `TriggerLease`. */
export interface TriggerLeasePorts extends Pick<Context, "clock" | "log"> {
  /** The absolute path of the lease file. Its folder is created if it is missing. */
  file: string;
  /** Returns the id of this service's state folder, which identifies the holder. */
  readId: () => Promise<string>;
  /** The name of this host, shown in messages. */
  host: string;
  /** Called when this service starts to run the triggers (`taken`) or stops running them (`left`). */
  changed: (change: "taken" | "left") => Promise<void>;
}

/** One service's view of the lease file. */
export class TriggerLease implements AsyncDisposable {
  readonly #ports: TriggerLeasePorts;
  readonly #work = new SerialQueue();
  #waking = new AbortController();
  #isWanted = false;
  #beating: Promise<void> | undefined;
  /** The host name of the holder; undefined if this service runs the triggers. */
  #holder: string | undefined;
  /** The last content of a lease file of another service, and the monotonic time at which it was first read. */
  #seen: { text: string; since: number } | undefined;
  #checkedAt = -Infinity;
  #nextMs = BEAT_MS;
  #isWarned = false;

  constructor(ports: TriggerLeasePorts) {
    this.#ports = ports;
  }

  /** The reason why this service fires no triggers; undefined if it fires them. */
  get inactiveReason(): string | undefined {
    return this.#holder &&
      `the service on ${this.#holder} runs the triggers of this workspace; ` +
        "this one does when that one has stopped";
  }

  /**
   * Returns `inactiveReason`. If the last check of the lease file is too old, such as after a suspend, checks it before.
   */
  async findHoldReason(): Promise<string | undefined> {
    if (this.#ports.clock.now() - this.#checkedAt > SILENT_MS) await this.#check();
    return this.inactiveReason;
  }

  /**
   * With true, competes for the lease until further notice; with false, releases it. Resolves when it is known which
   * service runs the triggers.
   */
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

  /** Takes or renews the lease and returns undefined, or returns the host name of another holder. */
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
      // A file without valid JSON names no holder. If it does not change for SILENT_MS, the lease is free.
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
      // The user may deny access to this folder deliberately, so the log level is info.
      const message = "Triggers fire without a lease: the permission flags close agents/_config";
      return log.write("info", message, { lease, hint: "only_on names the hosts of an agent" });
    }
    const message = "The lease of the triggers cannot be written: this service fires them, and " +
      "so does another one on this workspace";
    log.write("warn", message, { lease, error });
  }
}
