// Makes a Tool from a zod schema and a function: one declaration gives the model's JSON schema, the check and the types.
import { z } from "zod";
import { isJsonObject, type JsonObject, type JsonSchema } from "../json.ts";
import type { Effect, Tool, ToolContext } from "./tool.ts";
import { ToolFailure } from "./tool_failure.ts";

/** What a tool is made of. The schema describes the arguments object. */
export interface ToolDefinition<Shape extends z.ZodRawShape> {
  name: string;
  description: string;
  schema: z.ZodObject<Shape>;
  /** Fixed, or decided by the arguments. */
  effect: Effect | ((args: z.output<z.ZodObject<Shape>>) => Effect);
  timeoutMs: number;
  run(args: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<string>;
}

/**
 * A Tool whose arguments a zod schema checks. Decision: an unknown argument is refused, because a misspelt option that
 * is ignored makes the tool do something else than was asked for (rejected: ignoring it). A `null` counts as absent:
 * some models send one for every optional argument.
 */
export function defineTool<Shape extends z.ZodRawShape>(definition: ToolDefinition<Shape>): Tool {
  const { name, description, effect, timeoutMs } = definition;
  const schema = definition.schema.strict();
  let parameters: JsonSchema | undefined;
  return {
    name,
    description,
    timeoutMs,
    get parameters(): JsonSchema {
      return parameters ??= toParameters(schema);
    },
    effect: (args) => typeof effect === "function" ? effect(definition.schema.parse(args)) : effect,
    check: (args) => checkArguments(name, schema, args),
    run: async (args, context) => await definition.run(definition.schema.parse(args), context),
  };
}

function toParameters(schema: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...document } = z.toJSONSchema(schema, { io: "input" });
  return z.record(z.string(), z.json()).parse(document);
}

function checkArguments(tool: string, schema: z.ZodObject, args: unknown): JsonObject {
  if (!isJsonObject(args)) {
    throw new ToolFailure(`The arguments of ${tool} must be one JSON object.`);
  }
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const result = schema.safeParse(given);
  if (result.success) return z.record(z.string(), z.json()).parse(result.data);
  const known = Object.keys(schema.shape);
  const complaints = result.error.issues.map((issue) => `- ${complaintOf(issue, given, known)}`);
  throw new ToolFailure(`The arguments do not fit ${tool}:\n${complaints.join("\n")}`);
}

function complaintOf(issue: z.core.$ZodIssue, given: JsonObject, known: string[]): string {
  if (issue.code === "unrecognized_keys") {
    const unknown = issue.keys.map((key) => `"${key}"`).join(", ");
    const noun = issue.keys.length === 1 ? "argument" : "arguments";
    return `unknown ${noun} ${unknown}; known are ${known.join(", ")}`;
  }
  const path = issue.path.map(String).join(".");
  const first = issue.path[0];
  const message = issue.message.replace(/^Invalid input: /, "");
  if (issue.path.length === 1 && typeof first === "string" && !Object.hasOwn(given, first)) {
    return `"${first}" is missing: ${message.replace(/, received undefined$/, "")}`;
  }
  return `"${path}": ${message}`;
}
