// Tests the effects and results of the calls of one reply, through the runtime's interface.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTestWorkspace, runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { answerToEnd, call, FREE, resultsOf, started, writeConfig } from "../executions_of.ts";
import { doing, writeSkill } from "../executions_of.ts";

/** The number of replies in a script. With several replies, a wrong order of calls shows at least once. */
const REPLIES = 3;

Deno.test("calls of one reply change a memory or file in order, also through a symlink", async () => {
  await using place = await createTestWorkspace();
  const sections = Array.from({ length: REPLIES }, (_, i) => `S${i}`);
  await place.writeScript("keeper", [
    ...sections.map((section) => ({
      call: [
        call("memory_save", { section, content: "one" }),
        call("memory_append", { section, content: "two" }),
        call("memory_retrieve", { section }),
        call("memory_append", { section, content: "three" }),
      ],
    })),
    { say: "Done." },
  ], "settings: {max_tool_calls: none}");
  await using runtime = await place.open();
  const { id, status } = await runToEnd(runtime, "keeper");
  assert.equal(status, "success");
  const found = await Deno.readTextFile(join(place.agentsDir, "keeper.memory.md"));
  assert.equal(found, sections.map((name) => `# ${name}\n\none\ntwo\nthree\n`).join("\n"));
  const retrieved = (await resultsOf(runtime, id)).filter(({ tool_name }) =>
    tool_name === "memory_retrieve"
  );
  assert.deepEqual(retrieved.map(({ content }) => content), sections.map(() => "one\ntwo"));

  await Deno.mkdir(join(place.workspace, "notes"));
  await Deno.symlink("notes", join(place.workspace, "linked"));
  const files = Array.from({ length: REPLIES }, (_, i) => `${i}.txt`);
  await place.writeScript("writer", [
    ...files.map((name) => ({
      call: [
        // The first call has the longest text, so its preparation takes longest. A wrong order would show.
        call("file_write", { path: `notes/${name}`, content: "1".repeat(100_000) }),
        call("file_write", { path: `linked/${name}`, content: "2" }),
        call("file_edit", { path: `notes/../notes/${name}`, old_text: "2", new_text: "3" }),
        call("file_read", { path: `linked/${name}`, with_line_numbers: false }),
        call("file_move", { source: `notes/${name}`, destination: `moved/${name}` }),
        call("file_write", { path: `notes/${name}`, content: "4" }),
        call("file_delete", { path: `linked/${name}` }),
        call("file_write", { path: `notes/${name}`, content: "5" }),
      ],
    })),
    { say: "Done." },
  ], `${FREE}\nsettings: {max_tool_calls: none, max_execution_tokens: none}`);
  const { id: writer, status: ended } = await runToEnd(runtime, "writer");
  assert.equal(ended, "success");
  const results = await resultsOf(runtime, writer);
  assert.deepEqual(results.filter(({ is_error }) => is_error === true), []);
  assert.deepEqual(
    results.filter(({ tool_name }) => tool_name === "file_read").map(({ content }) => content),
    files.map(() => "3"),
  );
  for (const name of files) {
    assert.equal(await Deno.readTextFile(join(place.workspace, "moved", name)), "3");
    assert.equal(await Deno.readTextFile(join(place.workspace, "notes", name)), "5");
  }

  const line = "x".repeat(1_023) + "\n";
  await Deno.writeTextFile(join(place.workspace, "a.txt"), line.repeat(400));
  const deep = join(place.workspace, ...Array.from({ length: 5 }, () => "d".repeat(250)));
  await Deno.mkdir(deep, { recursive: true });
  for (let i = 0; i < 100; i++) await Deno.writeTextFile(join(deep, `${i}.md`), "");
  await writeSkill(place, "long", "Read it.");
  await writeConfig(place, "skills/long/a.txt", line.repeat(400));
  await place.writeScript(
    "reader",
    doing(
      call("file_read", { path: "a.txt", with_line_numbers: false }),
      call("skill_read_file", { skill_name: "long", file_path: "a.txt" }),
      call("skill_read_file", {
        skill_name: "long",
        file_path: "a.txt",
        offset: 400,
        column: 1_020,
      }),
      call("file_glob", { pattern: "**/*.md" }),
    ),
    "skills: [long]\nsettings: {max_execution_tokens: none}",
  );
  const { id: reader, status: readerStatus } = await runToEnd(runtime, "reader");
  assert.equal(readerStatus, "success");
  const long = await resultsOf(runtime, reader);
  const of = (tool: string) =>
    long.filter(({ tool_name }) => tool_name === tool).map(({ content }) => String(content));
  const shown = line.repeat(256) +
    "(Lines 1-256 are shown; there is more. Continue with offset=257.)";
  assert.deepEqual(of("file_read"), [shown]);
  assert.deepEqual(of("skill_read_file").sort(), ["xxxx", shown]);
  const [other = ""] = of("file_glob");
  assert.ok(other.length <= 100 * 1024);
  assert.match(other, /\[The result is cut here: 99 KB of \d+ KB are shown\./);
});

Deno.test("an agent that confirms every tool waits before each call, except exempt tools", async () => {
  await using on = await started(
    "careful",
    doing(
      call("memory_save", { section: "A", content: "one" }),
      call("file_glob", { pattern: "*" }),
    ),
    'confirm: ["*"]\nauto_approve: [file_glob]',
  );
  const { runtime, id, status } = on;
  assert.equal(status, "waiting");
  assert.equal((await runtime.pendingRequest(id)).message, "Allow memory_save?");
  assert.equal((await answerToEnd(runtime, id, { approved: true })).status, "success");
});

Deno.test("a call that still waits for its turn does not start after a cancel", async () => {
  await using place = await createTestWorkspace();
  // The lock on the folder blocks every access to the memory.
  using locked = await Deno.open(place.agentsDir);
  await locked.lock(true);
  await place.writeScript(
    "keeper",
    doing(
      call("memory_append", { section: "A", content: "one" }),
      call("memory_append", { section: "A", content: "two" }),
      call("file_write", { path: "a.txt", content: "done" }),
    ),
    FREE,
  );
  await using runtime = await place.open();
  const { id } = await runtime.run("keeper", {});
  const isDone = () => Deno.stat(join(place.workspace, "a.txt")).then(() => true, () => false);
  await until(isDone, "the file, which waits for no memory");
  await runtime.cancel(id);
  assert.equal((await toEnd(runtime, id)).status, "aborted");
  locked.unlockSync();
  await assert.rejects(Deno.stat(join(place.agentsDir, "keeper.memory.md")), Deno.errors.NotFound);
});
