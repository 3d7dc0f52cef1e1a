// A tool as an MCP server lists it, read value by value: one that is wrong must not cost the tool.
import { isJsonObject } from "../../../base/json.ts";

/** A tool as a server describes it. Only its name is sure to be there. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  /** A JSON schema, if the server is right. */
  inputSchema: unknown;
  annotations?: Readonly<Record<string, unknown>>;
  /** `taskSupport` of its `execution`. */
  taskSupport?: unknown;
}

/** Reads one entry of a list. Returns undefined for an entry without a name; other values of a wrong type are dropped. */
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
