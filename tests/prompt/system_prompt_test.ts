import assert from "node:assert/strict";
import { createSystemPrompt } from "../../runtime/prompt/system_prompt.ts";

Deno.test("createSystemPrompt() tells time with zone, the places with their meaning, then the task", () => {
  const prompt = createSystemPrompt({
    task: "\n  Water the garden.\n",
    now: Date.parse("2026-03-29T22:30:00Z"),
    timeZone: "Europe/Berlin",
    roots: [
      { alias: "workspace", path: "/w", access: "write" },
      { alias: "notes", path: "/n", access: "write", description: "the week's notes" },
      { alias: null, path: "/watched", access: "read" },
    ],
    memorySections: ["Plants", 'The "big" ones'],
  });
  assert.match(prompt, /^<environment>\n/);
  assert.match(
    prompt,
    /Now: Monday, 2026-03-30 00:30 Europe\/Berlin \(GMT\+02:00; 2026-03-29T22:30:00\.000Z\)/,
  );
  assert.match(
    prompt,
    /- \{workspace\}: \/w\n- \{notes\}: \/n — the week's notes\n- \/watched — read only\n/,
  );
  assert.match(prompt, /Long-term memory: sections "Plants", "The \\"big\\" ones"\./);
  assert.ok(prompt.endsWith("</environment>\n\n<task>\nWater the garden.\n</task>"));
});
