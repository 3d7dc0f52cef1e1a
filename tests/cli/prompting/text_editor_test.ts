import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { CommandFailure } from "../../../cli/context/exit.ts";
import { editText } from "../../../cli/prompting/text_editor.ts";
import { createTempDir } from "../../support/temp_dir.ts";

const PATH = { PATH: Deno.env.get("PATH") ?? "" };

/** Creates an executable script that serves as the editor; its last argument is the edited file. */
async function withEditor(
  script: string,
  use: (editor: string, log: string) => Promise<void>,
): Promise<void> {
  await using folder = await createTempDir();
  const editor = join(folder.path, "editor");
  await Deno.writeTextFile(editor, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  await use(editor, join(folder.path, "log"));
}

const isThere = (path: string) => Deno.stat(path).then(() => true, () => false);

Deno.test("editText() opens a private file, and leaves no files behind", async () => {
  // The command may contain options, and an editor may create other files.
  const script = 'printf "%s\\n" "$1" "$2" "$(cat "$2")" > "$(dirname "$0")/log"\n' +
    'stat -c %a "$2" "$(dirname "$2")" >> "$(dirname "$0")/log" 2>/dev/null\n' +
    'printf new > "$2"; touch "$2~"';
  await withEditor(script, async (editor, log) => {
    const edited = await editText("old", "arguments.json", {
      ...PATH,
      VISUAL: `${editor} --wait`,
    });
    assert.equal(edited, "new");
    const [option, path = "", text, ...modes] = (await Deno.readTextFile(log)).trim().split("\n");
    assert.deepEqual([option, text], ["--wait", "old"]);
    assert.match(path, /\/arguments\.json$/);
    if (Deno.build.os === "linux") assert.deepEqual(modes, ["600", "700"]);
    assert.equal(await isThere(join(path, "..")), false);
  });
});

Deno.test("editText() prefers VISUAL to EDITOR, and reports a missing or failed editor", async () => {
  await withEditor("exit 3", async (editor) => {
    const failing = editText("old", "a.json", { ...PATH, VISUAL: " ", EDITOR: editor });
    await assert.rejects(failing, /The editor ended with code 3: nothing was changed/);
    const first = editText("old", "a.json", { ...PATH, VISUAL: "true", EDITOR: editor });
    assert.equal(await first, "old");
  });
  await withEditor('printf "%s" "${0##*/}" > "$1"', async (editor) => {
    const folder = dirname(editor);
    // Without VISUAL and EDITOR, the first installed editor of this list starts.
    for (const name of ["vi", "nano", "sensible-editor"]) {
      await Deno.copyFile(editor, join(folder, name));
      assert.equal(await editText("old", "a.md", { PATH: folder }), name);
    }
  });
  await assert.rejects(
    editText("old", "a.json", { PATH: "/nowhere" }),
    (error) => error instanceof CommandFailure && /set VISUAL or EDITOR/.test(error.message),
  );
});
