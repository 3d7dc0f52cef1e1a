import assert from "node:assert/strict";
import { describeTrigger } from "../../present/triggers.ts";

Deno.test("describeTrigger() leaves out a source and an interval that a trigger does not have", () => {
  const fields = { trigger_cron: null, trigger_paths: [], trigger_scheme: null };
  const describe = (type: "change" | "mail", source: string | null, every: string | null) =>
    describeTrigger({
      ...fields,
      trigger_type: type,
      trigger_source: source,
      trigger_every: every,
    }, "full");
  assert.equal(
    describe("change", "https://example.com", "1h"),
    "change https://example.com every 1h",
  );
  assert.equal(describe("mail", "home", null), "mail home");
  assert.equal(describe("mail", null, null), "mail");
});
