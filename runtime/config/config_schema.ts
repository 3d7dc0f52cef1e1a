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

/** Tools that pause for confirmation unless config.yaml says otherwise. */
export const DEFAULT_CONFIRM_TOOLS: readonly string[] = ["file_delete", "file_write"];

/** Days to keep something; null (written 0, none or nothing) keeps for ever. */
const retentionDays = z.preprocess(
  (value) => value === 0 || value === "none" ? null : value,
  z.int().min(0).max(36_500).nullable(),
);

const defaultsSchema = z.object({
  provider: filledText.nullish(),
  model: filledText.nullish(),
  base_url: baseUrl.nullish(),
  confirm_tools: textList.nullish(),
  on_pending: z.enum(["skip", "parallel"]).nullish(),
  confirm_timeout: durationOrNone.nullish(),
  on_restart: z.enum(["orphan", "resume"]).nullish(),
  temperature: temperature.nullish(),
  max_tokens: maxTokens.nullish(),
  timeout: timeout.nullish(),
  max_tool_calls: countLimit.optional(),
  max_execution_tokens: countLimit.optional(),
  max_cost_usd: costLimit.optional(),
  loop_detection: z.boolean().nullish(),
  history: z.enum(["low", "medium", "high", "off"]).nullish(),
  checkpoint_retention_days: retentionDays.optional(),
  log_retention_days: retentionDays.optional(),
  max_agent_depth: z.int().min(0).max(100).nullish(),
  max_concurrent_runs: z.int().min(1).max(10_000).nullish(),
  pin_keys: z.boolean().nullish(),
});

const httpSchema = z.object({
  allow: textList.nullish(),
  deny: textList.nullish(),
  hosts: textList.nullish(),
  origins: textList.nullish(),
});

/** config.yaml as it is written. */
export const configSchema = z.object({
  workspace: filledText.nullish(),
  agents_dir: filledText.nullish(),
  defaults: defaultsSchema.nullish(),
  http: httpSchema.nullish(),
});
