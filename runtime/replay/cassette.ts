// A cassette: one run as a script that can be replayed without a model and tools. Its format is versioned, and
// handwritten cassettes may omit the optional parts. create_cassette.ts creates one from a recorded run; player.ts plays
// it.
import { z } from "zod";
import { isJsonObject } from "../../base/json.ts";
import type { Media } from "../vocabulary/tool_vocabulary.ts";
import { EXECUTION_STATUSES } from "../executions/states.ts";
import { EXECUTION_TRIGGERS } from "../vocabulary/trigger_kinds.ts";
import { FILE_EVENTS } from "../vocabulary/run_cause.ts";

/** The version of the format. A reader refuses unknown versions. */
export const CASSETTE_VERSION = 1;

/** Milliseconds since the epoch. */
const moment = z.int();
/** The number of the last reply's results that precede a step in the log; absent: all. */
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
  /** The model wrote the call into the text of its reply. */
  written: z.literal(true).optional(),
  /** Absent: the run ended before the result. For a delegation: the result that the caller's model received. */
  result: z.strictObject({
    /** Without the person's remark at the approval. */
    content: z.string(),
    is_error: z.boolean().default(false),
    /** The instructions that the result added to the conversation. */
    instructions: z.string().optional(),
    /** The images and PDF files that the model received with it. */
    media: z.array(z.custom<Media>(isJsonObject)).readonly().optional(),
    /** The number of steps between the reply and the result in the log. */
    after: z.int().min(0).default(0),
    /** The number of the reply's results before this one; absent: unknown. */
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
  /** Null if the endpoint reported none. */
  usage: z.strictObject({ input_tokens: z.int(), output_tokens: z.int() }).nullable().default(null),
  /** Null if no price is known. */
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
  /** The id of the call that asked; null: a delegated execution or a budget asked. */
  call: z.string().nullable(),
  /** True: the question was about running the call. */
  is_guard: z.boolean().default(false),
  kind: z.enum(["confirm", "input", "choice"]),
  message: z.string(),
  options: z.array(z.string()).nullable().default(null),
  multi: z.boolean().default(false),
  answers_before: z.int().optional(),
  tool_name: z.string(),
  tool_args: jsonObject,
  /** Null: nobody answered, and the run ended or still waits. */
  answer: Answer.nullable(),
  request_id: z.string().optional(),
  created_at: moment.optional(),
  expires_at: moment.nullable().default(null),
  answered_at: moment.optional(),
});

const CassettePrompt = z.strictObject({
  type: z.literal("prompt"),
  /** The facts in the prompt about the agent's environment. */
  now: moment,
  time_zone: z.string(),
  memory_sections: z.array(z.string()).default([]),
  file_exists: z.boolean().default(true),
  results,
});

const CassetteStep = z.discriminatedUnion("type", [
  /** The prompt was created. A later one: the run was resumed with a changed prompt. */
  CassettePrompt,
  CassetteReply,
  CassetteQuestion,
  /** A message of a person: a fork began here. */
  z.strictObject({ type: z.literal("message"), content: z.string(), at: moment.optional() }),
  /** A notice for the followers of the run. */
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
  /** The messages of earlier runs, as they were sent to the model. */
  seed: z.array(jsonObject).default([]),
  /** In the order of the log. */
  steps: z.array(CassetteStep),
  /** Null: the run had not ended. */
  outcome: z.strictObject({
    status: z.enum(EXECUTION_STATUSES),
    error: z.string().nullable(),
    output: z.string().nullable(),
    /** The usage of an interrupted reply, partly estimated. */
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
