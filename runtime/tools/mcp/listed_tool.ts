// Parses a tool in an MCP server's list value by value, so that one wrong value does not lose the tool.
import { isJsonObject } from "../../../base/json.ts";

/** A tool as its server describes it. Only the name is guaranteed. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  /** A JSON schema, if the server is correct. */
  inputSchema: unknown;
  annotations?: Readonly<Record<string, unknown>>;
  /** The `taskSupport` of its `execution`. */
  taskSupport?: unknown;
}

/** Parses one entry of a list. Returns undefined for an entry without a name; drops other values of a wrong type. */
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
