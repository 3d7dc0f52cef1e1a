// A text changed in the editor of the person at the terminal, as git and crontab do it.
import { join } from "node:path";
import { CommandFailure, EXIT } from "../exit.ts";

/** Opens a text in an editor, under a file name that tells what it is; resolves to what was saved. */
export type EditText = (text: string, name: string) => Promise<string>;

/** Opened where neither VISUAL nor EDITOR names one: the first of them that is installed. */
const FALLBACKS = ["sensible-editor", "nano", "vi"];
/** What a shell answers where a program is not there. */
const NOT_FOUND = 127;

/**
 * Opens the person's editor (VISUAL, EDITOR, else what is installed) on a file that only this user can read, in a folder that
 * goes when the editor ends, with all that the editor left beside it. Throws CommandFailure where there is no editor, or it
 * fails.
 */
export async function editText(
  text: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const editor = [environment["VISUAL"], environment["EDITOR"]]
    .find((one) => one !== undefined && one.trim() !== "");
  // They may hold options, as in `code --wait`: a shell takes them apart.
  const command = editor === undefined
    ? `for one in ${FALLBACKS.join(" ")}; do command -v $one >/dev/null && exec $one "$1"; done; ` +
      `exit ${NOT_FOUND}`
    : `${editor} "$1"`;
  const folder = await Deno.makeTempDir({ prefix: "inkling-edit-" });
  try {
    const file = join(folder, name);
    await Deno.writeTextFile(file, text, { createNew: true, mode: 0o600 });
    const { success, code } = await new Deno.Command("/bin/sh", {
      args: ["-c", command, "sh", file],
      clearEnv: true,
      env: Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, value ?? ""]),
      ),
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn().status;
    if (editor === undefined && code === NOT_FOUND) {
      throw new CommandFailure(
        EXIT.usage,
        `There is no editor (${FALLBACKS.join(", ")}): set VISUAL or EDITOR to the program that ` +
          "should open the text",
      );
    }
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
