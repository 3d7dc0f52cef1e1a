// The schemas of the files that people write, and of the names that editors complete.
import { z } from "zod";
import { DiagnosticBody } from "./diagnostic_schemas.ts";

/** The response of GET and PUT of a file. */
export const EditedFileBody = z.object({
  path: z.string().meta({ description: "The absolute path" }),
  text: z.string().meta({
    description:
      "The text, with `[redacted:NAME]` in the place of each secret; a save puts it back",
  }),
  version: z.string().nullable().meta({
    description: "The version of the file, also in `ETag`; null if the file does not exist",
  }),
  diagnostics: z.array(DiagnosticBody),
}).meta({ id: "EditedFile" });
export type EditedFileBody = z.infer<typeof EditedFileBody>;

const CompanionFile = z.object({ path: z.string(), text: z.string() }).meta({
  id: "CompanionFile",
});

/** The response of GET /agents/{id}/companions. */
export const CompanionsBody = z.object({
  memory: CompanionFile.nullable().meta({ description: "The memory; null if there is none" }),
  tests: z.array(CompanionFile.extend({ name: z.string() }).meta({ id: "TestCaseFile" })).meta({
    description: "The test cases that `inkling test` runs",
  }),
}).meta({ id: "Companions" });

const text = z.string().meta({ description: "The whole text of the file" });

/** The request body of PUT of a file. */
export const SaveFileBody = z.object({
  text,
  allow_errors: z.boolean().optional().meta({
    description: "True to write a text with errors, too. Otherwise, the response is 422",
  }),
  from_gallery: z.string().optional().meta({
    description: "The agent of the gallery whose test cases and files a new agent gets",
  }),
}).meta({ id: "SaveFile" });

/** The request body of a check of a text that is not saved. */
export const CheckFileBody = z.object({ text }).meta({ id: "CheckFile" });

/** The response of a check. */
export const CheckedFileBody = z.object({ diagnostics: z.array(DiagnosticBody) })
  .meta({ id: "CheckedFile" });

/** The request body of POST /agents/{id}/rename. */
export const RenameAgentBody = z.object({ to: z.string().min(1) }).meta({ id: "RenameAgent" });

/** The response of POST /agents/{id}/rename. */
export const AgentRenamed = z.object({
  id: z.string(),
  path: z.string(),
  stays: z.array(z.string()).meta({
    description: "Sentences about everything that stays with the old id",
  }),
}).meta({ id: "AgentRenamed" });

/** The request body of POST /agents/{id}/enabled. */
export const EnableAgentBody = z.object({ enabled: z.boolean() }).meta({ id: "EnableAgent" });

const KnownName = z.object({ name: z.string(), description: z.string().optional() });

/** The response of GET /editor. */
export const EditorBody = z.object({
  schemas: z.object({ agent: z.unknown(), config: z.unknown(), mcp: z.unknown() }).meta({
    description: "The JSON Schemas of the files",
  }),
  tools: z.array(KnownName.meta({ id: "KnownName" })),
  skills: z.array(z.string()),
  servers: z.array(z.string()),
  variables: z.array(
    z.object({ name: z.string(), is_set: z.boolean(), provider: z.string().optional() })
      .meta({ id: "KnownVariable" }),
  ).meta({
    description: "Variables by name, without their values. `provider`: the variable is its key",
  }),
  gallery: z.array(KnownName.extend({ text: z.string() }).meta({ id: "GalleryAgent" })),
}).meta({ id: "Editor" });
export type EditorBody = z.infer<typeof EditorBody>;
