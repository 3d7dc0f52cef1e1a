// Defines the schema of an agent file's front matter: every field with its type, range and documentation.
import { z } from "zod";
import {
  AGENT_POLICY,
  DOLLAR_BUDGET,
  OWN_POLICY,
  RETRY,
  RUN_SETTINGS,
  TOKEN_BUDGET,
} from "../config/agent_settings.ts";
import {
  field,
  filledText,
  oneOrMore,
  pathText,
  section,
  textList,
  withoutDefaults,
} from "../config/fields.ts";
import { modelOrText } from "../config/providers.ts";
import { NOTIFY_CHOICE } from "../config/notify_schema.ts";
import { FOLLOWED_ENDS } from "../vocabulary/trigger_kinds.ts";
import { isJsonObject } from "../../base/json.ts";
import { describeBadName } from "./agent_id.ts";
import { shellSchema } from "./approval/shell_settings.ts";
import { mailUseSchema } from "./approval/mail_use.ts";
import { triggerSchema } from "./triggers/trigger_forms.ts";

/** The schema of an agent's display name. */
const label = z.string().superRefine((text, context) => {
  const reason = describeBadName(text);
  if (reason !== undefined) context.addIssue({ code: "custom", message: reason });
});

/** The schema of a name that becomes part of a path. */
const fileName = filledText.refine(
  (name) => !/[/\\\p{Cc}]/u.test(name) && !name.startsWith("."),
  "must be a plain name, without slashes or a leading dot",
);

const filledList = <Item extends z.ZodType>(item: Item) =>
  z.array(item).refine(
    (list) => list.length > 0,
    "must name at least one (or leave the key out)",
  );

const followedEntry = z.union([
  filledText,
  z.object({
    agent: filledText,
    on: field(z.enum(FOLLOWED_ENDS), "success", "The outcomes that start this agent"),
  }),
], { error: "must be an agent's id, or a map with agent and on" });

const pathEntry = z.union([
  filledText,
  z.object({ path: filledText, description: z.string().nullish() }),
], { error: "must be a path, or a map with path and description" });

const pathsSchema = z.union([
  filledText,
  // An empty list is refused, because it looks like "no paths", but without paths an agent may use the whole workspace.
  z.array(pathEntry).min(1),
  z.record(z.string(), pathEntry)
    .refine((paths) => Object.keys(paths).length > 0, "must not be empty"),
], { error: "must be a path, a list of paths, or a map of aliases to paths" });

const outputSchema = z.union([pathText, z.record(z.string(), z.json())], {
  error: "must be a JSON Schema, or the path of a file that holds one",
});

const autoApproveSchema = z.union([z.literal("*"), z.literal("all"), textList], {
  error: 'must be a list of tool names, or "*" for every tool',
});

/** The schema of the front matter before defaults are applied. */
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
    description: "Shown in listings and to agents that may call this agent",
  }),
  icon: filledText.nullish().meta({ description: "An emoji", default: "derived from the id" }),
  model: modelOrText.meta({
    values: "text or map",
    description: "`provider/name`, a name alone with `defaults.provider`, or the fields below",
  }),
  trigger: triggerSchema,
  after: z.preprocess(
    (value) => value == null || Array.isArray(value) ? value : [value],
    z.array(followedEntry).nullish(),
  ).meta({
    values: "text, map or list",
    description:
      "Agents whose end starts this agent: ids, or `{ agent, on }` with `on: success` (the default), `failure` or `any`",
  }),
  settings: section(withoutDefaults(RUN_SETTINGS)),
  retry: z.preprocess(
    (value) => value == null || isJsonObject(value) ? value : { times: value },
    z.object(RETRY).nullish(),
  ),
  custom_tools: filledList(fileName).nullish().meta({
    description:
      "Custom tools: modules in `agents/_config/tools`; `-name` leaves out a built-in tool",
  }),
  tools: filledList(fileName).nullish().meta({
    description: "Alias of custom_tools",
  }),
  mcp: filledList(filledText).nullish().meta({
    description: "MCP servers defined in `agents/_config/mcp-servers.json`; `server/get_*`: only " +
      "the tools that match",
  }),
  skills: oneOrMore(fileName).nullish().meta({
    values: "text or list",
    description: "Skills in `agents/_config/skills`",
  }),
  agents: oneOrMore(filledText).nullish().meta({
    values: "text or list",
    description: "Ids of agents that this agent may call with run_agent",
  }),
  shell: shellSchema,
  mail: mailUseSchema,
  paths: pathsSchema.nullish().meta({
    description:
      "The paths of the agent's tools: one, a list, or a map of aliases; `project: editor`: the editor's folder",
    default: "the workspace",
  }),
  confirm: textList.nullish().meta({
    description: "Additional tools that require your approval; `*` for all tools",
  }),
  auto_approve: autoApproveSchema.nullish().meta({
    description:
      "Tools that require no approval; `server/get_*` for tools of a server; `*` for all tools",
  }),
  ...OWN_POLICY,
  ...withoutDefaults(AGENT_POLICY),
  notify: section(NOTIFY_CHOICE),
  budget: section({
    ...withoutDefaults(DOLLAR_BUDGET),
    tokens: section(withoutDefaults(TOKEN_BUDGET)),
  }),
  output: section({
    schema: outputSchema.nullish().meta({
      values: "text or map",
      description:
        "A JSON Schema that the answer must fit: in place, or the path of a `.json` file in the workspace",
    }),
  }),
  enabled: field(
    z.boolean(),
    true,
    "`false`: the agent's trigger does not fire, and no agent may call it",
  ),
  expose: field(
    z.boolean(),
    false,
    "`true`: programs that speak MCP or OpenAI's protocol see the agent, and may run it",
  ),
});

/** Parsed front matter that matches the schema. */
export type Definition = z.output<typeof definitionSchema>;
