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
import { parseDuration } from "../durations.ts";
import { HISTORY_LEVELS, ON_PENDING, ON_RESTART, TRIGGER_TYPES } from "./agent.ts";
import { describeBadName } from "./agent_id.ts";

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

/** Not repeated in the sentence: who mistakes the field writes the key itself here. */
const variableName = z.string().superRefine((text, context) => {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !/^sk[-_]/.test(text)) return;
  const message = "must be the name of an environment variable, not a key";
  context.addIssue({ code: "custom", message, params: { hideValue: true } });
});

const modelSchema = z.object({
  provider: filledText,
  name: filledText,
  base_url: baseUrl.nullish(),
  url: baseUrl.nullish(),
  api_key_env: variableName.nullish(),
  stream_usage: z.boolean().nullish(),
});

const triggerSchema = z.object({
  type: z.enum(TRIGGER_TYPES).nullish(),
  every: interval.nullish(),
  cron: filledText.nullish(),
  timezone: filledText.nullish(),
  paths: textList.nullish(),
  filters: z.object({ include: textList.nullish(), exclude: textList.nullish() }).nullish(),
  debounce: debounce.nullish(),
  catch_up: z.enum(CATCH_UP).nullish(),
  input: z.string().nullish(),
});

const settingsSchema = z.object({
  temperature: temperature.nullish(),
  max_tokens: maxTokens.nullish(),
  timeout: timeout.nullish(),
  max_tool_calls: countLimit.optional(),
  max_execution_tokens: countLimit.optional(),
  max_cost_usd: costLimit.optional(),
  loop_detection: z.boolean().nullish(),
});

const pathEntry = z.union([
  filledText,
  z.object({ path: filledText, description: z.string().nullish() }),
], { error: "must be a path, or a map with path and description" });

const pathsSchema = z.union([
  filledText,
  z.array(pathEntry),
  z.record(z.string(), pathEntry),
], { error: "must be a path, a list of paths, or a map of aliases to paths" });

const autoApproveSchema = z.union([z.literal("*"), z.literal("all"), textList], {
  error: 'must be a list of tool names, or "*" for every tool',
});

/** An agent file's front matter as it is written. */
export const definitionSchema = z.object({
  id: z.unknown().superRefine((_value, context) => {
    const message = "cannot be declared: the file's name is the agent's id (name sets the label)";
    context.addIssue({ code: "custom", message, params: { hideValue: true } });
  }).optional(),
  name: label.nullish(),
  description: z.string().nullish(),
  icon: filledText.nullish(),
  model: modelSchema.nullish(),
  trigger: triggerSchema.nullish(),
  settings: settingsSchema.nullish(),
  custom_tools: filledList(fileName).nullish(),
  tools: filledList(fileName).nullish(),
  mcp: filledList(filledText).nullish(),
  skills: oneOrMore(fileName).nullish(),
  agents: oneOrMore(filledText).nullish(),
  paths: pathsSchema.nullish(),
  history: z.enum(HISTORY_LEVELS).nullish(),
  confirm: textList.nullish(),
  auto_approve: autoApproveSchema.nullish(),
  on_pending: z.enum(ON_PENDING).nullish(),
  confirm_timeout: durationOrNone.nullish(),
  on_restart: z.enum(ON_RESTART).nullish(),
  enabled: z.boolean().nullish(),
});

/** Front matter that fits the schema. */
export type Definition = z.output<typeof definitionSchema>;
