// The wire of questions to people.
import { z } from "zod";
import { count, id } from "./wire_values.ts";

const timestamp = z.iso.datetime();

const jsonValue = z.unknown().meta({ id: "JsonValue", description: "Any JSON value" });

/** What a file tool would do to a file as it is when it is asked. */
export const PreviewBody = z.object({
  path: z.string().meta({ description: "The file, as tools show paths" }),
  diff: z.string().meta({
    description:
      "The hunks of a unified diff with 3 lines of context, from the first @@ on, without " +
      "file names; of a move two lines: `rename from …`, `rename to …`. At most 64 KB; a last " +
      "line in brackets says where more was cut",
  }),
  added: count.meta({ description: "Lines" }),
  removed: count.meta({ description: "Lines" }),
  problem: z.string().nullable().meta({
    description: "Why nothing can be shown, or why the call would fail as things are",
  }),
  is_new_file: z.boolean(),
}).meta({ id: "Preview" });
export type PreviewBody = z.infer<typeof PreviewBody>;

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
  asked_by: z.string().meta({
    description: "The agent that asks: the execution's own, or one that it called",
  }),
  is_guard: z.boolean().meta({
    description: "Whether it is asked if a tool may be called at all: then the arguments may be " +
      "changed with the approval, and auto_approve ends such questions",
  }),
  preview: PreviewBody.nullable().meta({
    description: "What file_write, file_edit, file_delete or file_move would do now; else null",
  }),
}).meta({ id: "Pending" });
export type PendingBody = z.infer<typeof PendingBody>;

const MISSHAPEN = "Invalid input: expected an answer as " +
  '{"approved": true or false, "reason": optional text, "arguments": optional object}, {"text": text} or {"selected": [texts]}';

/** POST /executions/{id}/pending: the call with other arguments. */
export const EditedCallBody = z.object({
  request_id: z.string(),
  arguments: z.record(z.string(), jsonValue).meta({ description: "All of them" }),
}).meta({ id: "EditedCall" });
export type EditedCallBody = z.infer<typeof EditedCallBody>;

/** What that call would do. */
export const EditedCallPreview = z.object({
  preview: PreviewBody.nullable().meta({ description: "As in Pending" }),
}).meta({ id: "EditedCallPreview" });
export type EditedCallPreview = z.infer<typeof EditedCallPreview>;

/** POST /executions/{id}/respond: the answer by the kind of the request. */
export const RespondBody = z.object({
  request_id: z.string(),
  response: z.union([
    z.strictObject({
      approved: z.boolean(),
      reason: z.string().nullish(),
      arguments: z.record(z.string(), jsonValue).optional().meta({
        description: "In place of the call's own, all of them; only with an approval, and where " +
          "the request is a guard",
      }),
    }).meta({ id: "Approval" }),
    z.strictObject({ text: z.string() }).meta({ id: "TextAnswer" }),
    z.strictObject({ selected: z.array(z.string()) }).meta({ id: "Selection" }),
  ], { error: MISSHAPEN }),
  via: z.enum(["terminal", "page"]).nullish().meta({
    description: "Where the person answers; others who are asked the same question are told",
  }),
}).meta({ id: "Respond" });
export type RespondBody = z.infer<typeof RespondBody>;

/** The answer was taken. */
export const RespondAccepted = z.object({
  status: z.literal("resuming"),
  execution_id: id,
}).meta({ id: "Responded" });
export type RespondAccepted = z.infer<typeof RespondAccepted>;
