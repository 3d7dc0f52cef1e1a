// Opens a text in the user's editor.
import { join } from "../../base/plain_path.ts";
import { runAtTerminal } from "../../base/programs/system_program.ts";
import { commandFailed, misuse } from "../context/exit.ts";

/** The editors that are tried in this order if neither VISUAL nor EDITOR is set. */
const FALLBACKS = ["sensible-editor", "nano", "vi"];
/** The exit code with which a shell reports a missing program. */
const NOT_FOUND = 127;

/**
 * Opens the text in the editor that VISUAL or EDITOR names, or in an installed editor. Resolves to the text that the user
 * saved. The text is in a temporary file that only this user can read. The file's folder, with the editor's backup files,
 * is removed afterward. Throws CommandFailure if there is no editor or the editor fails.
 */
export async function editText(
  text: string,
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const editor = [environment["VISUAL"], environment["EDITOR"]]
    .find((one) => one !== undefined && one.trim() !== "");
  // A shell runs the command, because the variables may contain options, as in `code --wait`.
  const command = editor === undefined
    ? `for one in ${FALLBACKS.join(" ")}; do command -v $one >/dev/null && exec $one "$1"; done; ` +
      `exit ${NOT_FOUND}`
    : `${editor} "$1"`;
  const folder = await Deno.makeTempDir({ prefix: "inkling-edit-" });
  try {
    const file = join(folder, name);
    await Deno.writeTextFile(file, text, { createNew: true, mode: 0o600 });
    const { success, code } = await runAtTerminal(["/bin/sh", "-c", command, "sh", file], {
      environment,
    });
    if (editor === undefined && code === NOT_FOUND) {
      throw misuse(
        `No editor is installed (${
          FALLBACKS.join(", ")
        }): set VISUAL or EDITOR to the command of ` +
          "your editor",
      );
    }
    if (!success) {
      throw commandFailed(`The editor ended with code ${code}: nothing was changed`);
    }
    return await Deno.readTextFile(file);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
