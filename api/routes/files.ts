// The operations on the files that people write: agents, skills, config.yaml and mcp-servers.json.
import { z } from "zod";
import type { Diagnostic } from "../../base/diagnostics.ts";
import type { EditedFile, FilePlace } from "../../runtime/interface/workspace_files.ts";
import { RequestRefused } from "../errors.ts";
import { openFiles } from "../operations/open_files.ts";
import { operation, type PathResource } from "../operations/operation.ts";
import { integer } from "../operations/parameters.ts";
import { toDiagnostic } from "../schemas/diagnostic_schemas.ts";
import {
  AgentRenamed,
  CheckedFileBody,
  CheckFileBody,
  CompanionsBody,
  EditedFileBody,
  EditorBody,
  EnableAgentBody,
  RenameAgentBody,
  SaveFileBody,
} from "../schemas/file_schemas.ts";

/** The headers that name the version that a save replaces. */
const versionHeaders = z.object({
  "if-match": z.string().optional(),
  "if-none-match": z.literal("*", { error: "Input should be *, for a new file" }).optional(),
});

const VERSION_RULE =
  "`If-Match` names the version that was read: 428 without it, 412 if the file " +
  "was changed since. `If-None-Match: *` creates the file. Every reader sees one change.";

/** The resource of a file, by an id. */
interface FileResource extends PathResource<string> {
  place(id: string): FilePlace;
}

function files(place: FileResource["place"]): FileResource {
  return {
    id: z.string(),
    place,
    async find(id, { runtime }) {
      await (await runtime.files()).read(place(id));
    },
  };
}

const AGENT_FILE = files((id) => ({ kind: "agent", id }));
const OTHER_FILE = files((id) =>
  id === "config.yaml"
    ? { kind: "config" }
    : id === "mcp-servers.json"
    ? { kind: "mcp" }
    : { kind: "skill", id }
);

type SetHeader = (name: string, value: string) => void;

/** Returns a file as a response with its ETag. */
function answer(file: EditedFile, setHeader: SetHeader) {
  if (file.version !== null) setHeader("etag", file.version);
  return { ...file, diagnostics: file.diagnostics.map(toDiagnostic) };
}

const PLACEHOLDERS =
  "A placeholder is in the place of each secret, and a save puts the secret back.";

function save(resource: FileResource, summary: string) {
  return operation({
    summary,
    description: VERSION_RULE,
    resource,
    headers: versionHeaders,
    body: SaveFileBody,
    response: EditedFileBody,
    errors: [403, 409, 412, 428, 503],
    async handle({ id, headers, body, setHeader }, services) {
      const place = resource.place(id);
      const known = await openFiles(services, place);
      const isNew = headers["if-none-match"] === "*";
      const version = isNew ? null : headers["if-match"];
      if (version === undefined) {
        const message = "Send If-Match with the version that was read, or If-None-Match: * " +
          "for a new file";
        throw new RequestRefused(428, message);
      }
      const saved = await known.save(place, {
        text: body.text,
        version,
        allowErrors: body.allow_errors === true,
        fromGallery: body.from_gallery,
        by: services.caller,
      });
      if ("errors" in saved) throw new RequestRefused(422, saved.errors.map(toIssue));
      return answer(saved, setHeader);
    },
  });
}

function toIssue({ line, column, message }: Diagnostic) {
  const msg = `Line ${line}: ${message}`;
  return { type: "file_invalid", loc: ["body", "text", line, column], msg, input: null };
}

function check(resource: FileResource, summary: string) {
  return operation({
    summary,
    description: "Checks the text as `inkling validate` does, and writes nothing.",
    resource,
    body: CheckFileBody,
    response: CheckedFileBody,
    errors: [403],
    async handle({ id, body }, services) {
      const place = resource.place(id);
      const found = await (await openFiles(services, place)).check(place, body.text);
      return { diagnostics: found.map(toDiagnostic) };
    },
  });
}

export const agentFile = operation({
  summary: "The file of an agent, even if it has errors",
  description: `${PLACEHOLDERS} With \`before\`, the id of a record in the audit, the text is ` +
    "the one before that record. The version remains the present one, so a save takes the change back.",
  resource: AGENT_FILE,
  query: z.object({ before: integer({ min: 1 }).optional() }),
  response: EditedFileBody,
  errors: [403, 409],
  async handle({ id, query, setHeader }, { runtime }) {
    return answer(await (await runtime.files()).read(AGENT_FILE.place(id), query), setHeader);
  },
});
export const companions = operation({
  summary: "The memory and the test cases of an agent, without secrets",
  resource: AGENT_FILE,
  response: CompanionsBody,
  errors: [409, 503],
  async handle({ id }, { runtime }) {
    return await (await runtime.files()).companions(id);
  },
});
export const saveAgentFile = save(AGENT_FILE, "Write the file of an agent");
export const checkAgentFile = check(AGENT_FILE, "Check a text for the file of an agent");
export const file = operation({
  summary: "config.yaml, mcp-servers.json, or the file of a skill",
  description: PLACEHOLDERS,
  resource: OTHER_FILE,
  response: EditedFileBody,
  errors: [403, 409],
  async handle({ id, setHeader }, services) {
    const place = OTHER_FILE.place(id);
    return answer(await (await openFiles(services, place)).read(place), setHeader);
  },
});
export const saveFile = save(OTHER_FILE, "Write config.yaml, mcp-servers.json, or a skill");
export const checkFile = check(OTHER_FILE, "Check a text for one of these files");

export const renameAgent = operation({
  summary: "Rename an agent's file, and the folder of its test cases",
  description: "`stays` describes everything that stays with the old id.",
  resource: AGENT_FILE,
  body: RenameAgentBody,
  response: AgentRenamed,
  errors: [403, 409, 503],
  async handle({ id, body: { to } }, services) {
    const known = await openFiles(services);
    return await known.rename(id, { to, by: services.caller });
  },
});

export const enableAgent = operation({
  summary: "Switch an agent's trigger on or off, in its file",
  resource: AGENT_FILE,
  body: EnableAgentBody,
  response: EditedFileBody,
  errors: [403, 409, 503],
  async handle({ id, body: { enabled }, setHeader }, services) {
    const known = await openFiles(services);
    return answer(
      await known.enable(id, { enabled, by: services.caller }),
      setHeader,
    );
  },
});

export const editor = operation({
  summary: "The schemas, names and templates for an editor of files",
  response: EditorBody,
  errors: [403, 503],
  async handle(_request, services) {
    return await (await openFiles(services)).facts();
  },
});
