// Cases whose runs a change starts, and cases that are recorded from runs by mails and changes.
import assert from "node:assert/strict";
import { createTestedWorkspace, failed, isPassed } from "./tested_workspace.ts";

const PAGE = (price: number, minute: number) =>
  `<html><body><p>Seen at 10:0${minute}</p><b class="price">${price}</b></body></html>`;

const caseOf = (before: string, after: string) =>
  `version: 1
files: { before.html: ${JSON.stringify(before)}, after.html: ${JSON.stringify(after)} }
input: { trigger: change, before: before.html, file: after.html }
replies: [{ text: done }]
expect: { status: success, output: { equals: done } }
`;

const TRIGGER = "trigger: { type: change, url: https://example.com/, every: 1h, select: .price }";

Deno.test("a case can have a change as its input, which is compared as the trigger compares", async () => {
  await using place = await createTestedWorkspace();
  const result = await place.play(caseOf(PAGE(1, 1), PAGE(2, 1)), TRIGGER);
  assert.deepEqual([failed(result), result.problems], [[], []]);
  assert.ok(isPassed(result));
});

Deno.test("a change that the trigger does not see is a problem of its case", async () => {
  await using place = await createTestedWorkspace();
  const result = await place.play(caseOf(PAGE(1, 1), PAGE(1, 2)), TRIGGER);
  assert.match(
    JSON.stringify(result.problems),
    /The trigger starts no run: with its select and ignore, after.html does not differ/,
  );
  const none = await place.play(caseOf(PAGE(1, 1), "<p>Nothing</p>"), TRIGGER);
  assert.match(
    JSON.stringify(none.problems),
    /The check of the trigger fails: nothing on the page/,
  );
});

Deno.test("a case with a feed starts with its first new entry", async () => {
  await using place = await createTestedWorkspace();
  const feed = (...ids: number[]) =>
    `<rss><channel>${
      ids.map((id) => `<item><guid>${id}</guid><title>Entry ${id}</title></item>`).join("")
    }</channel></rss>`;
  const text = caseOf(feed(1), feed(3, 2, 1));
  const trigger =
    "trigger: { type: change, url: https://example.com/, every: 1h, each: true, input: '{title}' }";
  const result = await place.play(text, trigger);
  assert.deepEqual(result.problems, []);
  assert.ok(isPassed(result));
});

Deno.test("a case with a change needs both files, and they must be there", async () => {
  await using place = await createTestedWorkspace();
  const one = "version: 1\ninput: { trigger: change, file: a.txt }\nreplies: [{ text: x }]\n";
  assert.match(JSON.stringify(await place.play(one, TRIGGER)), /input.before is missing/);
  const absent = "version: 1\ninput: { trigger: change, file: a.txt, before: b.txt }\n" +
    "replies: [{ text: x }]\n";
  const result = await place.play(absent, TRIGGER);
  assert.match(JSON.stringify(result.problems), /A file of input is not in files/);
});
