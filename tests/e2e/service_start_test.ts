// Tests which modules the service loads before it listens. Each npm package or Node module costs 5 to 30 ms and 2 to 15 MB;
// see docs/performance.md.
import assert from "node:assert/strict";
import { importsOf } from "../support/repository.ts";

/** The entry modules that `start` loads until the service listens. */
const LOADED = [
  ...["main.ts", "app/app.ts", "cli/mod.ts", "cli/commands/service/start.ts"],
  ...["app/service_life.ts", "runtime/config/settings.ts", "api/routes/health.ts"],
];

/** Returns the files and packages that these files import without `import()`. */
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

Deno.test("start loads few packages and no request schema before it listens", () => {
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
    /^server\/(operations\/openapi|schemas\/(request|report)_|routes\/(?!dashboard|docs|guide|health|hooks))/;
  assert.deepEqual([...seen].filter((file) => late.test(file)), []);
});

/** The modules for parts of the service that a workspace may never use. */
const UNUSED =
  /^(reach|server\/sign_in|app\/(chats|local_client)|api\/client\/in_process)|sign_in_(cookie|needed)/;

Deno.test("a listening service has loaded nothing for chats, other protocols and sign-ins", () => {
  const { seen } = loadedWith([...LOADED, "runtime/mod.ts", "server/mod.ts"]);
  assert.deepEqual([...seen].filter((file) => UNUSED.test(file)), []);
});

/** The modules that only a shared database needs. */
const SHARED = /^runtime\/(storage\/(postgres\/|nodes\.ts)|executions\/nodes\/)/;

Deno.test("start, doctor and info load no modules for nodes without a shared database", () => {
  for (const file of ["ops/doctor/examine.ts", "ops/setup/setup_report.ts"]) {
    const { seen, outside } = loadedWith([...LOADED, file]);
    assert.deepEqual([...seen].filter((one) => SHARED.test(one)), [], file);
    assert.ok(!outside.has("pg"), file);
  }
});
