// Tests long-term memory: the tools with a real folder, texts that people edit, and concurrent writers.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  memoryAppend,
  memoryRetrieve,
  memorySave,
  SECTION_LIMIT_BYTES,
} from "../../../../runtime/tools/builtin/memory.ts";
import {
  changeMemory,
  listSections,
  MEMORY_LIMIT_BYTES,
  memoryPathOf,
} from "../../../../runtime/tools/memory/memory_file.ts";
import { MAX_SECTIONS } from "../../../../runtime/tools/memory/memory_document.ts";
import type { ToolContext } from "../../../../runtime/tools/definition/tool.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { call, CANARY, failureOf, SandboxFixture, testContext } from "../files/sandbox_fixture.ts";

/** An agent with its memory tools and its memory file. */
class MemoryFixture implements AsyncDisposable {
  readonly agentsDir: string;
  readonly path: string;
  readonly context: ToolContext;

  private constructor(readonly files: SandboxFixture) {
    this.agentsDir = join(files.workspace, "agents");
    this.context = {
      ...testContext(files.sandbox()),
      agent: createTestAgent({ sourcePath: join(this.agentsDir, "tester.md") }),
    };
    this.path = join(this.agentsDir, "tester.memory.md");
  }

  static async open(text?: string): Promise<MemoryFixture> {
    const fixture = new MemoryFixture(await SandboxFixture.open());
    if (text !== undefined) await Deno.writeTextFile(fixture.path, text);
    return fixture;
  }

  save(section: string, content: string): Promise<string> {
    return call(memorySave, { section, content }, this.context);
  }

  append(section: string, content: string): Promise<string> {
    return call(memoryAppend, { section, content }, this.context);
  }

  retrieve(section?: string): Promise<string> {
    return call(memoryRetrieve, section === undefined ? {} : { section }, this.context);
  }

  text(): Promise<string> {
    return Deno.readTextFile(this.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.files[Symbol.asyncDispose]();
  }
}

/** Defines a test that gets an agent without a memory. */
function test(name: string, body: (memory: MemoryFixture) => Promise<void>): void {
  Deno.test(name, async () => {
    await using memory = await MemoryFixture.open();
    await body(memory);
  });
}

test("memory_save creates a private file beside the agent's file, and replaces a section", async (memory) => {
  assert.equal(memoryPathOf(memory.context.agent), memory.path);
  const shown = await memory.save(" People ", "Ask before noon.");
  assert.equal(shown, 'Saved the section "People" (now 1 line, 16 characters).');
  assert.equal(((await Deno.stat(memory.path)).mode ?? 0) & 0o777, 0o600);
  await memory.save("Places", "Rome\nOslo\n");
  await memory.save("PEOPLE", "Ask after noon.");
  assert.equal(await memory.text(), "# People\n\nAsk after noon.\n\n# Places\n\nRome\nOslo\n\n");
  assert.equal(await memory.retrieve("places"), "Rome\nOslo\n");
  assert.deepEqual(
    (await Array.fromAsync(Deno.readDir(memory.agentsDir))).map(({ name }) => name).sort(),
    ["me.md", "tester.memory.md"],
  );
});

Deno.test("memory_save keeps a file's mode, and does not rewrite an unchanged file", async () => {
  await using memory = await MemoryFixture.open("# A\n\nx\n");
  await Deno.chmod(memory.path, 0o640);
  const { ino } = await Deno.stat(memory.path);
  await memory.save("A", "x");
  assert.equal((await Deno.stat(memory.path)).ino, ino);
  await memory.save("A", "y");
  assert.equal(((await Deno.stat(memory.path)).mode ?? 0) & 0o777, 0o640);
});

test("memory_append adds lines to a section, and creates a missing section", async (memory) => {
  await memory.append("Log", "one");
  await memory.append("Log", "two\n");
  const text = await memory.append("log", "three");
  assert.equal(text, 'Added to the section "Log" (now 3 lines, 13 characters).');
  assert.equal(await memory.retrieve("Log"), "one\ntwo\nthree");
  // The result asks to condense a section of more than 50 lines.
  assert.doesNotMatch(await memory.save("Long", "x\n".repeat(50)), /condense/);
  const expected =
    /\(now 51 lines, 101 characters\)\. It is long: condense it with memory_save .* at most 50 lines\.$/;
  assert.match(await memory.append("Long", "x"), expected);
  assert.match(await memory.save("Long", "x\n".repeat(51)), /condense/);
});

Deno.test("memory_retrieve lists the sections with their sizes, and the text above them", async () => {
  await using memory = await MemoryFixture.open();
  // A missing file counts as an empty memory.
  assert.equal(await memory.retrieve(), "The memory has no sections.");
  const none = 'There is no section "A". The memory has none.';
  assert.equal(await failureOf(memory.retrieve("A")), none);
  assert.deepEqual(await listSections(memory.path), []);
  await assert.rejects(Deno.stat(memory.path), Deno.errors.NotFound);
  await Deno.writeTextFile(memory.path, "Kept by hand.\n\n# A\n\nx\ny\n\n# B\n");
  assert.equal(
    await memory.retrieve(),
    "- A (2 lines, 3 characters)\n- B (0 lines, 0 characters)\n\n" +
      "Above the first section a person wrote:\nKept by hand.",
  );
  assert.equal(await memory.retrieve("B"), '(The section "B" is empty.)');
  const message = await failureOf(memory.retrieve("C"));
  assert.equal(message, 'There is no section "C". Its sections: "A", "B".');
  assert.deepEqual(await listSections(memory.path), ["A", "B"]);
});

Deno.test("listSections() notices that a missing memory file was created", async () => {
  await using memory = await MemoryFixture.open();
  // A folder that changed recently is checked every time, because file times have long ticks.
  const longAgo = new Date("2020-01-01");
  await Deno.utime(memory.agentsDir, longAgo, longAgo);
  for (let n = 0; n < 2; n++) assert.deepEqual(await listSections(memory.path), []);
  await memory.save("People", "Ada");
  assert.deepEqual(await listSections(memory.path), ["People"]);
  await Deno.remove(memory.path);
  await Deno.utime(memory.agentsDir, longAgo, longAgo);
  for (let n = 0; n < 2; n++) assert.deepEqual(await listSections(memory.path), []);
});

Deno.test("memory tools refuse invalid names, and declare their effects", () => {
  const bad = (section: string) => () => memorySave.check({ section, content: "" });
  assert.throws(bad("  "), /"section": must not be empty/);
  assert.throws(bad("a".repeat(201)), /"section": must have at most 200 characters/);
  for (const odd of ["a\nb", "a\rb", "a\0b", "a\u2028b", "a\u001bb", "a\ud800b"]) {
    assert.throws(bad(odd), /"section": must be one line without control characters/);
  }
  assert.deepEqual(memorySave.check({ section: " a ", content: "" }), {
    section: "a",
    content: "",
  });
  const attempt = () => memoryAppend.check({ section: "a", content: "" });
  assert.throws(attempt, /"content": must not be empty/);
  const args = { section: "a", content: "x" };
  const effects = [memorySave.effect(args), memoryAppend.effect(args), memoryRetrieve.effect({})];
  assert.deepEqual(effects, ["idempotent", "unsafe", "read"]);
});

test("memory_save escapes headings in a section's content", async (memory) => {
  const content = "# B\n\\# C\n## D\n#tag\ra\n\r# E";
  await memory.save("A", content);
  await memory.save("B", "mine");
  assert.deepEqual(await listSections(memory.path), ["A", "B"]);
  assert.equal(await memory.retrieve("A"), content);
  assert.match(await memory.text(), /^# A\n\n\\# B\n\\\\# C\n## D\n#tag\ra\n\r\\# E\n\n# B\n/);
});

Deno.test("memory_save changes only its section in a file that a person wrote", async () => {
  const before = "\ufeffNotes  \n\n\n#A\n# one #\nx\n   # indented\n\n\n#\ttwo\n```\n";
  await using memory = await MemoryFixture.open(before);
  assert.deepEqual(await listSections(memory.path), ["one #", "two"]);
  await memory.save("new", "n");
  assert.equal(await memory.text(), `${before}\n# new\n\nn\n`);
  await memory.save("two", "t");
  const expected =
    "\ufeffNotes  \n\n\n#A\n# one #\nx\n   # indented\n\n\n#\ttwo\n\nt\n\n# new\n\nn\n";
  assert.equal(await memory.text(), expected);
  assert.equal(await memory.retrieve("one #"), "x\n   # indented\n");
});

Deno.test("memory_save keeps CRLF line endings, and memory_retrieve returns LF", async () => {
  await using memory = await MemoryFixture.open("Top\r\n\r\n# A\r\n\r\nx\r\ny\r\n\r\n# B\r\nz");
  assert.equal(await memory.retrieve("A"), "x\ny");
  await memory.save("A", "1\n2");
  await memory.save("C", "odd\r\nends\r");
  const expected =
    "Top\r\n\r\n# A\r\n\r\n1\r\n2\r\n\r\n# B\r\nz\r\n\r\n# C\r\n\r\nodd\r\r\nends\r\r\n";
  assert.equal(await memory.text(), expected);
  assert.equal(await memory.retrieve("A"), "1\n2");
  assert.equal(await memory.retrieve("B"), "z");
  assert.equal(await memory.retrieve("C"), "odd\r\nends\r");
});

Deno.test("memory tools merge headings with equal names to one section", async () => {
  await using memory = await MemoryFixture.open("# A\n\nx\n\n# B\n\nb\n\n# Ａ\n\n# a\n\ny\n");
  assert.deepEqual(await listSections(memory.path), ["A", "B", "Ａ"]);
  assert.equal(await memory.retrieve("a"), "x\n\ny");
  await memory.append("A", "z");
  assert.equal(await memory.retrieve("A"), "x\n\ny\nz");
  assert.equal(await memory.text(), "# A\n\nx\n\ny\nz\n\n# B\n\nb\n\n# Ａ\n");
});

test("memory_save and memory_append refuse texts over the limit without a change", async (memory) => {
  await memory.save("A", "ü".repeat(SECTION_LIMIT_BYTES / 2));
  const before = await memory.text();
  const wanted =
    /^The section "A" would have 97 KB; a section may have 96 KB\. Nothing was changed\./;
  assert.match(await failureOf(memory.append("A", "x")), wanted);
  const filler = "x".repeat(SECTION_LIMIT_BYTES);
  for (let n = 1; n <= 9; n++) await memory.save(`B${n}`, filler);
  const full = await memory.text();
  const expected = /^The memory would have \d+ KB; it may have 1024 KB\. Nothing was changed\./;
  assert.match(await failureOf(memory.save("C", filler)), expected);
  assert.ok(full.startsWith(before));
  assert.equal(await memory.text(), full);
});

Deno.test("memory tools refuse more than a thousand sections without a change", async () => {
  const text = Array.from({ length: MAX_SECTIONS }, (_, n) => `# s${n}\n\nx\n\n`).join("");
  await using memory = await MemoryFixture.open(text);
  assert.match(await memory.save("S7", "y"), /^Saved the section "s7"/);
  const before = await memory.text();
  const expected =
    "The memory would have more than 1000 sections. Nothing was changed. Add to an existing section.";
  assert.equal(await failureOf(memory.append("One more", "x")), expected);
  assert.equal(await memory.text(), before);
  await Deno.writeTextFile(memory.path, `${before}\n# by hand\n`);
  const tooMany = 'Cannot read "tester.memory.md": it has more than 1000 sections. ' +
    "A person must shorten it.";
  assert.equal(await failureOf(memory.retrieve()), tooMany);
  assert.equal(await failureOf(memory.save("S7", "z")), tooMany);
  assert.equal(await memory.text(), `${before}\n# by hand\n`);
});

Deno.test("memory tools refuse a file that is too long, binary or not regular", async () => {
  await using memory = await MemoryFixture.open("x".repeat(MEMORY_LIMIT_BYTES + 1));
  const tooLong = 'Cannot read "tester.memory.md": it has 1025 KB, more than 1024 KB. ' +
    "A person must shorten it.";
  assert.equal(await failureOf(memory.retrieve()), tooLong);
  assert.equal(await failureOf(memory.save("A", "")), tooLong);
  const bytes = new Uint8Array([0x23, 0x20, 0x41, 0x0a, 0xff]);
  await Deno.writeFile(memory.path, bytes);
  assert.match(await failureOf(memory.append("A", "x")), /it is not UTF-8 text/);
  assert.deepEqual(await Deno.readFile(memory.path), bytes);
  await Deno.remove(memory.path);
  await Deno.mkdir(memory.path);
  assert.match(await failureOf(memory.save("A", "x")), /it is not a file/);
});

test("memory tools follow only a symlink to another memory file", async (memory) => {
  const { base, outside } = memory.files;
  const secrets = [
    join(outside, "secret.txt"),
    join(outside, "secret.memory.md"),
    join(memory.agentsDir, "me.md"),
  ];
  await Deno.writeTextFile(join(outside, "secret.memory.md"), CANARY);
  for (const target of secrets) {
    await Deno.symlink(target, memory.path);
    const works = [
      () => memory.retrieve(),
      () => memory.save("A", "x"),
      () => memory.append("A", "x"),
    ];
    for (const work of works) {
      const message = await failureOf(work());
      assert.match(message, /^Cannot use "tester\.memory\.md": it is a symbolic link/);
      assert.ok(!message.includes(base));
    }
    assert.equal(await Deno.readTextFile(target), CANARY);
    await Deno.remove(memory.path);
  }
  await Deno.symlink(join(outside, "nothing.memory.md"), memory.path);
  const sentence = await failureOf(memory.save("A", "x"));
  assert.equal(sentence, 'Cannot use "tester.memory.md": it does not exist.');
  await Deno.remove(memory.path);
  await Deno.symlink("team.memory.md", memory.path);
  await Deno.writeTextFile(join(memory.agentsDir, "team.memory.md"), "# A\n\nold\n");
  await memory.append("A", "new");
  assert.equal(await memory.retrieve("A"), "old\nnew");
  assert.ok((await Deno.lstat(memory.path)).isSymlink);
});

test("concurrent memory_append calls of two runs keep all entries in order", async (memory) => {
  const run = async (executionId: number) => {
    const context = { ...memory.context, executionId };
    for (let n = 0; n < 20; n++) {
      await call(memoryAppend, { section: "Log", content: `${executionId}:${n}` }, context);
    }
  };
  await Promise.all([run(1), run(2)]);
  const lines = (await memory.retrieve("Log")).split("\n");
  assert.equal(lines.length, 40);
  for (const id of [1, 2]) {
    const found = lines.filter((line) => line.startsWith(`${id}:`));
    assert.deepEqual(found, Array.from({ length: 20 }, (_, n) => `${id}:${n}`));
  }
});

test("changeMemory() stops its wait for a lock on abort", async (memory) => {
  using held = await Deno.open(memory.agentsDir);
  assert.ok(await held.tryLock(true));
  const stop = new AbortController();
  const waiting = changeMemory(memory.path, (one) => one.withSection("A", "x"), {
    clock: {
      now: () => 0,
      sleep: (_ms, signal) => {
        stop.abort(new Error("stopped"));
        signal?.throwIfAborted();
        return Promise.resolve();
      },
    },
    signal: stop.signal,
  });
  await assert.rejects(waiting, { message: "stopped" });
  await assert.rejects(Deno.stat(memory.path), Deno.errors.NotFound);
});
