import assert from "node:assert/strict";
import {
  type AgentEntry,
  findAgentFile,
  toAgentEntry,
} from "../../../runtime/agents/agent_entry.ts";
import type { ResourceProblem } from "../../../runtime/agents/validation/validate_resources.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { parseOptions } from "./parsed_file.ts";

/** An hour in which no file has changed. */
const LATER = { fileClock: new TestClock(Date.now() + 3_600_000), deadline: Infinity };

/** Reads `a.md` of a folder. */
async function readEntry(
  agentsDir: string,
  inspect: () => Promise<ResourceProblem[]> = () => Promise.resolve([]),
): Promise<AgentEntry | undefined> {
  const found = await findAgentFile("a.md", { agentsDir, entryOf: () => undefined, ...LATER });
  return await toAgentEntry(found, { ...parseOptions(), now: LATER.deadline, inspect });
}

Deno.test("findAgentFile() knows nothing of a file of the same id and another name", () =>
  withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.md`, "Do it.");
    const previous = await readEntry(dir);
    assert.ok(previous);
    const other = { ...previous, path: `${dir}/other.md` };
    const found = await findAgentFile("a.md", { agentsDir: dir, entryOf: () => other, ...LATER });
    assert.deepEqual([found.id, found.previous], ["a", undefined]);
  }));

Deno.test("toAgentEntry() adds the problems of an agent's resources to its warnings", () =>
  withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/a.md`, "---\nskills: [writing]\n---\nDo it.");
    const inspect = (): Promise<ResourceProblem[]> =>
      Promise.resolve([
        { field: "skills", name: "writing", severity: "warning", message: "It is not there" },
      ]);
    const entry = await readEntry(dir, inspect);
    assert.deepEqual(entry?.good?.agent.warnings.map(({ line, message }) => [line, message]), [
      [2, "It is not there"],
    ]);
    assert.deepEqual(entry.diagnostics, []);
  }));
