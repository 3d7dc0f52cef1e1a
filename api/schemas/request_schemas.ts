// The schemas of questions to people and their answers.
import { z } from "zod";
import { fileChangers } from "../../runtime/vocabulary/builtin_tools.ts";
import { CLIENT_PLACES } from "../../runtime/vocabulary/callers.ts";
import { count, id } from "./wire_values.ts";

const timestamp = z.iso.datetime();

const jsonValue = z.unknown().meta({ id: "JsonValue", description: "Any JSON value" });

/** The tools with a preview, such as `file_write, file_edit or file_move`. */
const CHANGERS = fileChangers().join(", ").replace(/,(?= \w+$)/, " or");

/** The change that a call of a file tool would make to the current file. */
export const PreviewBody = z.object({
  path: z.string().meta({ description: "The file, as tools show paths" }),
  diff: z.string().meta({
    description:
      "Hunks of a unified diff, from the first @@ on; of a move, two `rename` lines. At most 64 KB; " +
      "a cut one ends in brackets",
  }),
  added: count.meta({ description: "Number of added lines" }),
  removed: count.meta({ description: "Number of removed lines" }),
  problem: z.string().nullable().meta({
    description: "The reason why there is no diff, or why the call would currently fail",
  }),
  is_new_file: z.boolean(),
}).meta({ id: "Preview" });
export type PreviewBody = z.infer<typeof PreviewBody>;

/** The response of GET /executions/{id}/pending. */
export const PendingBody = z.object({
  execution_id: id,
  request_id: z.string().meta({ description: "An opaque id; send it with the answer" }),
  kind: z.enum(["confirm", "input", "choice"]),
  message: z.string(),
  tool_name: z.string(),
  tool_args: z.record(z.string(), jsonValue),
  options: z.array(z.string()).nullable(),
  multi: z.boolean().meta({ description: "True if several options may be selected" }),
  created_at: timestamp,
  expires_at: timestamp.nullable().meta({
    description: "The time at which the question counts as denied",
  }),
  asked_by: z.string().meta({
    description: "The agent that asks: the execution's own agent, or one that it called",
  }),
  waiting_runs: count.meta({
    description: "The number of runs that get the answer: all that wait for the same sign-in",
  }),
  is_guard: z.boolean().meta({
    description: "True if the question asks to approve a tool call; the approval may edit the " +
      "arguments",
  }),
  open_to_programs: z.literal(true).optional().meta({
    description: "Present only if a program may answer the question in place of a person",
  }),
  original_args: z.record(z.string(), jsonValue).optional().meta({
    description: "The model's arguments; present only if a person who approved the call has " +
      "changed them",
  }),
  approvals: count.optional().meta({
    description:
      "The number of people who have approved the call. This and the next four fields are " +
      "present only if the agent has `approvers`, `approvals` or `exclude_starter`",
  }),
  needed: count.optional().meta({
    description: "The number of different people who must approve the call",
  }),
  approved_by: z.array(z.string()).optional().meta({
    description: "The names of the people who have approved the call",
  }),
  approvers: z.array(z.string()).optional().meta({
    description: "The names and roles that may answer; empty: everybody with a name",
  }),
  may_answer: z.boolean().optional().meta({
    description: "True if the sender of this request may answer now, and has not approved the call",
  }),
  preview: PreviewBody.nullable().meta({
    description: `The change that ${CHANGERS} would make; null for other tools`,
  }),
}).meta({ id: "Pending" });
export type PendingBody = z.infer<typeof PendingBody>;

const MISSHAPEN = "Invalid input: expected an answer as " +
  '{"approved": true or false, "reason": optional text, "arguments": optional object}, {"text": text} or {"selected": [texts]}';

/** The request body of POST /executions/{id}/pending: the call with edited arguments. */
export const EditedCallBody = z.object({
  request_id: z.string(),
  arguments: z.record(z.string(), jsonValue).meta({ description: "All arguments of the call" }),
}).meta({ id: "EditedCall" });

/** The response of POST /executions/{id}/pending. */
export const EditedCallPreview = z.object({
  preview: PreviewBody.nullable().meta({ description: "As in Pending" }),
}).meta({ id: "EditedCallPreview" });

/** The request body of POST /executions/{id}/respond: the answer, whose form depends on the kind of the question. */
export const RespondBody = z.object({
  request_id: z.string(),
  response: z.union([
    z.strictObject({
      approved: z.boolean(),
      reason: z.string().nullish(),
      arguments: z.record(z.string(), jsonValue).optional().meta({
        description: "All arguments of the call, which replace the original ones; only with an " +
          "approval, and only if `is_guard` is true",
      }),
    }).meta({ id: "Approval" }),
    z.strictObject({ text: z.string() }).meta({ id: "TextAnswer" }),
    z.strictObject({ selected: z.array(z.string()) }).meta({ id: "Selection" }),
  ], { error: MISSHAPEN }),
  via: z.enum(CLIENT_PLACES).nullish().meta({
    description: "The place of the answer, which is shown to everybody with the same question. " +
      "A `program` must not approve calls or budgets, unless config.yaml allows it",
  }),
}).meta({ id: "Respond" });
export type RespondBody = z.infer<typeof RespondBody>;

/** The response to an accepted answer, and to the early end of a rest. */
export const RespondAccepted = z.object({
  status: z.enum(["resuming", "waiting"]).meta({
    description: "`waiting` if other people must approve, too",
  }),
  execution_id: id,
  approvals: count.optional().meta({ description: "The approvals so far, if others must approve" }),
  needed: count.optional().meta({ description: "The number of people who must approve" }),
}).meta({ id: "Responded" });
