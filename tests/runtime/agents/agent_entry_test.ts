import assert from "node:assert/strict";
import {
  type AgentEntry,
  findAgentFile,
  liveAgent,
  toAgentEntry,
} from "../../../runtime/agents/agent_entry.ts";
import type { ResourceProblem } from "../../../runtime/agents/validation/validate_resources.ts";
import { age, withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { parseOptions } from "./parsed_file.ts";

/** An hour in which no file has changed. */
const LATER = { fileClock: new TestClock(Date.now() + 3_600_000), deadline: Infinity };

/** Reads the file of a name in a folder, with what was known of it. */
async function readEntry(
  agentsDir: string,
  { name = "a.md", previous, inspect }: {
    name?: string;
    previous?: AgentEntry | undefined;
    inspect?: () => Promise<ResourceProblem[]>;
  } = {},
): Promise<AgentEntry | undefined> {
  const found = await findAgentFile(name, { agentsDir, entryOf: () => previous, ...LATER });
  return await toAgentEntry(found, {
    ...parseOptions(),
    now: LATER.deadline,
    ...(inspect && { inspect }),
  });
}

Deno.test("toAgentEntry() has no entry for what is not there, or no file", async () => {
  await withTempDir(async (dir) => {
    assert.equal(await readEntry(dir), undefined);
    await Deno.mkdir(`${dir}/a.md`);
    assert.equal(await readEntry(dir), undefined);
  });
});

Deno.test("toAgentEntry() keeps the entry of a file with the stamp of before, and the agent of the same bytes", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.md`, "Do it.");
    await age(`${dir}/a.md`);
    const first = await readEntry(dir);
    assert.ok(first?.good);
    assert.equal(await readEntry(dir, { previous: first }), first);
    await age(`${dir}/a.md`, 2);
    const second = await readEntry(dir, { previous: first });
    assert.notEqual(second?.stamp, first.stamp);
    assert.equal(second?.good?.agent, first.good.agent);
  });
});

Deno.test("toAgentEntry() keeps the last good definition of a file that does not parse", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.md`, "Do it.");
    const previous = await readEntry(dir);
    assert.ok(previous);
    await Deno.writeTextFile(`${dir}/a.md`, "---\nhistory: 7\n---\nOther.");
    const broken = await readEntry(dir, { previous });
    assert.ok(broken);
    assert.equal(broken.good, previous.good);
    const live = liveAgent(broken);
    assert.equal(live?.body, "Do it.");
    assert.deepEqual(live.warnings, broken.diagnostics);
    const never = await readEntry(dir);
    assert.ok(never);
    assert.equal(liveAgent(never), undefined);
  });
});

Deno.test("findAgentFile() knows nothing of a file of the same id and another name", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.md`, "Do it.");
    const previous = await readEntry(dir);
    assert.ok(previous);
    const other = { ...previous, path: `${dir}/other.md` };
    const found = await findAgentFile("a.md", { agentsDir: dir, entryOf: () => other, ...LATER });
    assert.deepEqual([found.id, found.previous], ["a", undefined]);
  });
});

Deno.test("toAgentEntry() tells what stands in an agent's way among its warnings", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.md`, "---\nskills: [writing]\n---\nDo it.");
    const inspect = (): Promise<ResourceProblem[]> =>
      Promise.resolve([
        { field: "skills", name: "writing", severity: "warning", message: "It is not there" },
      ]);
    const entry = await readEntry(dir, { inspect });
    assert.deepEqual(entry?.good?.agent.warnings.map(({ line, message }) => [line, message]), [
      [2, "It is not there"],
    ]);
    assert.deepEqual(entry.diagnostics, []);
  });
});
