// Loads the operations of the API on demand, each at its first request. Building all schemas (about a hundred) would take a
// fifth of the service's start-up time, and most are never used.
import { lazyModule } from "../../base/lazy_module.ts";
import type { DescribedOperation, Operation } from "../operations/operation.ts";
import {
  OPERATION_PATHS,
  type OperationId,
  type OperationPath,
  type RouteFile,
  type ROUTES,
} from "../operations/operation_paths.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { ServiceLog } from "../../runtime/service_log/service_log.ts";

const FILES = {
  health: lazyModule(() => import("./health.ts")),
  info: lazyModule(() => import("./info.ts")),
  agents: lazyModule(() => import("./agents.ts")),
  audit: lazyModule(() => import("./audit.ts")),
  files: lazyModule(() => import("./files.ts")),
  executions: lazyModule(() => import("./executions.ts")),
  replays: lazyModule(() => import("./replays.ts")),
  requests: lazyModule(() => import("./requests.ts")),
  keys: lazyModule(() => import("./keys.ts")),
  people: lazyModule(() => import("./people.ts")),
  chats: lazyModule(() => import("./chats.ts")),
  checkpoints: lazyModule(() => import("./checkpoints.ts")),
  budgets: lazyModule(() => import("./budgets.ts")),
  sign_ins: lazyModule(() => import("./sign_ins.ts")),
  scheduler: lazyModule(() => import("./scheduler.ts")),
  events: lazyModule(() => import("./events.ts")),
  reports: lazyModule(() => import("./reports.ts")),
} satisfies {
  [File in RouteFile]: () => Promise<Record<keyof typeof ROUTES[File], Operation>>;
};

/** The operations by id, each with the types of its schemas. */
export type Operations = Merged<Awaited<ReturnType<typeof FILES[RouteFile]>>>;
type Merged<Files> = {
  [Id in OperationId]: Files extends Record<Id, infer Found> ? Found : never;
};

/** The path of an operation, with a function that loads it. */
export interface LazyOperation extends OperationPath {
  /** Loads the operation's file at the first call. Throws NoDescriptorLeft if too few file descriptors are free. */
  load(): Promise<DescribedOperation>;
}

/** The operations in the order of registration. */
export const LAZY_OPERATIONS: readonly LazyOperation[] = OPERATION_PATHS.map((place) => ({
  ...place,
  async load() {
    const operations: Partial<Record<OperationId, Operation>> = await FILES[place.file]();
    const operation = operations[place.id];
    if (operation === undefined) throw new TypeError(`No operation ${place.id} in its file`);
    return { ...operation, ...place };
  },
}));

/** Loads every operation. */
export function loadOperations(): Promise<DescribedOperation[]> {
  return Promise.all(LAZY_OPERATIONS.map((place) => place.load()));
}

/** Loads the generator of the API description. Throws NoDescriptorLeft if too few file descriptors are free. */
export const loadOpenApi = lazyModule(() => import("../operations/openapi.ts"));

const AFTER_START_MS = 500;

/**
 * Loads every operation and the API description half a second after the start, so that the load does not delay the first
 * response. Resolves at once when `signal` aborts. Loading a module hours later would be unsafe: without a free file
 * descriptor Deno 2.9.6 ends the process, and an upgrade in place may have replaced the module's file.
 */
export async function warmUp(
  { clock, log }: { clock: Clock; log: ServiceLog },
  signal: AbortSignal,
): Promise<void> {
  if (!await sleepUnlessAborted(clock, AFTER_START_MS, signal)) return;
  try {
    for (const place of LAZY_OPERATIONS) {
      if (signal.aborted) return;
      await place.load();
    }
    await loadOpenApi();
  } catch (error) {
    log.write("error", "Cannot load a module of the service", { error });
  }
}
