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
import { BUILT_IN } from "./built_in.ts";
import { hostNames, origins } from "./listener_fields.ts";
import { allowedHosts, deniedHosts } from "./request_hosts.ts";

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
    default: BUILT_IN.confirm_tools,
  }),
  on_pending: z.enum(["skip", "parallel"]).nullish().meta({
    description: "See the agent file",
    default: BUILT_IN.on_pending,
  }),
  confirm_timeout: durationOrNone.nullish().meta({
    values: "duration or `none`",
    description: "See the agent file",
    default: BUILT_IN.confirm_timeout,
  }),
  on_restart: z.enum(["orphan", "resume"]).nullish().meta({
    description: "See the agent file",
    default: BUILT_IN.on_restart,
  }),
  temperature: temperature.nullish().meta({
    description: "See the agent file",
    default: BUILT_IN.temperature,
  }),
  max_tokens: maxTokens.nullish().meta({
    description: "See the agent file",
    default: BUILT_IN.max_tokens,
  }),
  timeout: timeout.nullish().meta({ description: "See the agent file", default: BUILT_IN.timeout }),
  max_tool_calls: countLimit.optional().meta({
    description: "See the agent file",
    default: BUILT_IN.max_tool_calls,
  }),
  max_execution_tokens: countLimit.optional().meta({
    description: "See the agent file",
    default: BUILT_IN.max_execution_tokens,
  }),
  max_cost_usd: costLimit.optional().meta({
    description: "See the agent file",
    default: BUILT_IN.max_cost_usd,
  }),
  loop_detection: z.boolean().nullish().meta({
    description: "See the agent file",
    default: BUILT_IN.loop_detection,
  }),
  history: z.enum(["low", "medium", "high", "off"]).nullish().meta({
    description: "See the agent file",
    default: BUILT_IN.history,
  }),
  checkpoint_retention_days: retentionDays.optional().meta({
    description:
      "Days to keep conversations (the newest of each agent always stays); 0 or none: for ever",
    default: BUILT_IN.checkpoint_retention_days,
  }),
  log_retention_days: retentionDays.optional().meta({
    description: "Days to keep executions and their logs; 0 or none: for ever",
    default: BUILT_IN.log_retention_days,
  }),
  max_agent_depth: z.int().min(0).max(100).nullish().meta({
    description: "Maximum depth of delegation: how many executions may be above one",
    default: BUILT_IN.max_agent_depth,
  }),
  max_concurrent_runs: z.int().min(1).max(10_000).nullish().meta({
    description: "Concurrent model calls; further ones wait",
    default: BUILT_IN.max_concurrent_runs,
  }),
  pin_keys: z.boolean().nullish().meta({
    description: "Refuse to send a known provider's key to another host",
    default: BUILT_IN.pin_keys,
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
    default: BUILT_IN.agents_dir,
  }),
  defaults: defaultsSchema.nullish(),
  http: httpSchema.nullish(),
});
