// The tool file_edit: replaces exact text in a file.
import { z } from "zod";
import { nextSlice } from "../../../base/slices.ts";
import { defineTool } from "../definition/define_tool.ts";
import { writeFile } from "../files/write_file.ts";
import { openFile } from "../files/opened_file.ts";
import { isBinary, SAMPLE_BYTES } from "../../../base/text/text_content.ts";
import type { PathSandbox } from "../files/path_sandbox.ts";
import { MAX_SHOWN_BYTES, previewTooBig } from "../files/preview_text.ts";
import { editText } from "../files/text_edit.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Replaces exact text in a file. Keeps the file's line endings and permissions. */
export const fileEdit = defineTool({
  name: "file_edit",
  description:
    "Replaces exact text in a file. old_text must be in the file exactly once, unless replace_all is set. Read the file first.",
  schema: z.object({
    path: z.string().describe("The file: relative to the workspace, or {alias}/..."),
    old_text: z.string().describe(
      "The text to replace, exactly as in the file, without line numbers",
    ),
    new_text: z.string().describe("What to put in its place"),
    replace_all: z.boolean().default(false).describe("Replace every occurrence"),
  }),
  effect: "unsafe",
  timeoutMs: 30_000,
  worksOn: "files",
  preview: async (args, { sandbox }) => {
    await sandbox.resolve(args.path, "write");
    const { before, display } = await readText(sandbox, args.path);
    if (before.length > MAX_SHOWN_BYTES) throw previewTooBig(display);
    const { content } = await editText(before, args, display);
    return { path: display, before, after: content };
  },
  run: async (args, { sandbox, signal }) => {
    const target = await sandbox.resolve(args.path, "write");
    return await sandbox.changes.run(target.path, async () => {
      const { before, version, display } = await readText(sandbox, args.path);
      const { content, count, lines } = await editText(before, args, display);
      await nextSlice();
      await writeFile(sandbox, args.path, new TextEncoder().encode(content), { version, signal });
      const done = count === 1 ? "1 replacement, line" : `${count} replacements, lines`;
      return `Updated ${display} (${done} ${lines})`;
    });
  },
});

async function readText(
  sandbox: PathSandbox,
  path: string,
): Promise<{ before: string; version: string; display: string }> {
  await using file = await openFile(sandbox, path);
  const bytes = await file.readAll(MAX_FILE_BYTES);
  const { display, version } = file;
  await nextSlice();
  if (isBinary(bytes.subarray(0, SAMPLE_BYTES))) {
    throw new ToolFailure(`Cannot edit "${display}": it is a binary file.`);
  }
  try {
    const before = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { before, version, display };
  } catch (error) {
    throw new ToolFailure(
      `Cannot edit "${display}": it is not valid UTF-8, and an edit would lose the invalid bytes.`,
      { cause: error },
    );
  }
}
