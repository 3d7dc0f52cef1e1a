// Defines the cassette: one run as a script that can be replayed without a model and tools. The format has a version, and
// handwritten cassettes may omit the optional parts. create_cassette.ts creates cassettes from recorded runs; player.ts
// plays them.
import { z } from "zod";
import { isJsonObject } from "../../base/json.ts";
import type { Media } from "../vocabulary/tool_vocabulary.ts";
import { EXECUTION_STATUSES } from "../executions/states.ts";
import { EXECUTION_TRIGGERS } from "../vocabulary/trigger_kinds.ts";
import { FILE_EVENTS } from "../vocabulary/run_cause.ts";

/** The version of the cassette format. Other versions are refused. */
export const CASSETTE_VERSION = 1;

/** The schema of a time in milliseconds since the epoch. */
const moment = z.int();
/** The number of the last reply's results that precede a step in the log. All results if absent. */
const results = z.int().min(0).optional();
const jsonObject = z.record(z.string(), z.json());

const Cause = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("schedule"), scheduledFor: moment }),
  z.strictObject({ type: z.literal("watch"), event: z.enum(FILE_EVENTS), path: z.string() }),
  z.strictObject({
    type: z.enum(["change", "mail"]),
    summary: z.string(),
    values: z.record(z.string(), z.string()),
    shown: z.array(z.string()),
  }),
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
  /** The id of the call, unique within its reply. */
  id: z.string(),
  name: z.string(),
  /** The JSON text of the arguments as the model wrote it. */
  arguments: z.string(),
  /** Set if the model wrote the call as text in its reply. */
  written: z.literal(true).optional(),
  /**
   * The result of the call. Absent if the run ended before it. For a delegation, the result that the parent's model
   * received.
   */
  result: z.strictObject({
    /** The text of the result, without the remark of a person's approval. */
    content: z.string(),
    is_error: z.boolean().default(false),
    /** The instructions that the result added to the conversation. */
    instructions: z.string().optional(),
    /** The images and PDF files that the model received with the result. */
    media: z.array(z.custom<Media>(isJsonObject)).readonly().optional(),
    /** The number of steps between the reply and the result in the log. */
    after: z.int().min(0).default(0),
    /** The number of the reply's results before this one. Absent if unknown. */
    order: z.int().min(0).optional(),
  }).optional(),
});

const CassetteReply = z.strictObject({
  type: z.literal("reply"),
  content: z.string(),
  calls: z.array(CassetteCall).default([]),
  provider_data: jsonObject.optional(),
  stop: z.enum([
    "end",
    "tool_calls",
    "length",
    "content_filter",
    "unclosed_thought",
    "refusal",
    "unknown",
  ])
    .optional(),
  /** The tokens of the reply. Null if the endpoint reported none. */
  usage: z.strictObject({ input_tokens: z.int(), output_tokens: z.int() }).nullable().default(null),
  /** The cost of the reply in dollars. Null if no price is known. */
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
  /** The id of the call that asked the question. Null if a delegated execution asked it, or if it was about a budget. */
  call: z.string().nullable(),
  /** True if the question asked for permission to make the call. */
  is_guard: z.boolean().default(false),
  kind: z.enum(["confirm", "input", "choice"]),
  message: z.string(),
  options: z.array(z.string()).nullable().default(null),
  multi: z.boolean().default(false),
  answers_before: z.int().optional(),
  tool_name: z.string(),
  tool_args: jsonObject,
  /** The answer. Null if nobody answered, and the run ended or still waits. */
  answer: Answer.nullable(),
  request_id: z.string().optional(),
  created_at: moment.optional(),
  expires_at: moment.nullable().default(null),
  answered_at: moment.optional(),
});

const CassettePrompt = z.strictObject({
  type: z.literal("prompt"),
  /** The time and the other facts about the environment in the prompt. */
  now: moment,
  time_zone: z.string(),
  memory_sections: z.array(z.string()).default([]),
  /** The instructions of MCP servers in the prompt. */
  servers: z.array(z.strictObject({ server: z.string(), instructions: z.string() })).default([]),
  file_exists: z.boolean().default(true),
  results,
});

const CassetteStep = z.discriminatedUnion("type", [
  /** A prompt was created. A second prompt means that the run was continued with a changed prompt. */
  CassettePrompt,
  CassetteReply,
  CassetteQuestion,
  /** A person's message at the beginning of a fork. */
  z.strictObject({ type: z.literal("message"), content: z.string(), at: moment.optional() }),
  /** A notice for the people who follow the run. */
  z.strictObject({
    type: z.literal("notice"),
    level: z.enum(["info", "warn"]),
    text: z.string(),
    results,
    at: moment.optional(),
  }),
]);

/** The schema of a cassette: one run as a script. */
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
    /** Set if the request brought messages. */
    brought: z.strictObject({
      digest: z.string(),
      isHistory: z.literal(true).optional(),
      /** A user message with the pictures of the request and their description. */
      turn: jsonObject,
    }).optional(),
  }),
  started_at: moment.optional(),
  /** The messages of earlier runs, as they were sent to the model. */
  seed: z.array(jsonObject).default([]),
  /** The steps in the order of the log. */
  steps: z.array(CassetteStep),
  /** The end of the run. Null if the run had not ended. */
  outcome: z.strictObject({
    status: z.enum(EXECUTION_STATUSES),
    error: z.string().nullable(),
    output: z.string().nullable(),
    /** The usage of a reply that was cut off, partly estimated. */
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
