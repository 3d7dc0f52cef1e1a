// Tests the second thread of a search: which files it rules out, and that its search finds the same lines as one alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { workerModule } from "../../../../base/program_files.ts";
import { fileSearch } from "../../../../runtime/tools/builtin/file_search.ts";
import { LinePattern } from "../../../../runtime/tools/search/line_pattern.ts";
import type { SearchJob } from "../../../../runtime/tools/search/search_helper.ts";
import { until } from "../../../support/until.ts";
import { testInWorkspace as test } from "../files/sandbox_fixture.ts";

const FILES = 1_050;

test("the second thread of a search rules out exactly the readable files without the pattern's literals", async (fixture) => {
  const texts: Record<string, string> = {
    "a.txt": "an apple",
    "b.txt": "a pear",
    "c.txt": "APPLE",
    "d.bin": "\0 pear",
    "e.txt": "x",
  };
  for (const [name, text] of Object.entries(texts)) await fixture.write(name, text);
  await fixture.write("large.txt", "pear\n".repeat(300_000));
  const names = ["first", ...Object.keys(texts), "large.txt", "missing"];
  const ruledOut = async (source: string, ignoreCase: boolean) => {
    const pattern = await LinePattern.compile(source, { literal: false, ignoreCase });
    const job: SearchJob = {
      paths: names.map((name) => join(fixture.workspace, name)),
      done: new Uint8Array(new SharedArrayBuffer(names.length)),
      literals: pattern.literals!,
    };
    await fixture.write("first", "pear");
    const worker = new Worker(workerModule("search_worker"), { type: "module" });
    try {
      worker.postMessage(job);
      // The thread begins with the last file, so the first file is the last that it rules out.
      await until(() => Atomics.load(job.done, 0) === 1, "the first file is ruled out");
      return names.filter((_, index) => job.done[index] === 1);
    } finally {
      worker.terminate();
    }
  };
  assert.deepEqual(await ruledOut("apple", false), ["first", "b.txt", "c.txt", "d.bin", "e.txt"]);
  assert.deepEqual(await ruledOut("a(pp|qq)le", true), ["first", "b.txt", "d.bin", "e.txt"]);
});

test("a search of many files finds each match once, in order", async (fixture) => {
  const expected: string[] = [];
  await fixture.write("hit", "pear\na needle here\n");
  await fixture.write("miss", "pear\nplum\n");
  for (let number = 0; number < FILES; number++) {
    const name = `f${String(number).padStart(4, "0")}.txt`;
    const isHit = number % 97 === 0;
    const [source, target] = [isHit ? "hit" : "miss", name];
    Deno.linkSync(join(fixture.workspace, source), join(fixture.workspace, target));
    if (isHit) expected.push(`${name}:2: a needle here`);
  }
  await Deno.remove(join(fixture.workspace, "hit"));
  for (let round = 0; round < 2; round++) {
    const found = await fixture.call(fileSearch, { pattern: "needle", literal: true });
    assert.equal(found, expected.join("\n"));
  }
});
