// The front matter of an agent file: one schema with every field, its type, its range and its documentation.
import { z } from "zod";
import { AGENT_POLICY, RUN_SETTINGS } from "../config/agent_settings.ts";
import {
  baseUrl,
  field,
  filledText,
  interval,
  section,
  textList,
  withoutDefaults,
} from "../config/fields.ts";
import { parseDuration } from "../../base/durations.ts";
import { TRIGGER_TYPES } from "../trigger_kinds.ts";
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
}).meta({ values: "number or duration" });

/** The value is kept out of the message: a user who misreads the field puts the key itself here. */
const variableName = z.string().superRefine((text, context) => {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !/^sk[-_]/.test(text)) return;
  const message = "must be the name of an environment variable, not a key";
  context.addIssue({ code: "custom", message, params: { hideValue: true } });
});

/** Which model, as written. */
export const modelSchema = z.object({
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
  stream_usage: field(
    z.boolean(),
    true,
    "Request token counts while streaming; `false` only for endpoints that reject it",
  ),
});

const triggerSchema = section({
  type: field(z.enum(TRIGGER_TYPES), "manual", "What starts a run by itself"),
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
  filters: section({
    include: field(textList, [], "watch: only names or paths that match one of these"),
    exclude: field(textList, [], "watch: no names or paths that match one of these"),
  }),
  debounce: field(
    debounce,
    0.5,
    "watch: how long a path must be quiet, in seconds or as a duration",
  ),
  max_runs: field(
    z.int().min(1).max(100_000),
    200,
    "watch: how many runs may begin within ten minutes; one more stops the trigger",
  ),
  catch_up: field(
    z.enum(CATCH_UP),
    "none",
    "`once`: make up for what was due or changed while the service was not running",
  ),
  input: z.string().nullish().meta({
    description: "The user message, with `{context}`, `{event}`, `{path}`, `{file}`, `{schedule}`",
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
  trigger: triggerSchema,
  settings: section(withoutDefaults(RUN_SETTINGS)),
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
  confirm: textList.nullish().meta({
    description: "Additional tools that require your approval; `*` for all of them",
  }),
  auto_approve: autoApproveSchema.nullish().meta({
    description:
      "Tools that require no approval, `server/get_*` for those of a server; `*` for all",
  }),
  ...withoutDefaults(AGENT_POLICY),
  enabled: field(z.boolean(), true, "`false`: its trigger does not fire, and no agent may call it"),
});

/** Front matter that matches the schema. */
export type Definition = z.output<typeof definitionSchema>;
