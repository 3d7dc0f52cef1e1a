// The wire of questions to people.
import { z } from "zod";
import { id } from "./wire_values.ts";

const timestamp = z.iso.datetime();

const jsonValue = z.unknown().meta({ id: "JsonValue", description: "Any JSON value" });

/** GET /executions/{id}/pending. */
export const PendingBody = z.object({
  execution_id: id,
  request_id: z.string().meta({ description: "Opaque; send it with the answer" }),
  kind: z.enum(["confirm", "input", "choice"]),
  message: z.string(),
  tool_name: z.string(),
  tool_args: z.record(z.string(), jsonValue),
  options: z.array(z.string()).nullable(),
  multi: z.boolean().meta({ description: "Whether several options may be selected" }),
  created_at: timestamp,
  expires_at: timestamp.nullable().meta({ description: "When the request counts as denied" }),
}).meta({ id: "Pending" });
export type PendingBody = z.infer<typeof PendingBody>;

const MISSHAPEN = "Invalid input: expected an answer as " +
  '{"approved": true or false, "reason": optional text}, {"text": text} or {"selected": [texts]}';

/** POST /executions/{id}/respond: the answer by the kind of the request. */
export const RespondBody = z.object({
  request_id: z.string(),
  response: z.union([
    z.strictObject({ approved: z.boolean(), reason: z.string().nullish() }).meta({
      id: "Approval",
    }),
    z.strictObject({ text: z.string() }).meta({ id: "TextAnswer" }),
    z.strictObject({ selected: z.array(z.string()) }).meta({ id: "Selection" }),
  ], { error: MISSHAPEN }),
}).meta({ id: "Respond" });
export type RespondBody = z.infer<typeof RespondBody>;

/** The answer was taken. */
export const RespondAccepted = z.object({
  status: z.literal("resuming"),
  execution_id: id,
}).meta({ id: "Responded" });
export type RespondAccepted = z.infer<typeof RespondAccepted>;
