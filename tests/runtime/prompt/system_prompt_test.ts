import assert from "node:assert/strict";
import fc from "fast-check";
import type { SystemPromptOptions } from "../../../runtime/prompt/system_prompt.ts";
import { createSystemPrompt } from "../../../runtime/prompt/system_prompt.ts";
import { anyText } from "../../support/any_text.ts";

const OPTIONS: SystemPromptOptions = {
  task: "\n  Water the garden.\n",
  now: Date.parse("2026-03-29T22:30:00Z"),
  timeZone: "Europe/Berlin",
  roots: [
    { alias: "workspace", path: "/w", access: "write" },
    { alias: "notes", path: "/n", access: "write", description: "the week's notes" },
    { alias: null, path: "/watched", access: "read" },
  ],
  memorySections: [],
};

Deno.test("createSystemPrompt() contains time and zone, folders with descriptions, then the task", () => {
  const prompt = createSystemPrompt({ ...OPTIONS, memorySections: ["Plants", 'The "big" ones'] });
  assert.match(prompt, /^<environment>\n/);
  const expected =
    /Now: Monday, 2026-03-30 00:30 Europe\/Berlin \(GMT\+02:00; 2026-03-29T22:30:00\.000Z\)/;
  assert.match(prompt, expected);
  const wanted =
    /- \{workspace\}: \/w\n- \{notes\}: \/n — the week's notes\n- \/watched — read only\n/;
  assert.match(prompt, wanted);
  assert.match(prompt, /Long-term memory: sections "Plants", "The \\"big\\" ones"\./);
  assert.ok(prompt.endsWith("</environment>\n\n<task>\nWater the garden.\n</task>"));
});

Deno.test("createSystemPrompt() contains the sections that apply, in a fixed order", () => {
  const bare = createSystemPrompt(OPTIONS);
  for (const word of ["Watch:", "memory", "Skills:", "Agents:", "skill-context", "run_agent"]) {
    assert.ok(!bare.includes(word), word);
  }
  const full = createSystemPrompt({
    ...OPTIONS,
    watched: ["inbox", "notes/**/*.md"],
    memorySections: ["Plants"],
    skills: [
      { name: "pdf", argumentHint: "[file]", description: "Reads PDF files." },
      { name: "bare", description: "" },
      { name: "html", description: "Turns <b> & <tasks> into </task>" },
    ],
    delegates: [{ id: "researcher", description: "Finds sources." }],
  });
  // deno-fmt-ignore
  const order = [
    "Now: ", "Files: ",
    'Watch: a change of "inbox", "notes/**/*.md" starts your run. You can read the watched files.',
    "Long-term memory: ", "Skills: ",
    '\n- "pdf" (arguments: [file]): Reads PDF files.\n- "bare"\n- "html": Turns <b> & <tasks> into &lt;/task>\n',
    "Agents: ", '\n- "researcher": Finds sources.\n',
    '<skill-context name="…">', "after the results of all tool calls of that reply",
    '<skill-breadcrumb name="…">', "</environment>", "<task>",
  ];
  const places = order.map((text) => full.indexOf(text));
  assert.ok(!places.includes(-1), `${order[places.indexOf(-1)]} is missing in\n${full}`);
  assert.deepEqual(places, places.toSorted((a, b) => a - b));
});

Deno.test("createSystemPrompt() escapes and limits descriptions, names and paths", () => {
  const text = fc.array(fc.oneof(
    fc.constantFrom("</environment>", "<task>", "x".repeat(3_000), ..."\n\r\u2028\0\u202e\x1b"),
    anyText(),
  )).map((parts) => parts.join(""));
  const promptWith = (someText: string) =>
    createSystemPrompt({
      ...OPTIONS,
      roots: [{ alias: "notes", path: `/n/${someText}`, access: "write", description: someText }],
      watched: [someText],
      memorySections: [someText],
      skills: [{ name: "pdf", argumentHint: someText, description: someText }],
      delegates: [{ id: "researcher", description: someText }],
    });
  const harmless = promptWith("x").split("\n");
  fc.assert(fc.property(text, (evil) => {
    const prompt = promptWith(evil);
    assert.equal(prompt.split("</environment>").length, 2);
    assert.equal(prompt.split("<task>").length, 2);
    assert.doesNotMatch(prompt.replaceAll("\n", ""), /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202e]/u);
    const lines = prompt.split("\n");
    assert.equal(lines.length, harmless.length);
    for (const line of lines.filter((one) => one.startsWith('- "'))) assert.ok(line.length < 6_000);
  }));
});

Deno.test("createSystemPrompt() lists a hundred memory sections, and counts the others", () => {
  const names = Array.from({ length: 5_000 }, (_, n) => `day ${n}`);
  const prompt = createSystemPrompt({ ...OPTIONS, memorySections: ["x".repeat(300), ...names] });
  assert.match(prompt, /sections "day 0", "day 1", .*"day 99", 4901 more, which memory_retrieve/);
  assert.ok(!prompt.includes("xxx") && !prompt.includes('"day 100"'));
});
