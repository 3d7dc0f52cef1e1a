// The keys of config.yaml: types, ranges and defaults.
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

/** Days to keep something; null (written 0, none or left empty) keeps it for ever. */
const retentionDays = z.preprocess(
  (value) => value === 0 || value === "none" ? null : value,
  z.int().min(0).max(36_500).nullable(),
);

const defaultsSchema = z.object({
  provider: filledText.nullish().meta({ description: "Provider for agents that name no model" }),
  model: filledText.nullish().meta({ description: "Model for agents that name none" }),
  base_url: baseUrl.nullish().meta({
    description: "Address of that provider, also for agents that name it and no `base_url`",
  }),
  confirm_tools: textList.nullish().meta({
    description: "Tools that require your approval; `*` for all of them",
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
    description:
      "Days to keep conversations (the newest of each agent always stays); 0 or none: for ever",
    default: "30",
  }),
  log_retention_days: retentionDays.optional().meta({
    description: "Days to keep executions and their logs; 0 or none: for ever",
    default: "none",
  }),
  max_agent_depth: z.int().min(0).max(100).nullish().meta({
    description: "Maximum depth of delegation: how many executions may be above one",
    default: "3",
  }),
  max_concurrent_runs: z.int().min(1).max(10_000).nullish().meta({
    description: "Concurrent model calls; further ones wait",
    default: "16",
  }),
  pin_keys: z.boolean().nullish().meta({
    description: "Refuse to send a known provider's key to another host",
    default: "false",
  }),
});

const httpSchema = z.object({
  allow: allowedHosts.nullish().meta({
    description:
      "Hosts that http_request may reach even if private or denied; `*.name` for all subdomains",
  }),
  deny: deniedHosts.nullish().meta({
    description:
      "Hosts that it may not reach, subdomains included; `private` for loopback and private networks",
  }),
  hosts: hostNames.nullish().meta({
    description: "Names that the service accepts in the `Host` header over TCP, with any port",
  }),
  origins: origins.nullish().meta({
    description: "Accepted origins of a reverse proxy or of apps: `scheme://host[:port]`",
  }),
});

/** config.yaml as written. */
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
