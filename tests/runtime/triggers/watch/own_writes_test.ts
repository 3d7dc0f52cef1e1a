import assert from "node:assert/strict";
import { join } from "node:path";
import { fileDelete } from "../../../../runtime/tools/builtin/file_delete.ts";
import { fileMove } from "../../../../runtime/tools/builtin/file_move.ts";
import { fileWrite } from "../../../../runtime/tools/builtin/file_write.ts";
import type { FileWrite, WrittenFile } from "../../../../runtime/tools/files/reported_write.ts";
import { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import { OwnWrites } from "../../../../runtime/triggers/watch/own_writes.ts";
import { call, failureOf, SandboxFixture, testContext } from "../../tools/files/sandbox_fixture.ts";

const WRITER = { executionId: 2, agentId: "writer" };
const LINEAGE = [WRITER, { executionId: 1, agentId: "boss" }];

/** A sandbox that records the writes of the agents `writer` and `boss`. */
class Writing implements AsyncDisposable {
  readonly own = new OwnWrites();
  readonly told: FileWrite[] = [];
  private constructor(readonly fixture: SandboxFixture) {}

  static async open(): Promise<Writing> {
    return new Writing(await SandboxFixture.open());
  }

  context() {
    const sandbox = new PathSandbox({
      ...this.fixture.options(),
      onWrite: (write) => {
        this.told.push(write);
        this.own.record(LINEAGE, write);
      },
    });
    return testContext(sandbox);
  }

  path(name: string): string {
    return join(this.fixture.workspace, name);
  }

  async owners(name: string): Promise<string[]> {
    const owners = [];
    for (const agent of ["writer", "boss", "stranger"]) {
      if (await this.own.isOwn(agent, this.path(name))) owners.push(agent);
    }
    return owners;
  }

  [Symbol.asyncDispose]() {
    return this.fixture[Symbol.asyncDispose]();
  }
}

const OWNERS = ["writer", "boss"];

Deno.test("OwnWrites returns the execution that wrote a file, until another change", async () => {
  await using writing = await Writing.open();
  await call(fileWrite, { path: "a.md", content: "one" }, writing.context());
  assert.equal(await writing.own.writerOf(writing.path("a.md")), 1, "the one that delegated");
  const outcome = Promise.resolve({ version: "?", size: 3, sha256: await sha256("two") });
  const agentId = "other";
  writing.own.record([{ executionId: 7, agentId }], { path: writing.path("a.md"), outcome });
  Deno.writeTextFileSync(writing.path("a.md"), "two");
  assert.equal(await writing.own.writerOf(writing.path("a.md")), 7);
  Deno.writeTextFileSync(writing.path("a.md"), "by hand");
  assert.equal(await writing.own.writerOf(writing.path("a.md")), undefined);
  assert.equal(await writing.own.writerOf(writing.path("never.md")), undefined);
});

Deno.test("OwnWrites keeps the writes of several agents to one path apart", async () => {
  await using writing = await Writing.open();
  const path = writing.path("a.md");
  const write = async (agentId: string, content: string) => {
    const left = { version: "?", size: content.length, sha256: await sha256(content) };
    const lineage = [{ executionId: agentId.length, agentId }];
    writing.own.record(lineage, { path, outcome: Promise.resolve(left) });
    Deno.writeTextFileSync(path, content);
  };
  await write("writer", "one");
  await write("boss", "one");
  assert.deepEqual(await writing.owners("a.md"), ["writer", "boss"]);
  await write("stranger", "two");
  assert.equal(await writing.own.isOwn("writer", path), false);
  Deno.writeTextFileSync(path, "one");
  const found = await writing.owners("a.md");
  assert.deepEqual(found, ["boss"], "the writer has seen another's file since");
  Deno.writeTextFileSync(path, "two");
  assert.deepEqual(await writing.owners("a.md"), [], "so has the stranger");
  assert.equal(await writing.own.writerOf(path), "stranger".length, "nobody asked for it before");
});

Deno.test("OwnWrites.isOwn() returns true for a file rewritten with equal content, not with other content", async () => {
  await using writing = await Writing.open();
  await call(fileWrite, { path: "c.md", content: "mine!" }, writing.context());
  const outcome = Promise.resolve("unchanged" as const);
  writing.own.record([WRITER], { path: writing.path("c.md"), outcome });
  assert.deepEqual(await writing.owners("c.md"), OWNERS, "a write that did not happen");
  Deno.writeTextFileSync(writing.path("c.md"), "yours");
  assert.deepEqual(await writing.owners("c.md"), [], "the same size, another content");
  Deno.writeTextFileSync(writing.path("c.md"), "mine!");
  assert.deepEqual(await writing.owners("c.md"), [], "put back by hand: a person's action");
  await call(fileWrite, { path: "a.md", content: "mine" }, writing.context());
  Deno.removeSync(writing.path("a.md"));
  Deno.writeTextFileSync(writing.path("a.md"), "mine");
  assert.deepEqual(await writing.owners("a.md"), OWNERS);
  Deno.removeSync(writing.path("a.md"));
  assert.deepEqual(await writing.owners("a.md"), []);
  await call(fileWrite, { path: "b.md", content: "mine" }, writing.context());
  await call(fileDelete, { path: "b.md" }, writing.context());
  Deno.writeTextFileSync(writing.path("b.md"), "theirs");
  assert.deepEqual(await writing.owners("b.md"), []);
  Deno.removeSync(writing.path("b.md"));
  assert.deepEqual(await writing.owners("b.md"), [], "this removal was not the agent's");
});

Deno.test("OwnWrites records every write before it is visible, and its outcome afterwards", async () => {
  await using writing = await Writing.open();
  const context = writing.context();
  await call(fileWrite, { path: "a.md", content: "one" }, context);
  await call(fileWrite, { path: "b.md", content: "two" }, context);
  await failureOf(call(fileMove, { source: "a.md", destination: "b.md" }, context));
  await failureOf(call(fileDelete, { path: "nothing.md" }, context));
  assert.deepEqual(writing.told.map(({ path }) => path), [
    writing.path("a.md"),
    writing.path("b.md"),
  ]);
  for (const { outcome } of writing.told) await outcome;
});

Deno.test("OwnWrites remembers a limited number of writes and forgets the oldest", async () => {
  const own = new OwnWrites();
  const folder = await Deno.makeTempDir();
  const outcome = Promise.resolve("removed" as const);
  const path = (i: number) => join(folder, `${i}`);
  for (let i = 0; i < 10_001; i++) {
    own.record([{ executionId: 1, agentId: "a" }], { path: path(i), outcome });
  }
  assert.equal(await own.isOwn("a", path(0)), false);
  assert.equal(await own.isOwn("a", path(10_000)), true);
  await Deno.remove(folder);
});

Deno.test("OwnWrites.isOwn() returns true for a path that the agent changes during the check", async () => {
  await using writing = await Writing.open();
  const path = writing.path("a.md");
  const context = writing.context();
  await call(fileWrite, { path: "a.md", content: "one" }, context);
  await call(fileDelete, { path: "a.md" }, context);
  // The check of the removal starts, and the agent writes the file again before the check reads the path.
  const removal = writing.own.isOwn("writer", path);
  const again = Promise.withResolvers<WrittenFile>();
  writing.own.record([WRITER], { path, outcome: again.promise });
  Deno.writeTextFileSync(path, "two");
  const version = { version: "?", size: 3, sha256: await sha256("two") };
  queueMicrotask(() => again.resolve(version));
  assert.equal(await removal, true);
  assert.equal(await writing.own.isOwn("writer", path), true);
});

Deno.test("OwnWrites forgets an obsolete removal without forgetting a newer removal", async () => {
  await using writing = await Writing.open();
  const path = writing.path("a.md");
  const record = (outcome: WrittenFile | "removed") =>
    writing.own.record([WRITER], { path, outcome: Promise.resolve(outcome) });
  record("removed");
  record({ version: "?", size: 3, sha256: await sha256("two") });
  await writing.own.isOwn("stranger", path);
  Deno.writeTextFileSync(path, "two");
  // The present file makes the earlier removal obsolete. Meanwhile the agent removes the file again.
  const asked = writing.own.isOwn("writer", path);
  await Promise.resolve();
  await Promise.resolve();
  record("removed");
  assert.equal(await asked, true);
  Deno.removeSync(path);
  assert.equal(await writing.own.isOwn("writer", path), true);
});

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}
