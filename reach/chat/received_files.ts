// Stores the files of a message in the workspace, where the tools of agents can read them.
import { dirname, join } from "../../base/plain_path.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { AppFailure, type ChatMessage } from "./chat_app.ts";
import type { ChatPorts } from "./chat_ports.ts";

/** The folder of the workspace for files of messages. */
const FOLDER = "chat-files";
/** The maximum size of a file in both directions. Telegram gives bots no larger files. */
export const MAX_BYTES = 20 * 1_024 * 1_024;
const MAX_NAME = 80;

/**
 * Stores the files of a message, and returns their paths relative to the workspace. A repeated call writes the same files.
 * Throws AppFailure if a file cannot be loaded.
 */
export async function storeFiles(
  { files, key }: ChatMessage,
  { app, settings, workspace }: Pick<ChatPorts, "app" | "settings" | "workspace">,
  signal: AbortSignal,
): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, file] of files.entries()) {
    const name = `${key}-${index + 1}-${toFileName(file.name)}`;
    const path = join(FOLDER, settings()?.name ?? "", name);
    const bytes = await app.load(file, MAX_BYTES, signal);
    const absolute = join(workspace, path);
    for (const folder of [FOLDER, dirname(path)]) await requireOwnFolder(folder, workspace);
    // An agent could have put a link at this path, and writing would follow it.
    await Deno.remove(absolute).catch(ignoreMissing);
    await writeFileAtomically(absolute, bytes, { mustBeNew: true });
    paths.push(path);
  }
  return paths;
}

/** Creates a folder of the workspace if it is missing. Throws AppFailure if a link is in its place. */
async function requireOwnFolder(folder: string, workspace: string): Promise<void> {
  await Deno.mkdir(join(workspace, folder), { recursive: true });
  const [real, root] = await Promise.all(
    [join(workspace, folder), workspace].map((path) => Deno.realPath(path)),
  );
  if (real === join(root ?? "", folder)) return;
  throw new AppFailure(`${folder} of the workspace is a link: replace it by a folder`, {
    isFinal: true,
  });
}

/** Returns a name without separators, leading dots and special characters. The sender chose the name. */
function toFileName(name: string): string {
  const plain = name.normalize("NFC").replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^\.+/, "");
  return plain.slice(-MAX_NAME) || "file";
}
