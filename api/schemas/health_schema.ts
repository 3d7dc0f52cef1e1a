// The schema of /health. It has its own file, because many clients request only the health check.
import { z } from "zod";

/** GET /health. `degraded`: the shared database does not answer; the service keeps trying to reach it. */
export const HealthBody = z.object({ status: z.enum(["ok", "degraded"]) }).meta({ id: "Health" });
export type HealthBody = z.infer<typeof HealthBody>;
