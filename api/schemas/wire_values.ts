// The schemas of values that all resources share. The types of the client and the API description are derived from them.
import { z } from "zod";
import { WEBHOOK_SCHEMES } from "../../runtime/vocabulary/trigger_kinds.ts";

/** The id of an execution, or of a row of its log. */
export const id = z.int().positive();

/** A count, such as a number of entries. */
export const count = z.int().nonnegative();

/** A time. */
export const timestamp = z.iso.datetime().meta({
  description: "ISO 8601, UTC, milliseconds, `Z`",
  examples: ["2026-01-31T08:30:00.000Z"],
});

/** The signature scheme of a webhook's deliveries. */
export const webhookScheme = z.enum(WEBHOOK_SCHEMES).meta({ id: "WebhookScheme" });
