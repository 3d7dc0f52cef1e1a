// Reads the text of a file that people write, with its version.
import { isFileFailure, unreadableReason } from "../../../base/files/unreadable.ts";
import { readWholeFile } from "../../../base/files/whole_file.ts";
import { sha256Of } from "../../../base/sha256.ts";
import { MAX_AGENT_FILE_BYTES } from "../../agents/parse_agent.ts";
import { isAbsent } from "../../config/files/exists.ts";
import { decodeText } from "../../config/files/text_file.ts";
import { FileOutdated, FileUnusable } from "./file_formats.ts";

/** Returns a file's text and its version, or undefined if the file does not exist. Throws FileUnusable. */
export async function readText(
  path: string,
): Promise<{ text: string; version: string } | undefined> {
  const bytes = await attempt(
    `Cannot read ${path}`,
    () =>
      readWholeFile(path, { maxBytes: MAX_AGENT_FILE_BYTES }).catch((error) => {
        if (!isAbsent(error)) throw error;
        return undefined;
      }),
  );
  if (bytes === undefined) return undefined;
  const decoded = decodeText(bytes, path);
  if ("diagnostic" in decoded) {
    throw new FileUnusable("conflict", `Cannot edit ${path}: ${decoded.diagnostic.message}`);
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return { text, version: `"${(await sha256Of(text)).slice(0, 32)}"` };
}

/** Does work on files. Throws FileUnusable for an error of the file system. */
export async function attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw new FileOutdated(true);
    if (!isFileFailure(error) && !(error instanceof Deno.errors.NotCapable)) throw error;
    throw new FileUnusable("conflict", `${what}: ${unreadableReason(error)}`, { cause: error });
  }
}
