// What /health answers: by itself, for it is asked first, and by many who never ask for anything else.
import { z } from "zod";

/** GET /health. */
export const HealthBody = z.object({ status: z.literal("ok") }).meta({ id: "Health" });
export type HealthBody = z.infer<typeof HealthBody>;
