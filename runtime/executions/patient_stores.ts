// Stores of a run that do not give up: what a run has done is not lost to a full disk, or to a database that another
// program holds for a while.
import { backoffMs } from "../backoff.ts";
import type { Clock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import type { JournalStores } from "./journal.ts";

const WAITS = { firstMs: 500, longestMs: 15_000 };

/** What a run stores on its way: replies that were paid for, calls that were done, its end. */
const CHANGES: ReadonlySet<string | symbol> = new Set(
  [
    "beginConversation",
    "recordReply",
    "startCall",
    "finishCall",
    "resetCall",
    "openRequest",
    "waitForChild",
    "finishExecution",
    "leaveExecution",
  ] satisfies (
    { [Store in keyof JournalStores]: keyof JournalStores[Store] }[keyof JournalStores]
  )[],
);

/** How long somebody keeps trying. */
export interface Patience {
  clock: Clock;
  serviceLog: ServiceLog;
  /** Aborts: one more try, then it is given up. */
  signal: AbortSignal;
  /** Whose changes they are, for the log. */
  execution: number;
}

/** The same stores, but that a run's changes are tried again while they are refused for want of storage. */
export function patientStores(
  { conversations, requests, families, endings }: JournalStores,
  patience: Patience,
): JournalStores {
  return {
    conversations: patient(conversations, patience),
    requests: patient(requests, patience),
    families: patient(families, patience),
    endings: patient(endings, patience),
  };
}

function patient<Store extends object>(store: Store, patience: Patience): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (!CHANGES.has(name)) return member.bind(target);
      return (...args: unknown[]) =>
        untilStored(() => Reflect.apply(member, target, args), patience);
    },
  });
}

/** Throws what else goes wrong, and the last refusal once the signal has aborted. */
async function untilStored(store: () => Promise<unknown>, patience: Patience): Promise<unknown> {
  const { clock, serviceLog, signal, execution } = patience;
  for (let failures = 0;;) {
    const isLast = signal.aborted;
    try {
      const stored = await store();
      if (failures > 0) {
        serviceLog.write("info", "Stored after all; the execution goes on", { execution });
      }
      return stored;
    } catch (error) {
      if (isLast || !(error instanceof RuntimeError && error.code === "storage")) throw error;
      failures++;
      if (failures === 1) {
        serviceLog.write("warn", `An execution waits: ${error.message}`, { execution });
      }
    }
    await clock.sleep(backoffMs(failures, WAITS), signal).catch(
      () => {/* The last try follows. */},
    );
  }
}
