// Checks the declarations of custom tools. They come from a worker and may contain anything.
import { z } from "zod";
import { isDeeperThan, isJsonObject, type JsonSchema } from "../../../base/json.ts";
import { schemaExcess } from "../json_schema/foreign_schema.ts";

/**
 * The maximum nesting depth of a file's declarations. A schema may be 64 levels deep, and is inside the list, the tool and
 * the tool's field.
 */
const MAX_LEVELS = 70;
const DEFAULT_TIMEOUT_S = 60;
const MAX_TIMEOUT_S = 600;

const HOST = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(:\d{1,5})?$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Matches variables that control the tool's process. No tool gets them. */
const STEERING = /^(DENO_|INKLING_|LD_|DYLD_|NODE_)/;

const schema = z.object({
  name: z.string().regex(
    /^[A-Za-z0-9_-]{1,64}$/,
    "must be letters, digits, _ and -, at most 64 of them",
  ),
  description: z.string("must be a text that describes the tool for the model").trim().min(
    1,
    "must describe the tool for the model",
  ).max(10_000),
  parameters: z.record(z.string(), z.json(), "must be a JSON schema")
    .refine((one) => (one["type"] ?? "object") === "object", "must be a schema of type object")
    .default({}),
  permissions: z.strictObject({
    net: z.array(z.string().regex(HOST, "must be a host, or host:port")).default([]),
    env: z.array(
      z.string().regex(VARIABLE, "must be the name of a variable").refine(
        (name) => !STEERING.test(name),
        "is a variable that no tool gets",
      ),
    ).default([]),
  }, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? "may name net and env, nothing else" : undefined,
  }).prefault({}),
  effect: z.enum(["read", "idempotent", "unsafe"]).default("unsafe"),
  timeout: z.number().positive().max(MAX_TIMEOUT_S).default(DEFAULT_TIMEOUT_S),
});

/** The checked declaration of a custom tool. */
export type FileToolDeclaration = Omit<z.output<typeof schema>, "timeout"> & {
  timeoutMs: number;
};

/** Parses the JSON text with the tools of a file. Returns the tools, or the problem as a clause. */
export function parseDeclarations(text: string): FileToolDeclaration[] | { problem: string } {
  const exported: unknown = JSON.parse(text);
  // The depth is checked before the other checks, because deep nesting would overflow their stack.
  if (isDeeperThan(exported, MAX_LEVELS)) {
    return { problem: `what it exports is nested over ${MAX_LEVELS} levels deep` };
  }
  const parsed = z.array(z.record(z.string(), z.json())).safeParse(exported);
  if (!parsed.success) return { problem: "what it exports cannot be read" };
  if (parsed.data.length === 0) {
    return { problem: "it exports no tool: an object with description, parameters and run" };
  }
  const tools: FileToolDeclaration[] = [];
  for (const declared of parsed.data) {
    const result = schema.safeParse(declared);
    if (!result.success) return { problem: describe(declared["name"], result.error.issues) };
    const excess = schemaExcess(result.data.parameters);
    if (excess !== undefined) {
      return { problem: `the parameters of its tool ${result.data.name} are ${excess}` };
    }
    const { timeout, parameters, ...rest } = result.data;
    tools.push({ ...rest, parameters: closed(parameters), timeoutMs: timeout * 1_000 });
  }
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? tools : { problem: `it exports two tools with the name ${twice}` };
}

/**
 * Returns the schema with unknown arguments forbidden, so that a misspelled argument is reported as for built-in tools. A
 * schema with its own rule for unknown arguments stays unchanged.
 */
function closed(parameters: JsonSchema): JsonSchema {
  const { properties } = parameters;
  const isOpen = ["additionalProperties", "patternProperties", "unevaluatedProperties", "$ref"]
    .some((key) => key in parameters) ||
    ["allOf", "anyOf", "oneOf"].some((key) => key in parameters);
  return {
    type: "object",
    ...parameters,
    properties: isJsonObject(properties) ? properties : {},
    ...(isOpen ? {} : { additionalProperties: false }),
  };
}

function describe(name: unknown, issues: readonly z.core.$ZodIssue[]): string {
  const complaints = issues.map(({ path, message }) =>
    `${path.length === 0 ? "" : `${path.map(String).join(".")} `}${message}`
  );
  return `the tool ${JSON.stringify(name)} is not declared correctly: ${complaints.join("; ")}`;
}
