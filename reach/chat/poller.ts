// Lets one of the processes that share a database receive the messages of a chat.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import type { WorkLoop } from "../../base/work_loop.ts";
import { type ChatPorts, CLAIM_MS } from "./chat_ports.ts";

/** The name of the claim of the process that receives, and the interval at which it renews the claim. */
const POLLER = "poller";
const RENEW_MS = 20 * SECOND_MS;

/** The right of one process to receive. */
export class Poller {
  /** True while this process is the one that receives. Only it sends answers. */
  isReceiving = false;
  readonly #ports: Pick<ChatPorts, "clock" | "notes" | "holder">;
  readonly #loop: WorkLoop;

  /** `loop` is woken when another process may have left work. */
  constructor(ports: Pick<ChatPorts, "clock" | "notes" | "holder">, loop: WorkLoop) {
    this.#ports = ports;
    this.#loop = loop;
  }

  /** Runs `work` while this process is the one that receives. Waits until it is. */
  async run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, notes, holder } = this.#ports;
    const { signal } = this.#loop;
    // The first work sends what an earlier process has left.
    if (holder === undefined) {
      this.isReceiving = true;
      this.#loop.wake();
      return await work(signal);
    }
    while (!await notes.claim(POLLER, holder, CLAIM_MS)) {
      if (!await sleepUnlessAborted(clock, RENEW_MS, signal)) return;
    }
    this.isReceiving = true;
    this.#loop.wake();
    const lost = new AbortController();
    const renew = async () => {
      while (await sleepUnlessAborted(clock, RENEW_MS, AbortSignal.any([signal, lost.signal]))) {
        if (!await notes.claim(POLLER, holder, CLAIM_MS)) lost.abort();
        // A run that ended on another node reports nothing here.
        this.#loop.wake();
      }
    };
    const renewing = renew().catch(() => {}).finally(() => lost.abort());
    try {
      await work(AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      if (!lost.signal.aborted) throw error;
    } finally {
      this.isReceiving = false;
      lost.abort();
      await renewing;
    }
  }

  /** Lets another process receive. If the database fails, the claim ends with its time. */
  async release(): Promise<void> {
    const { notes, holder } = this.#ports;
    if (holder === undefined) return;
    await notes.release(POLLER, holder).catch(() => {});
  }
}
