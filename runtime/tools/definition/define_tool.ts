// Creates a Tool from a zod schema and a function. The schema gives the JSON schema for the model, the check of the
// arguments, and their TypeScript types.
import { z } from "zod";
import { isJsonObject, type JsonObject, type JsonSchema } from "../../../base/json.ts";
import type {
  ActionTool,
  Delegation,
  DelegationTool,
  Effect,
  FileChange,
  FileRenaming,
  QuestionTool,
  RichResult,
  ToolContext,
  ToolDeclaration,
  ToolQuestion,
} from "./tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/**
 * The schema of any JSON object. Created once, because creating it takes longer than checking the arguments of many calls.
 */
const JSON_OBJECT = z.record(z.string(), z.json());

/** The part of a definition that all kinds of tools share. `schema` describes the arguments object. */
interface Declaration<Shape extends z.ZodRawShape> {
  name: string;
  description: string;
  schema: z.ZodObject<Shape>;
}

/** The definition of a tool that performs an action. Its functions get parsed arguments. */
export interface ToolDefinition<Shape extends z.ZodRawShape> extends
  Declaration<Shape>,
  Pick<
    ActionTool,
    "timeoutMs" | "maxResultBytes" | "worksOn" | "approval" | "writesFile" | "findOutcome"
  > {
  /** The effect of every call, or a function that returns the effect of a call with given arguments. */
  effect: Effect | ((args: z.output<z.ZodObject<Shape>>) => Effect);
  preview?(
    args: z.output<z.ZodObject<Shape>>,
    context: Pick<ToolContext, "sandbox">,
  ): Promise<FileChange | FileRenaming | undefined>;
  run(
    args: z.output<z.ZodObject<Shape>>,
    context: ToolContext,
  ): Promise<string | RichResult>;
}

/**
 * Creates a tool that performs an action, and checks its arguments with a zod schema. A `null` counts as absent, because
 * some models send `null` for every optional argument.
 *
 * Decision: unknown arguments are refused, because ignoring a misspelled option would make the tool do something else than
 * requested (rejected: ignoring unknown arguments).
 */
export function defineTool<Shape extends z.ZodRawShape>(
  definition: ToolDefinition<Shape>,
): ActionTool {
  const { name: _name, description: _description, schema, effect, preview, run, ...rest } =
    definition;
  // Object.assign() keeps the getter `parameters`. A spread would call it, and so create the JSON schema before its first
  // use.
  return Object.assign(declare(definition), rest, {
    fixedEffect: typeof effect === "function" ? null : effect,
    ...(preview !== undefined && {
      preview: (args: JsonObject, context: Pick<ToolContext, "sandbox">) =>
        preview(schema.parse(args), context),
    }),
    effect: (args: JsonObject) =>
      typeof effect === "function" ? effect(schema.parse(args)) : effect,
    run: async (args: JsonObject, context: ToolContext) => await run(schema.parse(args), context),
  });
}

/**
 * Creates a tool that asks a person. `schema` must also check rules between arguments, because `question` cannot refuse a
 * call.
 */
export function defineQuestion<Shape extends z.ZodRawShape>(
  definition: Declaration<Shape> & {
    question(args: z.output<z.ZodObject<Shape>>): ToolQuestion;
  },
): QuestionTool {
  return Object.assign(declare(definition), {
    question: (args: JsonObject) => definition.question(definition.schema.parse(args)),
  });
}

/** Creates a tool whose result is the answer of another agent. */
export function defineDelegation<Shape extends z.ZodRawShape>(
  definition: Declaration<Shape> & {
    delegation(args: z.output<z.ZodObject<Shape>>): Delegation;
  },
): DelegationTool {
  return Object.assign(declare(definition), {
    delegation: (args: JsonObject) => definition.delegation(definition.schema.parse(args)),
  });
}

function declare<Shape extends z.ZodRawShape>(
  { name, description, schema }: Declaration<Shape>,
): ToolDeclaration {
  const strict = schema.strict();
  let parameters: JsonSchema | undefined;
  return {
    name,
    description,
    get parameters(): JsonSchema {
      return parameters ??= toParameters(strict);
    },
    check: (args) => checkArguments(name, strict, args),
  };
}

function toParameters(schema: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...document } = z.toJSONSchema(schema, {
    io: "input",
    override({ jsonSchema }) {
      // Each request to a model contains the schema. This limit of whole numbers is of no use to a model.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return JSON_OBJECT.parse(document);
}

function checkArguments(tool: string, schema: z.ZodObject, args: unknown): JsonObject {
  if (!isJsonObject(args)) {
    throw new ToolFailure(`The arguments of ${tool} must be one JSON object.`);
  }
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const result = schema.safeParse(given);
  if (result.success) return JSON_OBJECT.parse(result.data);
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
