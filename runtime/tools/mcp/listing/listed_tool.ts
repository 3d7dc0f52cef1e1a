// Parses one tool of an MCP server's list. Each value is parsed separately, so that a tool with one wrong value remains
// usable.
import { isJsonObject } from "../../../../base/json.ts";

/** A tool as its server describes it. Only the name is checked to exist. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  /** The schema of the arguments as the server sent it, unchecked. */
  inputSchema: unknown;
  annotations?: Readonly<Record<string, unknown>>;
  /** The `taskSupport` in the tool's `execution`, unchecked. */
  taskSupport?: unknown;
}

/**
 * Parses one entry of a server's list of tools. Returns undefined if the entry has no name. Drops other values with a wrong
 * type.
 */
export function toListedTool(value: unknown): ListedTool | undefined {
  if (!isJsonObject(value) || typeof value["name"] !== "string") return undefined;
  const { name, annotations, execution, inputSchema } = value;
  const text = (key: string) => {
    const one = value[key];
    return typeof one === "string" ? one : undefined;
  };
  return {
    name,
    title: text("title"),
    description: text("description"),
    inputSchema,
    annotations: isJsonObject(annotations) ? annotations : {},
    taskSupport: isJsonObject(execution) ? execution["taskSupport"] : undefined,
  };
}
