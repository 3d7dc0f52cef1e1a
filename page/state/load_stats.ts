// Loads the usage by day, in the time zone of the browser.
import { ApiError, type Client } from "../../api/client/client.ts";
import type { StatsBody } from "../../api/schemas/report_schemas.ts";

/** Loads the usage. If the browser knows only an offset, the days are those of the service's time zone. */
export async function loadStats(
  client: Client,
  query: { days: number; by?: "model" | "trigger" },
): Promise<StatsBody> {
  try {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return await client.stats({ ...query, timezone });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    return await client.stats(query);
  }
}
