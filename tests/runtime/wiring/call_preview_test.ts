// Tests the preview of a waiting call: it shows the current file, and only files that the agent may read.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { CallPreview } from "../../../runtime/interface/runtime.ts";
import { answer, doing } from "../executions/executions_of.ts";
import { createTestWorkspace, runToEnd, type TestWorkspace } from "../../support/test_workspace.ts";

const KEY = "sk-live-0123456789abcdef";

/** Opens a service and returns a function that previews a call of an agent whose calls all wait for approval. */
async function openPreviews(shell: Record<string, string> = {}) {
  await using resources = new AsyncDisposableStack();
  const place = resources.use(await createTestWorkspace({ shell }));
  const runtime = resources.use(await place.open());
  const previewOf = async (
    name: string,
    args: unknown,
    settings = "",
  ): Promise<CallPreview | null> => {
    const lines = `confirm: ["*"]\non_pending: parallel\n${settings}`.trimEnd();
    await place.writeScript("writer", doing({ name, arguments: args }), lines);
    const { id, status } = await runToEnd(runtime, "writer");
    assert.equal(status, "waiting");
    return (await runtime.pendingRequest(id)).preview;
  };
  const owned = resources.move();
  return { place, runtime, previewOf, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const put = ({ workspace }: TestWorkspace, name: string, text: string | Uint8Array) =>
  Deno.writeFile(
    join(workspace, name),
    typeof text === "string" ? new TextEncoder().encode(text) : text,
  );

Deno.test("a preview shows the change of the current file and the target of a move", async () => {
  await using on = await openPreviews();
  const { place, runtime, previewOf } = on;
  await put(place, "a.txt", "one\ntwo\n");
  const steps = doing({ name: "file_write", arguments: { path: "a.txt", content: "one\n2\n" } });
  await place.writeScript("writer", steps);
  const { id } = await runToEnd(runtime, "writer");
  const shown = async () => (await runtime.pendingRequest(id)).preview;
  assert.deepEqual(await shown(), {
    path: "a.txt",
    diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    added: 1,
    removed: 1,
    isNewFile: false,
    problem: null,
  });
  await put(place, "a.txt", "one\n");
  assert.equal((await shown())?.diff, "@@ -1,1 +1,2 @@\n one\n+2\n");
  await Deno.remove(join(place.workspace, "a.txt"));
  const expected = [true, "@@ -0,0 +1,2 @@\n+one\n+2\n"];
  assert.deepEqual([(await shown())?.isNewFile, (await shown())?.diff], expected);
  // The preview has not written the file.
  await assert.rejects(Deno.stat(join(place.workspace, "a.txt")), Deno.errors.NotFound);
  await answer(runtime, id, { approved: true });

  await put(place, "e.txt", "one\none\ntwo\n");
  const edit = (old_text: string) =>
    previewOf("file_edit", { path: "e.txt", old_text, new_text: "x" });
  assert.equal((await edit("two"))?.diff, "@@ -1,3 +1,3 @@\n one\n one\n-two\n+x\n");
  assert.match((await edit("three"))?.problem ?? "", /^old_text is not in "e.txt"/);
  const twice = /^old_text is in "e.txt" 2 times, at lines 1, 2/;
  assert.match((await edit("one"))?.problem ?? "", twice);

  await put(place, "a.txt", "one\n");
  await put(place, "b.txt", "two\n");
  await Deno.symlink(join(place.workspace, "a.txt"), join(place.workspace, "link.txt"));
  const remove = (path: string) => previewOf("file_delete", { path });
  const move = (destination: string) => previewOf("file_move", { source: "a.txt", destination });
  const deleted = ["@@ -1,1 +0,0 @@\n-one\n", 1];
  assert.deepEqual([(await remove("a.txt"))?.diff, (await remove("a.txt"))?.removed], deleted);
  const wanted = '"link.txt" is a symbolic link: only the link is deleted.';
  assert.equal((await remove("link.txt"))?.problem, wanted);
  assert.equal((await move("old/a.txt"))?.diff, "rename from a.txt\nrename to old/a.txt\n");
  assert.match((await move("b.txt"))?.problem ?? "", /it exists already/);
  // The preview has not created the folder.
  await assert.rejects(Deno.stat(join(place.workspace, "old")), Deno.errors.NotFound);

  assert.equal(await previewOf("file_read", { path: "a.txt" }), null);
  assert.equal(await previewOf("ask_user", { question: "Which?" }), null);
});

Deno.test("a preview reads no file that the agent may not read", async () => {
  await using on = await openPreviews();
  const { place, previewOf } = on;
  const outside = join(place.root, "outside.txt");
  await Deno.writeTextFile(outside, "PRIVATE\n");
  await Deno.symlink(outside, join(place.workspace, "link.txt"));
  await Deno.symlink(place.root, join(place.workspace, "folder"));
  await put(place, ".env", "PRIVATE=1\n");
  await place.writeAgent("other", "PRIVATE\n");
  await Deno.mkdir(join(place.workspace, "docs"));
  await put(place, "secret.txt", "PRIVATE\n");
  const paths = [
    ...["link.txt", "folder/outside.txt", ".env", "agents/other.md", "../outside.txt", outside],
    "secret.txt",
  ];
  for (const path of paths) {
    const cases = [
      ["file_write", { path, content: "x\n" }],
      ["file_edit", { path, old_text: "PRIVATE", new_text: "x" }],
      ["file_delete", { path }],
      ["file_move", { source: path, destination: "docs/x" }],
    ] as const;
    for (const [name, args] of cases) {
      const shown = await previewOf(name, args, "paths: [docs]");
      const text = JSON.stringify(shown);
      assert.ok(shown?.problem?.startsWith("Cannot "), `${name} ${path}: ${text}`);
      assert.equal(shown?.diff, "");
      assert.doesNotMatch(text, /PRIVATE/);
    }
  }
});

Deno.test("a preview shows no secret or binary file, and at most 64 KB of diff", async () => {
  await using on = await openPreviews({ SERVICE_TOKEN: KEY });
  const { place, previewOf } = on;
  await put(place, "a.txt", `token: ${KEY}\n`);
  const shown = await previewOf("file_write", { path: "a.txt", content: `new: ${KEY}\n` });
  const expected =
    "@@ -1,1 +1,1 @@\n-token: [redacted:SERVICE_TOKEN]\n+new: [redacted:SERVICE_TOKEN]\n";
  assert.equal(shown?.diff, expected);
  const named = await previewOf("file_write", { path: `../${KEY}`, content: "" });
  assert.doesNotMatch(JSON.stringify(named), new RegExp(KEY));

  await put(place, "big.txt", "x".repeat(1024 * 1024 + 1));
  await put(place, "binary", new Uint8Array([0, 1, 2, 3]));
  const write = (path: string, content = "x\n") => previewOf("file_write", { path, content });
  assert.match((await write("big.txt"))?.problem ?? "", /^"big.txt" is over 1 MB/);
  assert.match((await write("binary"))?.problem ?? "", /^"binary" is a binary file/);
  assert.match(
    (await previewOf("file_edit", { path: "big.txt", old_text: "y", new_text: "" }))
      ?.problem ?? "",
    /^"big.txt" is over 1 MB/,
  );
  for (const content of ["ä line\n".repeat(20_000), "ä".repeat(100_000)]) {
    const diff = (await write("new.txt", content))?.diff ?? "";
    assert.ok(new TextEncoder().encode(diff).length <= 64 * 1024 + 100);
    assert.match(diff, /\n\[cut here: the whole diff has \d+ lines\]\n$/);
  }
});
