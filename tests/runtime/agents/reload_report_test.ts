import assert from "node:assert/strict";
import type { AgentEntry } from "../../../runtime/agents/agent_entry.ts";
import { toReloadReport } from "../../../runtime/agents/reload_report.ts";
import { type Diagnostic, errorAtStart } from "../../../base/diagnostics.ts";
import { agentOf } from "./parsed_file.ts";

const agent = agentOf("history: low");

/** Entries by id; a value is the hash of the last definition that parsed, null: none ever did. */
function entries(
  of: Record<string, string | null>,
  diagnostics: Diagnostic[] = [],
): Map<string, AgentEntry> {
  return new Map(
    Object.entries(of).map(([id, hash]) => [id, {
      id,
      path: `/work/agents/${id}.md`,
      stamp: undefined,
      good: hash === null ? undefined : { agent, hash },
      diagnostics,
      unsettledSince: undefined,
    }]),
  );
}

Deno.test("toReloadReport() reports what came, changed and went, by what parsed last", () => {
  const before = entries({ stays: "1", changes: "1", goes: "1", breaks: "1", repaired: null });
  const now = entries({
    stays: "1",
    changes: "2",
    breaks: "1",
    repaired: "1",
    comes: "1",
    bad: null,
  });
  assert.deepEqual(toReloadReport({ before, now }, []), {
    loaded: 5,
    added: ["repaired", "comes"],
    updated: ["changes"],
    removed: ["goes"],
    errors: [],
  });
});

Deno.test("toReloadReport() counts an agent as updated when the problems of its file change, once each time", () => {
  const problem = (message: string) => [errorAtStart("/work/agents/a.md", message)];
  const whole = entries({ a: "1" });
  const broken = entries({ a: "1" }, problem("It is broken"));
  const worse = entries({ a: "1" }, problem("It is worse"));
  const updated = (before: typeof whole, now: typeof whole) =>
    toReloadReport({ before, now }, []).updated;
  assert.deepEqual(updated(whole, broken), ["a"]);
  assert.deepEqual(updated(broken, entries({ a: "1" }, problem("It is broken"))), []);
  assert.deepEqual(updated(broken, worse), ["a"]);
  assert.deepEqual(updated(worse, whole), ["a"]);
  // What never parsed is no agent, however it is broken.
  assert.deepEqual(updated(entries({ a: null }, problem("x")), entries({ a: null })), []);
});

Deno.test("toReloadReport() does not miss a file that never was an agent", () => {
  const report = toReloadReport({ before: entries({ bad: null }), now: entries({}) }, []);
  assert.deepEqual([report.loaded, report.removed], [0, []]);
});

Deno.test("toReloadReport() reports errors, and no warnings", () => {
  const error = errorAtStart("/work/agents/a.md", "It is broken");
  const warning: Diagnostic = { ...error, severity: "warning" };
  const report = toReloadReport({ before: entries({}), now: entries({}) }, [warning, error]);
  assert.deepEqual(report.errors, [error]);
});
