// The operation that checks the service's health.
import { z } from "zod";
import { operation } from "../operations/operation.ts";

/**
 * The response of GET /health. `degraded`: the shared database does not answer, and the service keeps trying to reach it.
 */
export const HealthBody = z.object({ status: z.enum(["ok", "degraded"]) }).meta({ id: "Health" });

export const health = operation({
  summary: "Health of the service",
  response: HealthBody,
  handle: (_request, { runtime }) =>
    Promise.resolve({ status: runtime.storage.problem === undefined ? "ok" : "degraded" }),
});
