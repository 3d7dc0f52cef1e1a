// The front matter of an agent file: one schema with every field, its type, its range and its documentation.
import { z } from "zod";
import {
  baseUrl,
  costLimit,
  countLimit,
  durationOrNone,
  filledText,
  interval,
  maxTokens,
  temperature,
  textList,
  timeout,
} from "../config/fields.ts";
import { BUILT_IN } from "../config/built_in.ts";
import { parseDuration } from "../../base/durations.ts";
import { TRIGGER_TYPES } from "../trigger_kinds.ts";
import { describeBadName } from "./agent_id.ts";

/** The levels of `history`, as an agent file names them. */
export const HISTORY_LEVELS = ["low", "medium", "high", "off"] as const;
/** How much of earlier conversations a run is sent; executions/history.ts has the numbers. */
export type HistoryLevel = typeof HISTORY_LEVELS[number];

/** The values of `on_pending`, as an agent file names them. */
export const ON_PENDING = ["skip", "parallel"] as const;
/** What becomes of a new run while another one of its conversation waits for a person: refused, or run beside it. */
export type OnPending = typeof ON_PENDING[number];

/** The values of `on_restart`, as an agent file names them. */
export const ON_RESTART = ["orphan", "resume"] as const;
/** What becomes of a run that a stop of the service interrupts: ended as orphaned, or resumed after the next start. */
export type OnRestart = typeof ON_RESTART[number];

/** What holds where an agent's file says nothing, and config.yaml has no say. */
export const AGENT_BUILT_IN = {
  stream_usage: true,
  trigger_type: "manual",
  /** Seconds. */
  debounce: 0.5,
  max_runs: 200,
  catch_up: "none",
  enabled: true,
} as const;

const CATCH_UP = ["once", "none"] as const;
const LONGEST_DEBOUNCE_MS = 86_400_000;

/** An agent's display label. */
const label = z.string().superRefine((text, context) => {
  const reason = describeBadName(text);
  if (reason !== undefined) context.addIssue({ code: "custom", message: reason });
});

/** A name that becomes part of a path. */
const fileName = filledText.refine(
  (name) => !/[/\\\p{Cc}]/u.test(name) && !name.startsWith("."),
  "must be a plain name, without slashes or a leading dot",
);

const filledList = <Item extends z.ZodType>(item: Item) =>
  z.array(item).refine(
    (list) => list.length > 0,
    "must name at least one (or leave the key out)",
  );

const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => typeof value === "string" ? [value] : value, z.array(item));

/** Milliseconds of a number of seconds or a duration text. */
const debounce = z.unknown().transform((value, context) => {
  const ms = typeof value === "number"
    ? value * 1_000
    : typeof value === "string"
    ? parseDuration(value)
    : undefined;
  if (ms !== undefined && ms >= 0 && ms <= LONGEST_DEBOUNCE_MS) return Math.round(ms);
  const message = "must be a number of seconds or a duration such as 2s or 500ms, up to a day";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const maxRuns = z.int().min(1).max(100_000);

/** The value is kept out of the message: a user who misreads the field puts the key itself here. */
const variableName = z.string().superRefine((text, context) => {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !/^sk[-_]/.test(text)) return;
  const message = "must be the name of an environment variable, not a key";
  context.addIssue({ code: "custom", message, params: { hideValue: true } });
});

const modelSchema = z.object({
  provider: filledText.meta({
    description: "openai, anthropic, google, ollama, local, demo, or any other name with base_url",
    default: "required",
  }),
  name: filledText.meta({
    description: "The provider's own name for the model",
    default: "required",
  }),
  base_url: baseUrl.nullish().meta({
    description:
      "A different address for the provider; `/v1` is appended for OpenAI-compatible ones",
  }),
  url: baseUrl.nullish().meta({ description: "Alias of base_url" }),
  api_key_env: variableName.nullish().meta({
    description: "The environment variable that holds the key",
    default: "`<PROVIDER>_API_KEY`",
  }),
  stream_usage: z.boolean().nullish().meta({
    description: "Request token counts while streaming; `false` only for endpoints that reject it",
    default: AGENT_BUILT_IN.stream_usage,
  }),
});

const triggerSchema = z.object({
  type: z.enum(TRIGGER_TYPES).nullish().meta({
    description: "What starts a run by itself",
    default: AGENT_BUILT_IN.trigger_type,
  }),
  every: interval.nullish().meta({
    values: "duration",
    description: "schedule: the interval; either this or cron",
  }),
  cron: filledText.nullish().meta({
    description:
      "schedule: minute, hour, day of month, month, day of week; or `@daily` and the like",
  }),
  timezone: filledText.nullish().meta({
    description: "schedule: IANA name of the time zone for cron",
    default: "the machine's",
  }),
  paths: oneOrMore(filledText).nullish().meta({
    description: "watch: folders (with everything in them), files and patterns; one, or a list",
  }),
  filters: z.object({
    include: textList.nullish().meta({
      description: "watch: only names or paths that match one of these",
    }),
    exclude: textList.nullish().meta({
      description: "watch: no names or paths that match one of these",
    }),
  }).nullish(),
  debounce: debounce.nullish().meta({
    values: "number or duration",
    description: "watch: how long a path must be quiet, in seconds or as a duration",
    default: AGENT_BUILT_IN.debounce,
  }),
  max_runs: maxRuns.nullish().meta({
    description: "watch: how many runs may begin within ten minutes; one more stops the trigger",
    default: AGENT_BUILT_IN.max_runs,
  }),
  catch_up: z.enum(CATCH_UP).nullish().meta({
    description: "`once`: make up for what was due or changed while the service was not running",
    default: AGENT_BUILT_IN.catch_up,
  }),
  input: z.string().nullish().meta({
    description: "The user message, with `{context}`, `{event}`, `{path}`, `{file}`, `{schedule}`",
  }),
});

const settingsSchema = z.object({
  temperature: temperature.nullish().meta({
    description: "The model's sampling temperature",
    default: BUILT_IN.temperature,
  }),
  max_tokens: maxTokens.nullish().meta({
    description: "Maximum tokens per reply",
    default: BUILT_IN.max_tokens,
  }),
  timeout: timeout.nullish().meta({
    description: "Seconds to wait for one model reply, retries included",
    default: BUILT_IN.timeout,
  }),
  max_tool_calls: countLimit.optional().meta({
    description: "Maximum tool calls per run; `none` for no limit",
    default: BUILT_IN.max_tool_calls,
  }),
  max_execution_tokens: countLimit.optional().meta({
    description: "Maximum tokens per run; `none` for no limit",
    default: BUILT_IN.max_execution_tokens,
  }),
  max_cost_usd: costLimit.optional().meta({
    description: "Maximum cost per run in US dollars; requires a known price",
    default: BUILT_IN.max_cost_usd,
  }),
  loop_detection: z.boolean().nullish().meta({
    description: "End a run that repeats itself",
    default: BUILT_IN.loop_detection,
  }),
});

const pathEntry = z.union([
  filledText,
  z.object({ path: filledText, description: z.string().nullish() }),
], { error: "must be a path, or a map with path and description" });

const pathsSchema = z.union([
  filledText,
  // Whoever writes an empty one may mean "nothing"; left out it means the workspace.
  z.array(pathEntry).min(1),
  z.record(z.string(), pathEntry)
    .refine((paths) => Object.keys(paths).length > 0, "must not be empty"),
], { error: "must be a path, a list of paths, or a map of aliases to paths" });

const autoApproveSchema = z.union([z.literal("*"), z.literal("all"), textList], {
  error: 'must be a list of tool names, or "*" for every tool',
});

/** An agent file's front matter as written. */
export const definitionSchema = z.object({
  id: z.unknown().superRefine((_value, context) => {
    const message = "cannot be declared: the file's name is the agent's id (name sets the label)";
    context.addIssue({ code: "custom", message, params: { hideValue: true } });
  }).optional(),
  name: label.nullish().meta({
    description: "A display name; never used as a key",
    default: "the id",
  }),
  description: z.string().nullish().meta({
    description: "Shown in listings and to agents that may call this one",
  }),
  icon: filledText.nullish().meta({ description: "An emoji", default: "derived from the id" }),
  model: modelSchema.nullish(),
  trigger: triggerSchema.nullish(),
  settings: settingsSchema.nullish(),
  custom_tools: filledList(fileName).nullish().meta({
    description: "Custom tools: modules in `agents/_config/tools`",
  }),
  tools: filledList(fileName).nullish().meta({
    description: "Alias of custom_tools; does not restrict the built-in tools",
  }),
  mcp: filledList(filledText).nullish().meta({
    description: "MCP servers defined in `agents/_config/mcp-servers.json`",
  }),
  skills: oneOrMore(fileName).nullish().meta({ description: "Skills in `agents/_config/skills`" }),
  agents: oneOrMore(filledText).nullish().meta({
    description: "Ids of agents that this one may call with run_agent",
  }),
  paths: pathsSchema.nullish().meta({
    description: "What the agent's tools may reach: one path, a list, or a map of aliases to paths",
    default: "the workspace",
  }),
  history: z.enum(HISTORY_LEVELS).nullish().meta({
    description: "How many earlier messages are sent to the model: 10, 50, 200 or none",
    default: BUILT_IN.history,
  }),
  confirm: textList.nullish().meta({
    description: "Additional tools that require your approval; `*` for all of them",
  }),
  auto_approve: autoApproveSchema.nullish().meta({
    description: "Tools that require no approval; `*` for all of them",
  }),
  on_pending: z.enum(ON_PENDING).nullish().meta({
    description: "What happens to a new run while the conversation waits for an answer",
    default: BUILT_IN.on_pending,
  }),
  confirm_timeout: durationOrNone.nullish().meta({
    values: "duration or `none`",
    description: "Time after which an unanswered question counts as denied",
    default: BUILT_IN.confirm_timeout,
  }),
  on_restart: z.enum(ON_RESTART).nullish().meta({
    description:
      "What happens to a run that a crash interrupts; `resume` also continues one that a stop interrupts",
    default: BUILT_IN.on_restart,
  }),
  enabled: z.boolean().nullish().meta({
    description: "`false`: its trigger does not fire, and no agent may call it",
    default: AGENT_BUILT_IN.enabled,
  }),
});

/** Front matter that matches the schema. */
export type Definition = z.output<typeof definitionSchema>;
