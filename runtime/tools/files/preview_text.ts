// Reads a file for the preview of a change. The preview shows the complete text, or none.
import { isBinary, SAMPLE_BYTES } from "../../../base/text/text_content.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { openFile } from "./opened_file.ts";
import type { PathSandbox } from "./path_sandbox.ts";

/** Error: the call is possible, but its change of the file cannot be shown. */
export class PreviewUnavailable extends ToolFailure {}

/** The maximum size of a file in a preview, in bytes. */
export const MAX_SHOWN_BYTES = 1024 * 1024;

/**
 * Returns the text of a file that the agent may read. Throws PreviewUnavailable if the file is binary or larger than
 * MAX_SHOWN_BYTES.
 */
export async function readPreviewText(sandbox: PathSandbox, text: string): Promise<string> {
  await using file = await openFile(sandbox, text);
  if (file.size > MAX_SHOWN_BYTES) throw previewTooBig(file.display);
  const bytes = await file.readAll(MAX_SHOWN_BYTES);
  if (isBinary(bytes.subarray(0, SAMPLE_BYTES))) {
    throw new PreviewUnavailable(`"${file.display}" is a binary file: its content is not shown.`);
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Returns the error for a file that is larger than MAX_SHOWN_BYTES. */
export function previewTooBig(display: string): PreviewUnavailable {
  return new PreviewUnavailable(`"${display}" is over 1 MB: what would change in it is not shown.`);
}
