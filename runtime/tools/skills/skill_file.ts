// Parses the text of a SKILL.md into its fields and instructions, or reports all errors.
import { z } from "zod";
import { splitFrontMatter } from "../../config/files/front_matter.ts";
import { checkSchema } from "../../config/schema_diagnostics.ts";
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import { parseYaml } from "../../config/files/yaml_document.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";

const schema = z.object({
  name: z.string().nullish(),
  description: z.string().nullish(),
  // Without quotes, `[topic]` is a list in YAML.
  "argument-hint": z.union([z.string(), z.array(z.string())], {
    error: "must be text, such as [topic]",
  }).nullish(),
  // Fields that other programs read. They are accepted, and Inkling ignores them.
  license: z.unknown().optional(),
  compatibility: z.unknown().optional(),
  metadata: z.unknown().optional(),
  "allowed-tools": z.unknown().optional(),
});

/** The content of a SKILL.md. */
export interface SkillFile {
  description: string;
  /** A hint about the skill's arguments, such as `[topic]`. */
  argumentHint?: string;
  /** The instructions, in which arguments are not substituted yet. */
  body: string;
}

/**
 * Parses the SKILL.md of the skill with this name. Returns the parsed file with its warnings, or all diagnostics if one is
 * an error.
 */
export function parseSkillFile(
  source: { path: string; text: string },
  name: string,
): { file: SkillFile; warnings: Diagnostic[] } | { diagnostics: Diagnostic[] } {
  const { path } = source;
  const at = (line: number, severity: Diagnostic["severity"], message: string): Diagnostic => (
    { path, line, column: 1, severity, message }
  );
  const parts = splitFrontMatter(source.text);
  if (parts === "unterminated") {
    const message = "The front matter is never closed: a second line --- is missing";
    return { diagnostics: [at(1, "error", message)] };
  }
  const parsed = parseYaml(parts.yaml ?? "", { path, lineOffset: parts.lineOffset });
  if ("diagnostics" in parsed) return parsed;
  const document: DiagnosedFile = { path, document: parsed.document };
  const { value, diagnostics } = checkSchema(schema, document);
  const problems = [...parsed.document.warnings, ...diagnostics];
  const body = parts.body.trim();
  if (body === "") {
    const message = "The skill has no instructions: nothing follows its front matter";
    problems.push(at(parts.bodyLineOffset + 1, "error", message));
  }
  if (value === undefined || problems.some(({ severity }) => severity === "error")) {
    return { diagnostics: problems };
  }
  const description = value.description?.trim() ?? "";
  if (description === "") {
    const message = "The skill has no description: agents cannot know when to use it";
    problems.push(at(1, "warning", message));
  }
  if (value.name != null && value.name !== name) {
    const message = `The name ${JSON.stringify(value.name)} is not the folder's: ` +
      `agents use the folder's, ${JSON.stringify(name)}`;
    problems.push(diagnose(document, ["name"], { message, severity: "warning" }));
  }
  const hint = value["argument-hint"];
  const argumentHint = Array.isArray(hint) ? `[${hint.join(", ")}]` : hint?.trim();
  return {
    file: { description, ...(argumentHint ? { argumentHint } : {}), body },
    warnings: problems,
  };
}
