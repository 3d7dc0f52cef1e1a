// A text changed in the editor of the person at the terminal, as git and crontab do it.
import { join } from "node:path";
import { CommandFailure, EXIT } from "../exit.ts";

/** Opens a text in an editor, under a file name that tells what it is; resolves to what was saved. */
export type EditText = (text: string, name: string) => Promise<string>;

/**
 * Opens the editor that VISUAL or EDITOR names on a file that only this user can read, in a folder that goes when the editor
 * ends, with all that the editor left beside it. Throws CommandFailure where there is no editor, or it fails.
 */
export async function editText(
  text: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const editor = [environment["VISUAL"], environment["EDITOR"]]
    .find((one) => one !== undefined && one.trim() !== "");
  if (editor === undefined) {
    throw new CommandFailure(
      EXIT.usage,
      "There is no editor: set VISUAL or EDITOR to the program that should open the text",
    );
  }
  const folder = await Deno.makeTempDir({ prefix: "inkling-edit-" });
  try {
    const file = join(folder, name);
    await Deno.writeTextFile(file, text, { createNew: true, mode: 0o600 });
    // They may hold options, as in `code --wait`: a shell takes them apart.
    const { success, code } = await new Deno.Command("/bin/sh", {
      args: ["-c", `${editor} "$1"`, "sh", file],
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn().status;
    if (!success) {
      throw new CommandFailure(
        EXIT.failed,
        `The editor ended with code ${code}: nothing was changed`,
      );
    }
    return await Deno.readTextFile(file);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
