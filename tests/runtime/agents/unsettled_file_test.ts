// Tests agent files that are being written: the registry never reads an incomplete file.
import assert from "node:assert/strict";
import { readAgentFile } from "../../../runtime/agents/agent_file.ts";
import { CurrentAgents } from "../../../runtime/agents/current_agents.ts";
import { AgentRegistry } from "../../../runtime/agents/registry.ts";
import type { Clock } from "../../../base/clock.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { parseOptions } from "./parsed_file.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");

/** Calls `body` with a registry over one folder, and with the clock of the folder's files. */
async function withFiles(
  body: (part: { registry: AgentRegistry; files: Files; agentsDir: string }) => Promise<void>,
): Promise<void> {
  await withTempDir(async (workspace) => {
    const agentsDir = `${workspace}/agents`;
    await Deno.mkdir(agentsDir);
    const files = new Files(agentsDir);
    const directories = { workspace, agentsDir };
    const registry = new AgentRegistry({ ...parseOptions(), directories, fileClock: files });
    await body({ registry, files, agentsDir });
  });
}

/** A clock that advances with every sleep, and lets a writer change files meanwhile. */
class Files implements Clock {
  readonly #dir: string;
  #now = START;
  /** Called after each advance of the clock. */
  meanwhile: () => void = () => {};
  constructor(dir: string) {
    this.#dir = dir;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    // A sleep advances the clock by at most 150 ms, so that the writer is faster than the reader.
    this.#now += Math.max(1, Math.min(ms, 150));
    this.meanwhile();
    return Promise.resolve();
  }

  write(name: string, text: string): void {
    // The file is renamed into the folder, so that its real modification time is never visible.
    const staged = `${this.#dir}/.staged`;
    Deno.writeTextFileSync(staged, text);
    Deno.utimeSync(staged, this.#now / 1_000, this.#now / 1_000);
    Deno.renameSync(staged, `${this.#dir}/${name}`);
  }
}

const bodies = (registry: AgentRegistry) => registry.list().map(({ body }) => body);

Deno.test("AgentRegistry waits only for a file that is being written", () =>
  withFiles(async ({ registry, files }) => {
    files.write("a.md", "Half of");
    let writes = 0;
    files.meanwhile = () => ++writes <= 3 && files.write("a.md", `Half of ${writes}`);
    const report = await registry.load();
    assert.deepEqual([bodies(registry), report.errors], [["Half of 3"], []]);
    assert.equal(registry.isUnsettled, false);
    const before = files.now();
    await registry.load();
    assert.equal(files.now(), before, "nothing has changed since");
  }));

Deno.test("AgentRegistry keeps the last valid definition of a file that keeps changing", () =>
  withFiles(async ({ registry, files }) => {
    files.write("a.md", "Whole.");
    await registry.load();
    files.write("a.md", "Half");
    files.meanwhile = () => files.write("a.md", "Half");
    const begun = files.now();
    while (files.now() - begun < 5_000) {
      const loadBegun = files.now();
      assert.deepEqual((await registry.load()).errors, []);
      assert.ok(files.now() - loadBegun <= 1_200, "others do not wait long");
      assert.deepEqual(bodies(registry), ["Whole."]);
      assert.equal(registry.isUnsettled, true);
    }
    const [problem] = (await registry.load()).errors;
    const expected = /^The file keeps changing: its last good definition stays until it stops$/;
    assert.match(problem?.message ?? "", expected);
    assert.equal(registry.get("a")?.warnings.length, 1);
    assert.equal(registry.staleReason("a"), problem);
    files.meanwhile = () => {};
    files.write("a.md", "Whole again.");
    await registry.load();
    assert.deepEqual([bodies(registry), registry.isUnsettled], [["Whole again."], false]);
    assert.deepEqual(registry.get("a")?.warnings, []);
    assert.equal(registry.staleReason("a"), undefined);
  }));

Deno.test("AgentRegistry has no agent for a new file that keeps changing, and reports the reason", () =>
  withFiles(async ({ registry, files }) => {
    files.write("a.md", "Half");
    files.write("b.md", "Whole.");
    files.meanwhile = () => files.write("a.md", "Half");
    await registry.load();
    assert.deepEqual(bodies(registry), ["Whole."]);
    assert.match(
      registry.unreadableProblem("a")?.message ?? "",
      /^The file is still being written/,
    );
  }));

Deno.test("readAgentFile() returns no content of a file that changes during the read", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/a.md`;
    await Deno.writeTextFile(path, "Whole.");
    const { readFile } = Deno;
    const read = () =>
      readAgentFile(path, { known: undefined, fileClock: new TestClock(Date.now() + 3_600_000) });
    try {
      Deno.readFile = async (...args) => {
        const bytes = await readFile(...args);
        await Deno.writeTextFile(path, "Another one.");
        return bytes;
      };
      assert.deepEqual(await read(), { unsettledMs: 200 });
    } finally {
      Deno.readFile = readFile;
    }
    const content = await read();
    assert.ok(content !== undefined && content !== "unchanged" && "bytes" in content);
  }));

Deno.test("readAgentFile() does not wait for a file with a time in the future", () =>
  withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.md`, "Do it.");
    const fileClock = new TestClock(Date.now() - 3_600_000);
    const content = await readAgentFile(`${dir}/a.md`, { known: undefined, fileClock });
    assert.ok(content !== undefined && content !== "unchanged" && "bytes" in content);
  }));

Deno.test("readAgentFile() treats a file that has just changed as being written", () =>
  withTempDir(async (dir) => {
    const path = `${dir}/a.md`;
    await Deno.writeTextFile(path, "Half");
    const { mtime } = await Deno.stat(path);
    // The file system's clock is 50 ms ahead.
    const fileClock = new TestClock((mtime?.getTime() ?? 0) - 50);
    assert.deepEqual(await readAgentFile(path, { known: undefined, fileClock }), {
      unsettledMs: 250,
    });
  }));

Deno.test("CurrentAgents waits for a new file that is being written, for up to five seconds", () =>
  withFiles(async ({ registry, files, agentsDir }) => {
    await registry.load();
    const agents = new CurrentAgents({ registry, agentsDir, reload: () => registry.load() });
    const begun = files.now();
    files.meanwhile = () =>
      files.now() - begun < 2_500 && files.write("new.md", `Half ${files.now() - begun}`);
    files.write("new.md", "Half");
    assert.match((await agents.find("new"))?.body ?? "", /^Half 2\d{3}$/);

    files.meanwhile = () => files.write("endless.md", "Half");
    files.write("endless.md", "Half");
    const before = files.now();
    assert.equal(await agents.find("endless"), undefined);
    assert.ok(files.now() - before >= 5_000);
  }));
