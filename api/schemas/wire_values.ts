// Values that every part of the wire is made of. Schemas of one resource each are built of them; clients take their
// types from those, and the API description is generated from them.
import { z } from "zod";
import { WEBHOOK_SCHEMES } from "../../runtime/trigger_kinds.ts";

/** The id of an execution, or of a row of its log. */
export const id = z.int().positive();

/** How many there are. */
export const count = z.int().nonnegative();

/** A time. */
export const timestamp = z.iso.datetime().meta({
  description: "ISO 8601, UTC, milliseconds, `Z`",
  examples: ["2026-01-31T08:30:00.000Z"],
});

/** How senders of deliveries show who they are. */
export const webhookScheme = z.enum(WEBHOOK_SCHEMES).meta({ id: "WebhookScheme" });
