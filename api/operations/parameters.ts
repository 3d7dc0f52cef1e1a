// The schemas of path segments, query parameters and headers: each parses a text to a value.
import { z } from "zod";
import { isTimeZone } from "../../runtime/config/time_zone.ts";
import { EXECUTION_TRIGGERS } from "../../runtime/vocabulary/trigger_kinds.ts";
import { EXECUTION_STATUSES } from "../../runtime/executions/states.ts";
import type { PathResource } from "./operation.ts";

const integerText = z.string().regex(/^[+-]?\d{1,400}$/, "Input should be a valid integer");

/** Returns the schema of an integer within `bounds`. */
export function integer(bounds: { min: number; max?: number }): z.ZodType<number, string> {
  const { min, max = Number.MAX_SAFE_INTEGER } = bounds;
  return integerText.transform(Number).pipe(z.int().min(min).max(max));
}

/** Returns the schema of the maximum number of entries in a list: 1 to 500, by default `fallback`. */
export function limit(fallback: number): z.ZodType<number, string | undefined> {
  return integer({ min: 1, max: 500 }).default(fallback);
}

/** The number of entries to skip. */
export const offset = integer({ min: 0 }).default(0);

/** The resource of an agent, by its id, which may be any text. `find` throws AgentNotFound. */
export const AGENT: PathResource<string> = {
  id: z.string(),
  find: (id, { runtime }) => runtime.getAgent(id),
};

/** The resource of an agent's history, by the agent's id. The agent may be deleted. */
export const HISTORY: PathResource<string> = {
  id: AGENT.id,
  find: (id, { runtime }) => runtime.listRuns(id, { limit: 1, offset: 0 }),
};

/** The id of an execution. An id that is too large becomes 0, which no execution has, so that the response is 404. */
const executionId = z.string().regex(/^[+-]?\d+$/, "Input should be a valid integer")
  .transform((text) => Number.isSafeInteger(Number(text)) ? Number(text) : 0)
  .pipe(z.int());

/** The resource of an execution, by its id. `find` throws ExecutionNotFound. */
export const EXECUTION: PathResource<number> = {
  id: executionId,
  find: (id, { runtime }) => runtime.getExecution(id),
};

const STATUS_ALIASES: ReadonlyMap<string, string> = new Map([
  ["failed", "error"],
  ["cancelled", "aborted"],
]);

/** One or more statuses, separated by commas or as repeated parameters. A blank value counts as absent. */
export const statuses = z.union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().filter((one) => one.trim() !== ""))
  .transform((given) => given.flatMap((one) => one.split(",").map((name) => name.trim())))
  .transform((names) => names.length === 0 ? undefined : names)
  .transform((names) => names?.map((name) => STATUS_ALIASES.get(name) ?? name))
  .pipe(z.array(z.enum(EXECUTION_STATUSES)).optional())
  .optional()
  .meta({
    items: { type: "string", enum: [...EXECUTION_STATUSES, ...STATUS_ALIASES.keys()] },
  });

/** One or more agent ids, separated by commas or as repeated parameters. A blank value counts as absent. */
export const agents = z.union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().join(",").split(",").map((one) => one.trim()))
  .transform((ids) => ids.filter((id) => id !== ""))
  .transform((ids) => ids.length === 0 ? undefined : ids)
  .pipe(z.array(z.string()).max(1_000).optional())
  .optional();

/** Returns the schema of an optional text that `schema` parses. A blank text counts as absent. */
export function filled<Value>(
  schema: z.ZodType<Value, string>,
): z.ZodOptional<z.ZodType<Value | undefined, string>> {
  return z.string()
    .transform((text) => text.trim() === "" ? undefined : text)
    .pipe(schema.optional())
    .optional();
}

/** The trigger of executions. A blank value counts as absent. */
export const trigger = filled(z.string().trim().pipe(z.enum(EXECUTION_TRIGGERS)));

/** The id of a conversation, not trimmed. A blank value counts as absent. */
export const session = filled(z.string());

/** A time in ISO 8601 with a time zone. A blank value counts as absent. */
export const moment = filled(
  z.string().trim().pipe(
    z.iso.datetime({ offset: true, error: "Input should be a time such as 2026-01-31T08:30:00Z" }),
  ),
);

/** A text to search for. A blank value counts as absent. */
export const searchText = filled(z.string().trim().min(3).max(200));

/** A switch: `true` or `false`. Default: `false`. */
export const yesOrNo = z.enum(["true", "false"]).default("false");

/** The name of an IANA time zone, not an offset. A blank value counts as absent. */
export const timeZone = filled(z.string().refine(isNamedZone, "Input should be an IANA time zone"));

function isNamedZone(text: string): boolean {
  return /^[a-z]/i.test(text) && isTimeZone(text);
}

/** The header with the key that makes a run idempotent. A blank value counts as absent. */
export const keyHeader = z.object({ "idempotency-key": filled(z.string().trim().max(255)) });

/** The id of the frame after which a stream or page begins. A blank value counts as absent. */
export const after = filled(integer({ min: 0 }));
