// The fields of a new agent as its flags give them.
import type { InfoReport } from "../app.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import type { NewAgentFields } from "./agent_author.ts";
import type { NewOptions } from "./new_options.ts";

/** The fields that flags give, all but the prompt. Throws CommandFailure for a model that is only half named. */
export function fieldsOf(
  options: NewOptions,
  info: Pick<InfoReport, "defaultModel">,
): Omit<NewAgentFields, "prompt"> {
  const { description, every, cron, watch, path } = options;
  const model = modelOf(options, info);
  const trigger = every !== undefined
    ? { type: "schedule" as const, every }
    : cron !== undefined
    ? { type: "schedule" as const, cron }
    : watch !== undefined
    ? { type: "watch" as const, paths: watch }
    : undefined;
  return {
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(trigger !== undefined && { trigger }),
    ...(path !== undefined && { paths: path }),
  };
}

/** Whether flags say more than what the agent is for: then a model would have nothing left to decide. */
export function hasFieldFlags(options: NewOptions): boolean {
  const { provider, model, baseUrl, every, cron, watch, path } = options;
  return [provider, model, baseUrl, every, cron, watch, path].some((flag) => flag !== undefined);
}

function modelOf(
  { provider, model, baseUrl }: NewOptions,
  { defaultModel }: Pick<InfoReport, "defaultModel">,
): NewAgentFields["model"] {
  if (provider === undefined && model === undefined && baseUrl === undefined) return undefined;
  const owner = provider ?? defaultModel?.split("/", 1)[0];
  if (owner === undefined) throw new CommandFailure(EXIT.usage, "--model needs --provider");
  if (model === undefined) {
    const flag = provider === undefined ? "--base-url" : "--provider";
    throw new CommandFailure(EXIT.usage, `${flag} needs --model`);
  }
  return { provider: owner, name: model, ...(baseUrl !== undefined && { base_url: baseUrl }) };
}
