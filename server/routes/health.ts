// Whether the service lives.
import { HealthBody } from "../schemas/health_schema.ts";
import { defineOperation, type Operation } from "../operations/operation.ts";

/** /health. */
export const healthOperations: readonly Operation[] = [
  defineOperation({
    operationId: "health",
    summary: "Whether the service answers",
    response: HealthBody,
    errors: [],
    handle: (_request, { runtime }) =>
      Promise.resolve({ status: runtime.storage.problem === undefined ? "ok" : "degraded" }),
  }),
];
