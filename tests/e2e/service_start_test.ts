// What the service loads before it listens. Each package and each of Node's modules takes it 5 to 30 ms and 2 to 15 MB,
// for good: see docs/performance.md.
import assert from "node:assert/strict";
import { importsOf } from "../support/repository.ts";

/** The command's way to a service that listens; each loads the next. */
const LOADED = [
  ...["main.ts", "app/app.ts", "cli/mod.ts", "cli/commands/service/start.ts"],
  ...["app/service_life.ts", "runtime/config/settings.ts", "api/routes/health.ts"],
];

/** What is loaded with these files, without what is loaded late: our files, and what is not ours. */
function loadedWith(files: readonly string[]): { seen: Set<string>; outside: Set<string> } {
  const seen = new Set<string>();
  const outside = new Set<string>();
  const next = [...files];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const { to, typeOnly, dynamic } of importsOf(file)) {
      if (typeOnly || dynamic) continue;
      if (to.endsWith(".ts")) next.push(to);
      else if (!to.endsWith(".json")) outside.add(to);
    }
  }
  return { seen, outside };
}

Deno.test("start loads few packages, little of Node, and no schema of a request before it listens", () => {
  const { seen, outside } = loadedWith(LOADED);
  assert.ok(seen.size > 100, "the imports are not found any more");
  const few = [
    "hono",
    "hono/utils/url",
    "node:path",
    "node:sqlite",
    "node:timers/promises",
    "yaml",
    "zod",
  ];
  assert.deepEqual([...outside].filter((name) => !few.includes(name)), []);
  const late =
    /^server\/(operations\/openapi|schemas\/(request|report)_|routes\/(?!dashboard|docs|health|hooks))/;
  assert.deepEqual([...seen].filter((file) => late.test(file)), []);
});

/** What only a database has that several services share. */
const SHARED = /^runtime\/(storage\/(postgres\/|nodes\.ts)|executions\/nodes\/)/;

Deno.test("what nodes and PostgreSQL need is loaded neither at the start, nor by doctor and info, without a database", () => {
  for (const file of ["ops/doctor/examine.ts", "ops/setup/setup_report.ts"]) {
    const { seen, outside } = loadedWith([...LOADED, file]);
    assert.deepEqual([...seen].filter((one) => SHARED.test(one)), [], file);
    assert.ok(!outside.has("pg"), file);
  }
});
