// Where each operation stands, which is all that the application needs until somebody asks for it. What operations take
// and answer are some hundred schemas: to build them is a fifth of the service's start, and most are never asked for.
import { lazyModule } from "../../base/lazy_module.ts";
import type { Operation } from "./operation.ts";
import { type OperationId, type OperationPath, operationPath } from "./operation_paths.ts";

/** The method and the path of an operation, and the way to it. */
export interface OperationPlace extends OperationPath {
  /** Loads the file of the operation, where that has not been done. Throws NoDescriptorLeft. */
  open(): Promise<Operation>;
}

/** In the order of registration. */
export const OPERATION_PLACES: readonly OperationPlace[] = [
  ...placesIn(async () => (await import("../routes/health.ts")).healthOperations, [
    "health",
  ]),
  ...placesIn(async () => (await import("../routes/info.ts")).infoOperations, [
    "info",
    "shutdown",
  ]),
  ...placesIn(async () => (await import("../routes/agents.ts")).agentOperations, [
    "agents",
    "reload",
    "agent",
    "plan",
    "run",
    "autoApprove",
    "resumeAgent",
    "runs",
    "slots",
  ]),
  ...placesIn(async () => (await import("../routes/executions.ts")).executionOperations, [
    "executions",
    "execution",
    "messages",
    "follow",
    "cancel",
  ]),
  ...placesIn(async () => (await import("../routes/replays.ts")).replayOperations, [
    "replay",
    "fork",
  ]),
  ...placesIn(async () => (await import("../routes/requests.ts")).requestOperations, [
    "pending",
    "previewArguments",
    "respond",
  ]),
  ...placesIn(async () => (await import("../routes/checkpoints.ts")).checkpointOperations, [
    "checkpoints",
    "purgeCheckpoints",
  ]),
  ...placesIn(async () => (await import("../routes/budgets.ts")).budgetOperations, [
    "budgets",
    "raiseBudget",
  ]),
  ...placesIn(async () => (await import("../routes/scheduler.ts")).schedulerOperations, [
    "scheduler",
    "pauseScheduler",
    "resumeScheduler",
  ]),
  ...placesIn(async () => (await import("../routes/events.ts")).eventOperations, [
    "events",
  ]),
  ...placesIn(async () => (await import("../routes/reports.ts")).reportOperations, [
    "stats",
    "recap",
    "log",
  ]),
];

function placesIn(
  load: () => Promise<readonly Operation[]>,
  ids: readonly OperationId[],
): OperationPlace[] {
  const loadOperations = lazyModule(load);
  return ids.map((id) => ({
    ...operationPath(id),
    async open() {
      const found = (await loadOperations()).find(({ operationId }) => operationId === id);
      if (found === undefined) throw new TypeError(`No operation ${id} in its file`);
      return found;
    },
  }));
}
