// A cassette: one run as a script that can be played again, without a model and without tools. Its form is versioned; what is
// optional may be left out by who writes one by hand. create_cassette.ts makes one of a recorded run, player.ts plays it.
import { z } from "zod";
import { isJsonObject } from "../../base/json.ts";
import type { Media } from "../tool_vocabulary.ts";
import { EXECUTION_STATUSES } from "../executions/states.ts";
import { EXECUTION_TRIGGERS } from "../trigger_kinds.ts";
import { FILE_EVENTS } from "../run_cause.ts";

/** The version of the form. One that a reader does not know is refused. */
export const CASSETTE_VERSION = 1;

/** Milliseconds since the epoch. */
const moment = z.int();
/** How many results of the last reply stand before a step in the log; absent: all. */
const results = z.int().min(0).optional();
const jsonObject = z.record(z.string(), z.json());

const Cause = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("schedule"), scheduledFor: moment }),
  z.strictObject({ type: z.literal("watch"), event: z.enum(FILE_EVENTS), path: z.string() }),
  z.strictObject({
    type: z.literal("webhook"),
    event: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
  z.strictObject({
    type: z.literal("after"),
    agentId: z.string(),
    displayName: z.string(),
    executionId: z.int(),
    status: z.string(),
    error: z.string().nullable(),
    depth: z.int(),
  }),
  z.strictObject({
    type: z.literal("agent"),
    agentId: z.string(),
    displayName: z.string(),
    executionId: z.int(),
  }),
]);

const CassetteCall = z.strictObject({
  /** Unique within its reply. */
  id: z.string(),
  name: z.string(),
  /** JSON text, as the model wrote it. */
  arguments: z.string(),
  /** It stood in the text of the reply. */
  written: z.literal(true).optional(),
  /** Absent: the run ended before there was one. Of a delegation: what its caller's model read. */
  result: z.strictObject({
    /** Without what a person said when the call was approved. */
    content: z.string(),
    is_error: z.boolean().default(false),
    /** What it brought into the conversation. */
    instructions: z.string().optional(),
    /** The pictures and PDF files that the model saw beside it. */
    media: z.array(z.custom<Media>(isJsonObject)).readonly().optional(),
    /** How many steps behind the reply stand before it in the log. */
    after: z.int().min(0).default(0),
    /** How many results of its reply were there before it; absent: that shows nowhere. */
    order: z.int().min(0).optional(),
  }).optional(),
});

const CassetteReply = z.strictObject({
  type: z.literal("reply"),
  content: z.string(),
  calls: z.array(CassetteCall).default([]),
  provider_data: jsonObject.optional(),
  stop: z.enum(["end", "tool_calls", "length", "content_filter", "refusal", "unknown"])
    .optional(),
  /** Null where the endpoint reported none. */
  usage: z.strictObject({ input_tokens: z.int(), output_tokens: z.int() }).nullable().default(null),
  /** Null where no price is known. */
  cost_usd: z.number().nullable().default(null),
  at: moment.optional(),
});

const Answer = z.union([
  z.strictObject({ approved: z.boolean(), reason: z.string().optional() }).loose(),
  z.strictObject({ text: z.string() }),
  z.strictObject({ selected: z.array(z.string()) }),
  z.strictObject({ expired: z.literal(true) }),
]);

const CassetteQuestion = z.strictObject({
  type: z.literal("question"),
  /** The call that asked, by its id; null: an execution that this one delegated to asked, or a budget. */
  call: z.string().nullable(),
  /** Whether the call may run at all was asked. */
  is_guard: z.boolean().default(false),
  kind: z.enum(["confirm", "input", "choice"]),
  message: z.string(),
  options: z.array(z.string()).nullable().default(null),
  multi: z.boolean().default(false),
  answers_before: z.int().optional(),
  tool_name: z.string(),
  tool_args: jsonObject,
  /** Null: nobody answered, and the run ended, or waits. */
  answer: Answer.nullable(),
  request_id: z.string().optional(),
  created_at: moment.optional(),
  expires_at: moment.nullable().default(null),
  answered_at: moment.optional(),
});

const CassettePrompt = z.strictObject({
  type: z.literal("prompt"),
  /** What the prompt told of the world around the agent. */
  now: moment,
  time_zone: z.string(),
  memory_sections: z.array(z.string()).default([]),
  file_exists: z.boolean().default(true),
  results,
});

const CassetteStep = z.discriminatedUnion("type", [
  /** The opening was made; a second one: the run continued, and its prompt had changed. */
  CassettePrompt,
  CassetteReply,
  CassetteQuestion,
  /** A person spoke: where a fork began. */
  z.strictObject({ type: z.literal("message"), content: z.string(), at: moment.optional() }),
  /** Told to those who watch. */
  z.strictObject({
    type: z.literal("notice"),
    level: z.enum(["info", "warn"]),
    text: z.string(),
    results,
    at: moment.optional(),
  }),
]);

/** One run as a script. */
export const Cassette = z.strictObject({
  inkling_cassette: z.literal(CASSETTE_VERSION),
  agent: z.strictObject({ id: z.string(), name: z.string(), model: z.string() }),
  trigger: z.enum(EXECUTION_TRIGGERS),
  session_id: z.string().nullable().default(null),
  request: z.strictObject({
    args: z.array(z.string()).default([]),
    message: z.string().optional(),
    context: z.string().optional(),
    cause: Cause.optional(),
  }),
  started_at: moment.optional(),
  /** The messages of earlier runs that it was sent, as it was sent them. */
  seed: z.array(jsonObject).default([]),
  /** In the order of the log. */
  steps: z.array(CassetteStep),
  /** Null: it had not ended. */
  outcome: z.strictObject({
    status: z.enum(EXECUTION_STATUSES),
    error: z.string().nullable(),
    output: z.string().nullable(),
    /** What a reply that was cut off used, partly estimated. */
    cut: z.strictObject({
      input_tokens: z.int(),
      output_tokens: z.int(),
      cost_usd: z.number().nullable(),
    }).optional(),
    at: moment.optional(),
  }).nullable(),
});

export type Cassette = z.output<typeof Cassette>;
export type CassetteStep = z.output<typeof CassetteStep>;
export type CassetteReply = z.output<typeof CassetteReply>;
export type CassetteCall = z.output<typeof CassetteCall>;
export type CassetteQuestion = z.output<typeof CassetteQuestion>;
export type CassettePrompt = z.output<typeof CassettePrompt>;
