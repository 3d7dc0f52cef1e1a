// The schema of a case file: the run's input, the replies of model and tools, and the expected outcome. case_files.ts reads
// case files, record_case.ts writes them.
import { isTimeZone } from "../../runtime/config/time_zone.ts";
import { z } from "zod";
import { isJsonObject } from "../../base/json.ts";
import { field, filledText, optional, section } from "../../runtime/config/fields.ts";
import { FILE_EVENTS } from "../../runtime/vocabulary/run_cause.ts";

/** The version of the case format. Other versions are refused. */
export const CASE_VERSION = 1;
/** The start time of a run if its case names none. */
const DEFAULT_NOW = "2026-01-05T09:00:00Z";

/** The possible outcomes of a case's run. `waiting` means that the run asks a question that the case does not answer. */
const ENDS = ["success", "error", "aborted", "timeout", "waiting"] as const;

const anyMap = z.record(z.string(), z.unknown());
const texts = z.union([z.string(), z.array(z.string())]).transform((value) =>
  typeof value === "string" ? [value] : value
);
const count = z.int().min(0);

const pattern = z.string().refine((text) => {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}, "must be a regular expression of JavaScript");

const answer = z.object({
  approved: z.boolean().optional(),
  reason: z.string().optional(),
  text: z.string().optional(),
  selected: z.array(z.string()).optional(),
  /** If set, the question expires without an answer. */
  expired: z.literal(true).optional(),
}).refine(
  ({ approved, text, selected, expired }) =>
    [approved, text, selected, expired].filter((one) => one !== undefined).length === 1,
  "must be one of approved, text, selected and expired",
);

const call = z.object({
  tool: z.string(),
  /** The arguments. A string is passed on as the model wrote it, even if it is invalid JSON. */
  args: z.union([anyMap, z.string()]).default({}),
  result: z.string().optional(),
  error: z.string().optional(),
  /** The answers to the questions of this call, in their order. */
  answers: z.array(answer).default([]),
}).refine(
  ({ result, error }) => result === undefined || error === undefined,
  "must not have both result and error",
);

const reply = z.object({
  text: z.string().default(""),
  calls: z.array(call).default([]),
  /** The error message of a failed model call. Absent if the call succeeds. */
  error: z.string().optional(),
  /** The HTTP status of a failed model call. The status decides if the fallback model gives the next reply. */
  status: z.int().min(400).max(599).optional(),
  stop: z.enum(["end", "tool_calls", "length", "content_filter", "refusal"]).optional(),
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  cost_usd: z.number().min(0).optional(),
}).refine(
  ({ error, status }) => status === undefined || error !== undefined,
  "must have an error beside its status",
);

const toolReply = z.object({
  when: anyMap.optional(),
  result: z.string().optional(),
  error: z.string().optional(),
}).refine(
  ({ result, error }) => (result === undefined) !== (error === undefined),
  "must have either result or error",
);

const toolReplies = z.union([
  z.string().transform((result): z.output<typeof toolReply>[] => [{ result }]),
  z.array(toolReply),
]);

const toolCall = z.object({ tool: z.string(), args: anyMap.optional() });

const calledTool = z.union([
  z.string().transform((tool): z.output<typeof toolCall> => ({ tool })),
  toolCall,
]);

const fileCheck = z.object({
  exists: z.boolean().default(true),
  equals: z.string().optional(),
  contains: texts.optional(),
  matches: pattern.optional(),
});

/** The maximum number of votes, which protects against typing errors. */
const MAX_VOTES = 15;
const isOdd = (count: number) => count % 2 === 1;

const judge = z.object({
  question: filledText,
  model: filledText.optional(),
  votes: z.int().min(1).max(MAX_VOTES).refine(isOdd, "must be odd").default(3),
  /** The file that is judged instead of the answer. */
  file: z.string().optional(),
  /** The recorded votes, which are used if no model is called. */
  answers: z.array(z.enum(["yes", "no"]))
    .refine((list) => isOdd(list.length), "must be an odd number of answers").optional(),
});

const input = z.object({
  args: field(z.array(z.string()), [], "Arguments: `$0`, `$1` in the agent's text")
    .meta({ values: "list of text" }),
  message: optional(z.string()).meta({ description: "The message, as in `inkling run --message`" }),
  context: optional(z.string()).meta({ description: "The context, as in `inkling run --context`" }),
  trigger: field(
    z.enum(["manual", "schedule", "watch", "mail", "change"]),
    "manual",
    "The trigger of the run",
  ),
  file: optional(z.string()).meta({
    description:
      "watch: the changed file; mail: the file with the source of the mail; change: the file with the new content",
  }),
  before: optional(z.string()).meta({ description: "change: the file with the old content" }),
  recorded: optional(z.object({
    summary: z.string().meta({ description: "The sentence about the event" }),
    values: z.record(z.string(), z.string()).meta({
      values: "map of text",
      description: "The values of `trigger.input`, such as `{subject}`",
    }),
    shown: z.array(z.string()).meta({
      values: "list of text",
      description: "The names of the values in a message without `trigger.input`",
    }),
  })).meta({
    values: "map",
    description: "mail, change: the event of a recorded run, instead of files",
  }),
  event: field(z.enum(FILE_EVENTS), "modified", "The change of `input.file`"),
});

const output = z.object({
  equals: optional(z.string()).meta({ description: "The complete answer" }),
  contains: optional(texts).meta({
    values: "text or list of text",
    description: "A text that the answer contains; with a list: all texts",
  }),
  matches: optional(pattern).meta({
    description: "A regular expression (JavaScript) that matches the answer",
  }),
  json: optional(anyMap).meta({
    values: "map",
    description:
      'The answer is JSON, and has these values at these JSON pointers: `"/items/0/id": 7`',
  }),
  schema: optional(z.union([
    z.string().transform((file) => ({ file })),
    z.record(z.string(), z.json()).transform((schema) => ({ schema })),
  ])).meta({
    values: "map or path",
    description:
      "The answer is JSON that fits this JSON Schema, or the schema in this file (relative to the case)",
  }),
});

const expectations = z.object({
  status: field(z.enum(ENDS), "success", "The status with which the run ends"),
  error: optional(z.string()).meta({ description: "A text that the run's error contains" }),
  output: optional(output),
  files: field(z.record(z.string(), fileCheck), {}, "Files after the run, by path; see below")
    .meta({ values: "map", default: undefined }),
  tools_called: field(
    z.array(calledTool),
    [],
    "Tools that were called: names, or `{tool, args}` with some of the arguments of the call",
  ).meta({ values: "list" }),
  tools_not_called: field(
    z.array(calledTool),
    [],
    "Tools that were not called, in the same form as `tools_called`",
  )
    .meta({ values: "list" }),
  judge: field(
    z.preprocess((value) => isJsonObject(value) ? [value] : value, z.array(judge)),
    [],
    "Questions to which a model must answer yes; see below",
  ).meta({ values: "map or list" }),
  max_cost_usd: optional(z.number().min(0)).meta({
    values: "number",
    description: "The maximum cost of the run",
  }),
  max_steps: optional(z.int().min(1)).meta({
    values: "integer",
    description: "The maximum number of replies",
  }),
});

/** The schema of a case file. */
export const caseSchema = z.object({
  version: z.literal(CASE_VERSION).meta({
    values: "`1`",
    default: "required",
    description: "The version of the case format",
  }),
  description: optional(z.string()).meta({ description: "A description of the test, for people" }),
  now: field(
    z.string().refine((text) => !Number.isNaN(Date.parse(text)), "must be a time (ISO 8601)"),
    DEFAULT_NOW,
    "The time of the run",
  ),
  time_zone: field(
    z.string().refine(isTimeZone, "must be a time zone such as Europe/Berlin"),
    "UTC",
    "The time zone in which the prompt states the time",
  ),
  input: section(input.shape),
  files: field(
    z.record(z.string(), z.string()),
    {},
    "Files before the run: path (relative to the workspace, `~/...` or absolute) and content",
  ).meta({ values: "map of text", default: undefined }),
  tools: field(
    z.record(z.string(), toolReplies),
    {},
    "Scripted results of tools, by the name of the tool; see below",
  ).meta({ values: "map", default: undefined }),
  replies: field(z.array(reply), [], "The replies of the model in their order; see below")
    .meta({ values: "list" }),
  expect: section(expectations.shape),
});

/** A parsed case. */
export type TestCase = z.output<typeof caseSchema>;
export type ScriptedCall = TestCase["replies"][number]["calls"][number];
export type ScriptedReply = TestCase["replies"][number];
export type Expectations = TestCase["expect"];
export type Judge = Expectations["judge"][number];

/** Returns the paths of the files that the case's expectations name. */
export function expectedFilesOf({ expect: { files, judge } }: TestCase): string[] {
  return [...new Set([...Object.keys(files), ...judge.flatMap(({ file = [] }) => file)])];
}
