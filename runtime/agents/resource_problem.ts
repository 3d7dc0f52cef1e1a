// Reports problems of custom tools, skills and servers at their positions in the agent file.
import { diagnose, type DiagnosedFile } from "../config/files/diagnosed_file.ts";
import type { YamlPath } from "../config/files/yaml_document.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isJsonObject } from "../../base/json.ts";

/**
 * A problem of a resource that an agent names. `field` is the field of the front matter that names it, or `text` for the
 * body below the front matter.
 */
export interface ResourceProblem
  extends Pick<Diagnostic, "severity" | "message" | "hint" | "code"> {
  field:
    | "custom_tools"
    | "skills"
    | "mcp"
    | "shell"
    | "model"
    | "paths"
    | "trigger"
    | "output"
    | "text";
  /** The resource's name in the agent file. If absent, the problem concerns the whole field. */
  name?: string;
}

/** The result of the inspection of an agent's resources. */
export interface InspectedResources {
  problems: ResourceProblem[];
  /** The names that the resources' tools have in a run. */
  toolNames: string[];
  /** False if the agent has servers, because only a server knows the names of its tools. */
  isComplete: boolean;
}

/** Converts the problems to diagnostics of the agent file. */
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
 * Returns the position of a list's item in the file. The agent's list has no duplicates, so its indexes can differ from
 * those in the file.
 */
export function itemPath(file: DiagnosedFile, list: readonly string[], item: string): YamlPath {
  let value: unknown = file.document.value;
  for (const key of list) value = isJsonObject(value) ? value[key] : undefined;
  return [...list, Array.isArray(value) ? Math.max(0, value.indexOf(item)) : 0];
}
