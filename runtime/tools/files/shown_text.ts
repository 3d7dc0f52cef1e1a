// The text of a file for the preview of a change: complete, or not at all.
import { isBinary } from "../text_content.ts";
import { ToolFailure } from "../tool_failure.ts";
import { openFile } from "./opened_file.ts";
import type { PathSandbox } from "./path_sandbox.ts";

/** Error: the change is possible but cannot be shown. */
export class NotShown extends ToolFailure {}

/** The maximum size of a shown text. */
export const LARGEST_SHOWN_BYTES = 1024 * 1024;
const SAMPLE_BYTES = 8 * 1024;

/** Returns the text of a file that an agent may read. Throws NotShown for a file that is too big or binary. */
export async function readShownText(sandbox: PathSandbox, text: string): Promise<string> {
  await using file = await openFile(sandbox, text);
  if (file.size > LARGEST_SHOWN_BYTES) throw tooBigToShow(file.display);
  const bytes = await file.readAll(LARGEST_SHOWN_BYTES);
  if (isBinary(bytes.subarray(0, SAMPLE_BYTES))) {
    throw new NotShown(`"${file.display}" is a binary file: its content is not shown.`);
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Returns the error for a text of more than LARGEST_SHOWN_BYTES. */
export function tooBigToShow(display: string): NotShown {
  return new NotShown(`"${display}" is over 1 MB: what would change in it is not shown.`);
}
