// What is wrong with the custom tools, skills and servers that an agent names, told at their places in its file.
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import type { YamlPath } from "../../config/files/yaml_document.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { isJsonObject } from "../../../base/json.ts";

/** Something that an agent names and cannot use, or should look at. `text` is what stands below the front matter. */
export interface ResourceProblem {
  field: "custom_tools" | "skills" | "mcp" | "model" | "paths" | "trigger" | "output" | "text";
  /** As the agent names it; undefined: it concerns the field as a whole. */
  name?: string;
  severity: Diagnostic["severity"];
  message: string;
  hint?: string;
}

/** What an agent names, looked at. */
export interface InspectedResources {
  problems: ResourceProblem[];
  /** Final names of the tools that come with it. */
  toolNames: string[];
  /** Whether these are all: what a server offers, only the server knows. */
  isComplete: boolean;
}

/** The problems as diagnostics of the agent's file. */
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

/** Where an item of a list stands: duplicates are gone from the agent's lists, so their indexes are not the file's. */
export function itemPath(file: DiagnosedFile, list: readonly string[], item: string): YamlPath {
  let value: unknown = file.document.value;
  for (const key of list) value = isJsonObject(value) ? value[key] : undefined;
  return [...list, Array.isArray(value) ? Math.max(0, value.indexOf(item)) : 0];
}
