// Cases whose runs a change or a mail starts.
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

const CHANGE = "trigger: { type: change, url: https://example.com/, every: 1h, select: .price }";
const FEED =
  "trigger: { type: change, url: https://example.com/, every: 1h, each: true, input: '{title}' }";
const MAIL = "trigger: { type: mail, account: home }";

const feed = (...ids: number[]) =>
  `<rss><channel>${
    ids.map((id) => `<item><guid>${id}</guid><title>Entry ${id}</title></item>`).join("")
  }</channel></rss>`;

const MAIL_CASE = `version: 1
files:
  invoice.eml: |
    Authentication-Results: mx.example.com; dmarc=pass header.from=example.org
    From: Bob <bob@example.org>
    Subject: Invoice 7
    Date: Mon, 05 Jan 2026 09:00:00 +0000
    Content-Type: multipart/mixed; boundary=b

    --b
    Content-Type: text/plain

    See the file.
    --b
    Content-Disposition: attachment; filename=a.txt

    42 dollars
    --b--
input: { trigger: mail, file: invoice.eml }
replies:
  - calls: [{ tool: file_read, args: { path: mail/2026-01-05-home-1/a.txt } }]
  - text: done
expect:
  status: success
  files: { mail/2026-01-05-home-1/a.txt: { contains: 42 dollars } }
`;

Deno.test("a case can have a change or a mail as its input, as the trigger compares or reads it", async () => {
  await using place = await createTestedWorkspace();
  const cases = [
    [caseOf(PAGE(1, 1), PAGE(2, 1)), CHANGE],
    // The first new entry of a feed.
    [caseOf(feed(1), feed(3, 2, 1)), FEED],
    // Its attachments are files of the run.
    [MAIL_CASE, MAIL],
  ] as const;
  for (const [text, trigger] of cases) {
    const result = await place.play(text, trigger);
    assert.deepEqual([failed(result), result.problems, isPassed(result)], [[], [], true], trigger);
  }
});

Deno.test("an input that starts no run, or whose files are missing, is a problem of its case", async () => {
  await using place = await createTestedWorkspace();
  const of = (input: string) => `version: 1\ninput: { ${input} }\nreplies: [{ text: x }]\n`;
  const cases: [text: string, trigger: string, problem: RegExp][] = [
    [
      caseOf(PAGE(1, 1), PAGE(1, 2)),
      CHANGE,
      /The trigger starts no run: with its select and ignore, after.html does not differ/,
    ],
    [
      caseOf(PAGE(1, 1), "<p>Nothing</p>"),
      CHANGE,
      /The check of the trigger fails: nothing on the page/,
    ],
    [of("trigger: change, file: a.txt"), CHANGE, /input.before is missing/],
    [
      of("trigger: change, file: a.txt, before: b.txt"),
      CHANGE,
      /A file of input is not in files/,
    ],
    [of("trigger: mail"), MAIL, /input.file is missing: a run of trigger \\"mail\\" has a file/],
  ];
  for (const [text, trigger, problem] of cases) {
    assert.match(JSON.stringify((await place.play(text, trigger)).problems), problem);
  }
});
