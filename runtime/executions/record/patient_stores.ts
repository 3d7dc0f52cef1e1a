// Stores of a run that do not give up: what a run has done is not lost to a full disk, or to a database that another
// program holds for a while.
import { backoffMs } from "../../../base/backoff.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Clock } from "../../../base/clock.ts";
import { RuntimeError } from "../../../base/errors.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { JournalStores } from "./journal_ports.ts";

const STORED = "Stored after all; the execution continues";
const WAITS = { firstMs: 500, longestMs: 15_000 };

/** Which methods store what a run has done: replies that were paid for, calls that were made, its end. */
const IS_TRIED_AGAIN: {
  [Store in keyof JournalStores]: Readonly<Record<keyof JournalStores[Store], boolean>>;
} = {
  conversations: {
    beginConversation: true,
    replaceSystem: true,
    recordReply: true,
    addMessage: true,
    addFrame: true,
    startCall: true,
    resetCall: true,
    finishCall: true,
    readConversation: false,
    readDescribed: false,
    readSeed: false,
  },
  requests: {
    openRequest: true,
    // Whoever answers is told at once, and may try again.
    answerRequest: false,
    readOpenRequest: false,
    readNextExpiry: false,
  },
  families: { waitForChild: true },
  endings: { finishExecution: true, restExecution: true },
};

/** How long somebody keeps trying. */
export interface Patience {
  clock: Clock;
  serviceLog: ServiceLog;
  /** Aborts: one more try, then it is given up. */
  signal: AbortSignal;
  /** Whose changes they are, for the log. */
  execution: number;
}

/** The same stores, except that a run's changes are tried again while storage refuses them. */
export function patientStores(
  { conversations, requests, families, endings }: JournalStores,
  patience: Patience,
): JournalStores {
  return {
    conversations: patient(conversations, IS_TRIED_AGAIN.conversations, patience),
    requests: patient(requests, IS_TRIED_AGAIN.requests, patience),
    families: patient(families, IS_TRIED_AGAIN.families, patience),
    endings: patient(endings, IS_TRIED_AGAIN.endings, patience),
  };
}

function patient<Store extends object>(
  store: Store,
  isTriedAgain: Readonly<Record<string | symbol, boolean>>,
  patience: Patience,
): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (!isTriedAgain[name]) return member.bind(target);
      return (...args: unknown[]) =>
        untilStored(() => Reflect.apply(member, target, args), patience, STORED);
    },
  });
}

/**
 * Tries it until storage refuses nothing of it; `told` is logged when that took more than once. Throws what else goes wrong, and
 * the last refusal once the signal has aborted.
 */
export async function untilStored<T>(
  store: () => Promise<T>,
  patience: Patience,
  told?: string,
): Promise<T> {
  const { clock, serviceLog, signal, execution } = patience;
  for (let failures = 0;;) {
    const isLast = signal.aborted;
    try {
      const stored = await store();
      if (failures > 0 && told !== undefined) serviceLog.write("info", told, { execution });
      return stored;
    } catch (error) {
      if (isLast || !(error instanceof RuntimeError && error.code === "storage")) throw error;
      failures++;
      if (failures === 1) {
        serviceLog.write("warn", `An execution waits: ${error.message}`, { execution });
      }
    }
    // After an abort the last try follows at once.
    await sleepUnlessAborted(clock, backoffMs(failures, WAITS), signal);
  }
}
