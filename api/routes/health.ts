// The health check.
import { HealthBody } from "../schemas/health_schema.ts";
import { operation } from "../operations/operation.ts";

export const health = operation({
  summary: "Health of the service",
  response: HealthBody,
  handle: (_request, { runtime }) =>
    Promise.resolve({ status: runtime.storage.problem === undefined ? "ok" : "degraded" }),
});
