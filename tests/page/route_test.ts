import assert from "node:assert/strict";
import fc from "fast-check";
import { AUDIT_ACTION_NAMES } from "../../runtime/vocabulary/audit_actions.ts";
import { EXECUTION_TRIGGERS } from "../../runtime/vocabulary/trigger_kinds.ts";
import { EXECUTION_STATUSES } from "../../runtime/executions/states.ts";
import { parseRoute, type Route, toHash, USAGE_DAYS } from "../../page/state/route.ts";
import { anyText } from "../support/any_text.ts";

const PLAIN = { noNullPrototype: true } as const;

const route: fc.Arbitrary<Exclude<Route, { view: "unknown" }>> = fc.oneof(
  fc.constantFrom(
    { view: "now" as const },
    { view: "agents" as const },
    { view: "schedule" as const },
    { view: "log" as const },
  ),
  fc.record({
    view: fc.constant("agent" as const),
    id: fc.string({ minLength: 1, unit: "grapheme" }),
  }, PLAIN),
  fc.record({
    view: fc.constant("execution" as const),
    id: fc.nat(),
    step: fc.option(fc.nat()),
  }, PLAIN),
  fc.constant({ view: "chat" as const, agent: null, session: null }),
  fc.record({
    view: fc.constant("chat" as const),
    agent: fc.string({ minLength: 1, unit: "grapheme" }),
    session: fc.option(fc.string({ minLength: 1, unit: "grapheme" })),
  }, PLAIN),
  fc.record({ view: fc.constant("usage" as const), days: fc.constantFrom(...USAGE_DAYS) }, PLAIN),
  fc.record({
    view: fc.constant("history" as const),
    status: fc.option(fc.constantFrom(...EXECUTION_STATUSES)),
    agent: fc.option(fc.string({ minLength: 1, unit: "grapheme" })),
    trigger: fc.option(fc.constantFrom(...EXECUTION_TRIGGERS)),
    page: fc.integer({ min: 1 }),
    q: fc.option(fc.string({ minLength: 1, unit: "grapheme" })),
    from: fc.option(fc.constantFrom("2026-01-31", "1999-12-01")),
    to: fc.option(fc.constant("2026-02-28")),
  }, PLAIN),
  fc.record({
    view: fc.constant("audit" as const),
    agent: fc.option(fc.string({ minLength: 1, unit: "grapheme" })),
    action: fc.option(fc.constantFrom(...AUDIT_ACTION_NAMES)),
    name: fc.option(fc.string({ minLength: 1, unit: "grapheme" })),
    via: fc.option(fc.constantFrom("page", "disk")),
    from: fc.option(fc.constant("2026-01-31")),
    to: fc.option(fc.constant("2026-02-28")),
    before: fc.option(fc.nat()),
  }, PLAIN),
);

Deno.test("parseRoute() reads every address that toHash() writes", () => {
  fc.assert(fc.property(route, (one) => {
    assert.deepEqual(parseRoute(toHash(one)), one);
  }));
});

Deno.test("parseRoute() accepts any text and ignores invalid parameters", () => {
  fc.assert(fc.property(anyText(), (text) => {
    parseRoute(text);
    parseRoute(`#/history?${text}`);
    parseRoute(`#/agents/${text}`);
    parseRoute(`#/chat/${text}`);
  }));
  assert.deepEqual(parseRoute(""), { view: "now" });
  assert.deepEqual(parseRoute("#"), { view: "now" });
  assert.deepEqual(parseRoute("#/history?status=odd&page=-3&agent="), {
    view: "history",
    status: null,
    agent: null,
    trigger: null,
    page: 1,
    q: null,
    from: null,
    to: null,
  });
  assert.deepEqual(parseRoute("#/history?trigger=odd"), parseRoute("#/history"));
  assert.deepEqual(parseRoute("#/usage?days=31"), { view: "usage", days: 30 });
  for (const hash of ["#/executions/abc", "#/nowhere", "#/agents/a/b", "#/log/1", "#/chat/a/b/c"]) {
    assert.deepEqual(parseRoute(hash), { view: "unknown" }, hash);
  }
});
