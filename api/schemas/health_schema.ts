// What /health answers: by itself, for it is asked first, and by many who never ask for anything else.
import { z } from "zod";

/** GET /health. `degraded`: the database that machines share does not answer; it is looked for all the time. */
export const HealthBody = z.object({ status: z.enum(["ok", "degraded"]) }).meta({ id: "Health" });
export type HealthBody = z.infer<typeof HealthBody>;
