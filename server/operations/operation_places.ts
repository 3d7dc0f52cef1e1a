// Where each operation stands, which is all that the application needs until somebody asks for it. What operations take
// and answer are some hundred schemas: to build them is a fifth of the service's start, and most are never asked for.
import { lazyModule } from "../../base/lazy_module.ts";
import type { Operation } from "./operation.ts";

/** A method and a path as operations have them, and the way to the operation itself. */
export interface OperationPlace extends Pick<Operation, "method" | "path"> {
  /** Loads the file of the operation, where that has not been done. Throws NoDescriptorLeft. */
  open(): Promise<Operation>;
}

/** In the order of registration: of several that fit a request, the first answers. */
export const OPERATION_PLACES: readonly OperationPlace[] = [
  ...placesIn(async () => (await import("../routes/health.ts")).healthOperations, [
    ["GET", "/health"],
  ]),
  ...placesIn(async () => (await import("../routes/info.ts")).infoOperations, [
    ["GET", "/info"],
    ["POST", "/shutdown"],
  ]),
  ...placesIn(async () => (await import("../routes/agents.ts")).agentOperations, [
    ["GET", "/agents"],
    ["POST", "/agents/reload"],
    ["GET", "/agents/{id}"],
    ["POST", "/agents/{id}/run"],
    ["GET", "/agents/{id}/runs"],
    ["GET", "/agents/{id}/slots"],
  ]),
  ...placesIn(async () => (await import("../routes/executions.ts")).executionOperations, [
    ["GET", "/executions"],
    ["GET", "/executions/{id}"],
    ["GET", "/executions/{id}/messages"],
    ["GET", "/executions/{id}/stream"],
    ["DELETE", "/executions/{id}"],
  ]),
  ...placesIn(async () => (await import("../routes/requests.ts")).requestOperations, [
    ["GET", "/executions/{id}/pending"],
    ["POST", "/executions/{id}/respond"],
  ]),
  ...placesIn(async () => (await import("../routes/checkpoints.ts")).checkpointOperations, [
    ["GET", "/checkpoints"],
    ["POST", "/checkpoints/purge"],
  ]),
  ...placesIn(async () => (await import("../routes/scheduler.ts")).schedulerOperations, [
    ["GET", "/scheduler"],
    ["POST", "/scheduler/pause"],
    ["POST", "/scheduler/resume"],
  ]),
  ...placesIn(async () => (await import("../routes/events.ts")).eventOperations, [
    ["GET", "/events/stream"],
  ]),
  ...placesIn(async () => (await import("../routes/reports.ts")).reportOperations, [
    ["GET", "/stats"],
    ["GET", "/log"],
  ]),
];

function placesIn(
  load: () => Promise<readonly Operation[]>,
  places: readonly (readonly [Operation["method"], string])[],
): OperationPlace[] {
  const loadOperations = lazyModule(load);
  return places.map(([method, path]) => ({
    method,
    path,
    async open() {
      const found = (await loadOperations()).find((one) =>
        one.method === method && one.path === path
      );
      if (found === undefined) throw new TypeError(`No operation ${method} ${path} in its file`);
      return found;
    },
  }));
}
