// What the service loads before it listens. Each package and each of Node's modules takes it 5 to 30 ms and 2 to 15 MB,
// for good: see docs/performance.md.
import assert from "node:assert/strict";
import { importsOf } from "../support/repository.ts";

/** The command's way to a service that listens; each loads the next. */
const LOADED = [
  ...["main.ts", "composition/app.ts", "cli/mod.ts", "cli/commands/service/start.ts"],
  ...["composition/service_life.ts", "runtime/config/settings.ts", "server/routes/health.ts"],
];

Deno.test("start loads few packages, little of Node, and no schema of a request before it listens", () => {
  const seen = new Set<string>();
  const outside = new Set<string>();
  const next = [...LOADED];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const { to, typeOnly, dynamic } of importsOf(file)) {
      if (typeOnly || dynamic) continue;
      if (to.endsWith(".ts")) next.push(to);
      else if (!to.endsWith(".json")) outside.add(to);
    }
  }
  assert.ok(seen.size > 100, "the imports are not found any more");
  const few = ["hono", "node:path", "node:sqlite", "node:timers/promises", "yaml", "zod"];
  assert.deepEqual([...outside].filter((name) => !few.includes(name)), []);
  const late =
    /^server\/(operations\/(openapi|operations)|schemas\/(request|report)_|routes\/(?!dashboard|docs|health|hooks))/;
  assert.deepEqual([...seen].filter((file) => late.test(file)), []);
});
