// The schemas of triggers, with the conversion from the runtime's values.
import { z } from "zod";
import type { Trigger } from "../../runtime/agents/agent.ts";
import { SIGNATURE_ENCODINGS } from "../../runtime/vocabulary/trigger_kinds.ts";
import { webhookScheme } from "./wire_values.ts";

const catchUp = z.enum(["once", "none"]).meta({ id: "CatchUp" });

/** A trigger of an agent file, with its defaults. */
export const TriggerBody = z.discriminatedUnion("type", [
  z.object({ type: z.literal("manual"), input: z.string().nullable() }).meta({
    id: "ManualTrigger",
  }),
  z.object({
    type: z.literal("schedule"),
    every: z.string().nullable(),
    cron: z.string().nullable(),
    timezone: z.string().nullable(),
    catch_up: catchUp,
    input: z.string().nullable(),
  }).meta({ id: "ScheduleTrigger" }),
  z.object({
    type: z.literal("watch"),
    paths: z.array(z.string()),
    filters: z.object({ include: z.array(z.string()), exclude: z.array(z.string()) }).meta({
      id: "TriggerFilters",
    }),
    debounce: z.number().meta({ description: "In seconds" }),
    max_runs: z.int().meta({
      description: "The maximum number of runs within ten minutes; one more stops the trigger",
    }),
    catch_up: catchUp,
    same_content: z.boolean().optional().meta({
      description: "True if it also fires for a file that was rewritten with the same content",
    }),
    input: z.string().nullable(),
  }).meta({ id: "WatchTrigger" }),
  z.object({
    type: z.literal("webhook"),
    scheme: webhookScheme,
    secrets: z.array(z.string()).meta({
      description: "The names of the environment variables with the secrets",
    }),
    header: z.string().nullable(),
    encoding: z.enum(SIGNATURE_ENCODINGS),
    filter: z.object({
      events: z.array(z.string()),
      fields: z.record(
        z.string(),
        z.union([z.string(), z.number(), z.boolean(), z.null()]),
      ),
    }).meta({ id: "WebhookFilter" }),
    max_runs: z.int(),
    sync: z.number().nullable().meta({
      description: "Seconds that the response waits for the answer; null if it does not wait",
    }),
    input: z.string().nullable(),
  }).meta({ id: "WebhookTrigger" }),
  z.object({
    type: z.literal("change"),
    url: z.string().nullable(),
    command: z.string().nullable(),
    every: z.string(),
    select: z.string().nullable(),
    headers: z.array(z.string()).meta({ description: "The names of the request's headers" }),
    each: z.boolean(),
    ignore: z.array(z.string()),
    max_runs: z.int(),
    input: z.string().nullable(),
  }).meta({ id: "ChangeTrigger" }),
  z.object({
    type: z.literal("mail"),
    account: z.string(),
    folder: z.string(),
    from: z.array(z.string()),
    to: z.array(z.string()),
    subject: z.string().nullable(),
    then: z.string().meta({ description: "`keep`, `seen`, or `move:` with a folder" }),
    unproven: z.boolean(),
    automatic: z.boolean(),
    input: z.string().nullable(),
  }).meta({ id: "MailTrigger" }),
]).meta({ id: "Trigger" });
export type TriggerBody = z.infer<typeof TriggerBody>;

/** Converts a trigger to its wire form. */
export function toTrigger(trigger: Trigger): TriggerBody {
  const input = trigger.input ?? null;
  switch (trigger.type) {
    case "manual":
      return { type: "manual", input };
    case "schedule":
      return {
        type: "schedule",
        every: trigger.every ?? null,
        cron: trigger.cron ?? null,
        timezone: trigger.timezone ?? null,
        catch_up: trigger.catchUp,
        input,
      };
    case "watch":
      return {
        type: "watch",
        paths: trigger.paths,
        filters: trigger.filters,
        debounce: trigger.debounceMs / 1_000,
        max_runs: trigger.maxRuns,
        catch_up: trigger.catchUp,
        ...(trigger.sameContent && { same_content: true }),
        input,
      };
    case "webhook":
      return {
        type: "webhook",
        scheme: trigger.scheme,
        secrets: trigger.secrets,
        header: trigger.header ?? null,
        encoding: trigger.encoding,
        filter: trigger.filter,
        max_runs: trigger.maxRuns,
        sync: trigger.syncMs === undefined ? null : trigger.syncMs / 1_000,
        input,
      };
    case "change": {
      const { maxRuns, url = null, command = null, select = null, each = false } = trigger;
      const { type, every, ignore } = trigger;
      const headers = Object.keys(trigger.headers);
      return { type, url, command, every, select, headers, each, ignore, max_runs: maxRuns, input };
    }
    case "mail": {
      const { type, account, folder, from, to, subject = null, then } = trigger;
      const { unproven = false, automatic = false } = trigger;
      return {
        ...{ type, account, folder, from, to, subject, unproven, automatic, input },
        then: typeof then === "string" ? then : `move:${then.move}`,
      };
    }
    default:
      return trigger satisfies never;
  }
}
