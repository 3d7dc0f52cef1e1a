// Reports problems of the custom tools, skills and servers at their places in the agent file.
import { diagnose, type DiagnosedFile } from "../config/files/diagnosed_file.ts";
import type { YamlPath } from "../config/files/yaml_document.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isJsonObject } from "../../base/json.ts";

/** A problem of something that an agent names. `text` is the body below the front matter. */
export interface ResourceProblem
  extends Pick<Diagnostic, "severity" | "message" | "hint" | "code"> {
  field: "custom_tools" | "skills" | "mcp" | "model" | "paths" | "trigger" | "output" | "text";
  /** The name in the agent file; undefined: the problem concerns the whole field. */
  name?: string;
}

/** The result of the inspection of an agent's resources. */
export interface InspectedResources {
  problems: ResourceProblem[];
  /** The final names of the tools that the resources bring. */
  toolNames: string[];
  /** True when the names are complete. Only a server knows its own tools. */
  isComplete: boolean;
}

/** Returns the problems as diagnostics of the agent's file. */
export function diagnoseResources(
  problems: readonly ResourceProblem[],
  file: DiagnosedFile,
): Diagnostic[] {
  return problems.map(({ field, name, ...rest }) => {
    if (field === "text") return diagnose(file, [], rest);
    const key = field === "custom_tools" && file.document.value["custom_tools"] == null
      ? "tools"
      : field;
    return diagnose(file, name === undefined ? [key] : itemPath(file, [key], name), rest);
  });
}

/**
 * Returns the place of a list's item in the file. The agent's lists have no duplicates, so their indexes differ from
 * the file's.
 */
export function itemPath(file: DiagnosedFile, list: readonly string[], item: string): YamlPath {
  let value: unknown = file.document.value;
  for (const key of list) value = isJsonObject(value) ? value[key] : undefined;
  return [...list, Array.isArray(value) ? Math.max(0, value.indexOf(item)) : 0];
}
