// Finds and parses case files.
import { basename, dirname, join, resolve } from "../../base/plain_path.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import { idOfFileName, normalizeId } from "../../runtime/agents/agent_id.ts";
import {
  diagnoseSchema,
  OutputSchemaUnusable,
  readOutputSchema,
} from "../../runtime/agents/output_schema.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import { diagnose, type DiagnosedFile } from "../../runtime/config/files/diagnosed_file.ts";
import { decodeText } from "../../runtime/config/files/text_file.ts";
import { parseYaml } from "../../runtime/config/files/yaml_document.ts";
import { checkSchema } from "../../runtime/config/schema_diagnostics.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { unreadableReason } from "../../base/files/unreadable.ts";
import { caseSchema, type TestCase } from "./test_case.ts";

/** A case file and the agent that it tests. */
export interface CaseFile {
  agentId: string;
  /** The case's name: `<agent>/<file>`, or `<agent>` for the file `<agent>.yaml`. */
  name: string;
  path: string;
}

const CASE = /\.ya?ml$/;
const BESIDE_AGENT = /\.test\.ya?ml$/;

/** Returns the folder of the case files. */
export function testsFolder(agentsDir: string): string {
  return join(agentsDir, "_config", "tests");
}

/** Returns the case files of all agents or of one agent, sorted by name. */
export async function findCaseFiles(agentsDir: string, agentId?: string): Promise<CaseFile[]> {
  const folder = testsFolder(agentsDir);
  const files: CaseFile[] = (await listFolder(agentsDir))
    .filter(({ name, isDirectory }) => !isDirectory && BESIDE_AGENT.test(name))
    .map(({ name }) => toCaseFile(agentsDir, name, name.replace(BESIDE_AGENT, "")));
  for (const { name, isDirectory } of await listFolder(folder)) {
    if (isDirectory) {
      const own = (await listFolder(join(folder, name)))
        .filter((one) => !one.isDirectory && CASE.test(one.name))
        .map((one) => toCaseFile(join(folder, name), one.name, name, withoutEnd(one.name)));
      files.push(...own);
    } else if (CASE.test(name)) files.push(toCaseFile(folder, name, withoutEnd(name)));
  }
  const wanted = agentId === undefined ? undefined : normalizeId(agentId);
  return files.filter((file) => wanted === undefined || file.agentId === wanted)
    .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.path < b.path ? -1 : 1);
}

function toCaseFile(folder: string, file: string, agent: string, own?: string): CaseFile {
  const agentId = normalizeId(idOfFileName(`${agent}.md`));
  return {
    agentId,
    name: own === undefined ? agentId : `${agentId}/${own}`,
    path: join(folder, file),
  };
}

const withoutEnd = (name: string) => basename(name).replace(CASE, "");

async function listFolder(path: string): Promise<Deno.DirEntry[]> {
  const entries = await Array.fromAsync(Deno.readDir(path)).catch(ignoreMissing) ?? [];
  // Hidden files are skipped, because editors create temporary ones.
  return entries.filter(({ name }) => !name.startsWith("."));
}

/** Reads a case file. Returns all its problems if it is no valid case. */
export async function readCaseFile(
  path: string,
  directories: Pick<Directories, "workspace" | "toolsDir">,
): Promise<{ test: TestCase } | { diagnostics: Diagnostic[] }> {
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(path);
  } catch (error) {
    const message = `The file cannot be read: ${unreadableReason(error)}`;
    return { diagnostics: [errorAtStart(path, message)] };
  }
  const decoded = decodeText(bytes, path);
  if ("diagnostic" in decoded) return { diagnostics: [decoded.diagnostic] };
  const parsed = parseCase(decoded.text, path);
  if ("diagnostics" in parsed) return parsed;
  try {
    await readOutputSchema(parsed.test.expect.output?.schema, directories);
    return parsed;
  } catch (error) {
    if (!(error instanceof OutputSchemaUnusable)) throw error;
    return { diagnostics: [errorAtStart(path, error.message)] };
  }
}

/** Parses the text of a case file. Returns all its problems if it is no valid case. */
export function parseCase(
  text: string,
  path: string,
): { test: TestCase } | { diagnostics: Diagnostic[] } {
  const parsed = parseYaml(text, { path });
  if ("diagnostics" in parsed) return parsed;
  const { document } = parsed;
  const file = { path, document };
  const { value, diagnostics } = checkSchema(caseSchema, file);
  // Unknown keys are errors, because a misspelled expectation would never fail.
  const problems = diagnostics.map((one): Diagnostic => ({
    ...one,
    severity: "error",
    message: one.message.replace(/: it is ignored$/, ""),
  }));
  problems.push(...diagnoseInput(file, value?.input));
  const schema = value?.expect.output?.schema;
  if (schema !== undefined && "schema" in schema) {
    problems.push(...diagnoseSchema(schema.schema, file, ["expect", "output", "schema"]));
  }
  if (schema !== undefined && "file" in schema) schema.file = resolve(dirname(path), schema.file);
  problems.push(...document.warnings);
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return value === undefined || problems.length > 0 ? { diagnostics: problems } : { test: value };
}

/** Returns a diagnostic for each file that the trigger of a case needs and the case does not name. */
function diagnoseInput(file: DiagnosedFile, input: TestCase["input"] | undefined): Diagnostic[] {
  if (input === undefined || input.recorded !== undefined) return [];
  const { trigger } = input;
  const needed = trigger === "watch" || trigger === "mail"
    ? ["file"] as const
    : trigger === "change"
    ? ["before", "file"] as const
    : [];
  return needed.filter((key) => input[key] === undefined).map((key) =>
    diagnose(file, ["input", "trigger"], {
      message: `input.${key} is missing: a run of trigger "${trigger}" has a file`,
    })
  );
}
