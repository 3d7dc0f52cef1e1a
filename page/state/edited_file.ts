// The files that the editor opens: their operations, their languages, and the texts of new agents.
import type { Client } from "../../api/client/client.ts";
import type { DiagnosticBody } from "../../api/schemas/diagnostic_schemas.ts";
import type { EditedFileBody } from "../../api/schemas/file_schemas.ts";
import type { FileLanguage } from "../editor/schema_options.ts";

/** A file that a person edits. A new agent has no name yet. `from` is the template of a new agent, `copy` its original. */
export type EditedPlace =
  | { kind: "agent" | "skill"; name: string }
  | { kind: "config" | "mcp" }
  | { kind: "new"; from: string | null; copy: string | null };

/** Returns a text that identifies a file. */
export function keyOf(place: EditedPlace): string {
  return JSON.stringify(place);
}

/** Returns the title of a file. */
export function titleOfFile(place: EditedPlace): string {
  return place.kind === "new" ? "New agent" : fileId(place);
}

export function languageOf({ kind }: EditedPlace): FileLanguage {
  return kind === "new" ? "agent" : kind;
}

function fileId(place: EditedPlace): string {
  if ("name" in place) return place.name;
  return place.kind === "mcp" ? "mcp-servers.json" : "config.yaml";
}

/** The text of a new agent without a template. */
const EMPTY_AGENT = "---\ndescription: \n---\n\nYou …\n";

/** Returns a file as it is now. A new agent is a text without a version. */
export async function readFile(client: Client, place: EditedPlace): Promise<EditedFileBody> {
  if (place.kind === "agent") return await client.agentFile(place.name);
  if (place.kind !== "new") return await client.file(fileId(place));
  const { from, copy } = place;
  const text = copy !== null
    ? switchOff((await client.agentFile(copy)).text)
    : from === null
    ? undefined
    : (await client.editor()).gallery.find(({ name }) => name === from)?.text;
  return { path: "", text: text ?? EMPTY_AGENT, version: null, diagnostics: [] };
}

/** Writes a text over a version of a file. `name` is the name of a new agent. */
export function saveFile(
  client: Client,
  place: EditedPlace,
  { text, version, name, allowErrors }: {
    text: string;
    version: string | null;
    name: string;
    allowErrors: boolean;
  },
): Promise<EditedFileBody> {
  const from = place.kind === "new" ? place.from : null;
  const body = {
    text,
    ...(allowErrors && { allow_errors: true }),
    ...(from !== null && { from_gallery: from }),
  };
  return place.kind === "agent" || place.kind === "new"
    ? client.saveAgentFile(name, body, { version })
    : client.saveFile(fileId(place), body, { version });
}

/** Returns the problems of a text that is not saved. */
export async function checkFile(
  client: Client,
  place: EditedPlace,
  { text, name, signal }: { text: string; name: string; signal: AbortSignal },
): Promise<DiagnosticBody[]> {
  const { diagnostics } = place.kind === "agent" || place.kind === "new"
    ? await client.checkAgentFile(name, { text }, { signal })
    : await client.checkFile(fileId(place), { text }, { signal });
  return diagnostics;
}

/** Returns the text of an agent that starts by itself with `enabled: false`, so that a copy does not fire, too. */
export function switchOff(text: string): string {
  const [head = ""] = text.split(/^---[ \t]*\r?$/m).slice(1);
  if (!/^(trigger|after):/m.test(head) || /^enabled:/m.test(head)) return text;
  return text.replace(/^(\uFEFF?---[ \t]*(\r?\n))/, "$1enabled: false$2");
}
