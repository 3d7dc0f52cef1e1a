// The keys of config.yaml: types, ranges, and the values of what is left out.
import { z } from "zod";
import {
  baseUrl,
  costLimit,
  countLimit,
  durationOrNone,
  filledText,
  maxTokens,
  temperature,
  textList,
  timeout,
} from "./fields.ts";
import { hostNames, origins } from "./listener_fields.ts";
import { allowedHosts, deniedHosts } from "./request_hosts.ts";

/** Tools that pause for confirmation unless config.yaml says otherwise. */
export const DEFAULT_CONFIRM_TOOLS: readonly string[] = ["file_delete", "file_write"];

/** Days to keep something; null (written 0, none or nothing) keeps for ever. */
const retentionDays = z.preprocess(
  (value) => value === 0 || value === "none" ? null : value,
  z.int().min(0).max(36_500).nullable(),
);

const defaultsSchema = z.object({
  provider: filledText.nullish().meta({ description: "Provider of agents that name no model" }),
  model: filledText.nullish().meta({ description: "Model of agents that name none" }),
  base_url: baseUrl.nullish().meta({
    description: "Address of that provider, where it is none that Inkling knows",
  }),
  confirm_tools: textList.nullish().meta({
    description: "Tools that wait for your approval; `*` for all of them",
    default: "`[file_delete, file_write]`",
  }),
  on_pending: z.enum(["skip", "parallel"]).nullish().meta({
    description: "See the agent file",
    default: "skip",
  }),
  confirm_timeout: durationOrNone.nullish().meta({
    values: "duration or `none`",
    description: "See the agent file",
    default: "none",
  }),
  on_restart: z.enum(["orphan", "resume"]).nullish().meta({
    description: "See the agent file",
    default: "orphan",
  }),
  temperature: temperature.nullish().meta({ description: "See the agent file", default: "0.7" }),
  max_tokens: maxTokens.nullish().meta({ description: "See the agent file", default: "4096" }),
  timeout: timeout.nullish().meta({ description: "See the agent file", default: "300" }),
  max_tool_calls: countLimit.optional().meta({ description: "See the agent file", default: "50" }),
  max_execution_tokens: countLimit.optional().meta({
    description: "See the agent file",
    default: "500000",
  }),
  max_cost_usd: costLimit.optional().meta({ description: "See the agent file", default: "none" }),
  loop_detection: z.boolean().nullish().meta({
    description: "See the agent file",
    default: "true",
  }),
  history: z.enum(["low", "medium", "high", "off"]).nullish().meta({
    description: "See the agent file",
    default: "low",
  }),
  checkpoint_retention_days: retentionDays.optional().meta({
    description: "Days that conversations are kept; 0 or none for ever",
    default: "30",
  }),
  log_retention_days: retentionDays.optional().meta({
    description: "Days that executions and their logs are kept",
    default: "none",
  }),
  max_agent_depth: z.int().min(0).max(100).nullish().meta({
    description: "How many executions may stand above one",
    default: "3",
  }),
  max_concurrent_runs: z.int().min(1).max(10_000).nullish().meta({
    description: "Model calls at a time; more wait",
    default: "16",
  }),
  pin_keys: z.boolean().nullish().meta({
    description: "Refuse to send a named provider's key to another host",
    default: "false",
  }),
});

const httpSchema = z.object({
  allow: allowedHosts.nullish().meta({
    description:
      "Hosts that http_request may reach although they are private or denied; `*.name` for all below",
  }),
  deny: deniedHosts.nullish().meta({
    description:
      "Hosts that it may not reach, nor any below; `private` for loopback and private networks",
  }),
  hosts: hostNames.nullish().meta({
    description: "Names in the `Host` header that the service answers to over TCP, at any port",
  }),
  origins: origins.nullish().meta({
    description: "Origins of a proxy in front, or of apps: `scheme://host[:port]`",
  }),
});

/** config.yaml as it is written. */
export const configSchema = z.object({
  workspace: filledText.nullish().meta({
    description: "The folder with your agents",
    default: "`~/inkling`",
  }),
  agents_dir: filledText.nullish().meta({
    description: "The agents folder, relative to the workspace",
    default: "agents",
  }),
  defaults: defaultsSchema.nullish(),
  http: httpSchema.nullish(),
});
