// A case whose run a mail starts.
import assert from "node:assert/strict";
import { createTestedWorkspace, failed, isPassed } from "./tested_workspace.ts";

const TRIGGER = "trigger: { type: mail, account: home }";

const CASE = `version: 1
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

Deno.test("a case can have a mail as its input, whose attachments are files of the run", async () => {
  await using place = await createTestedWorkspace();
  const result = await place.play(CASE, TRIGGER);
  assert.deepEqual(failed(result), []);
  assert.ok(isPassed(result));
});

Deno.test("a case with a mail needs the file of the mail", async () => {
  await using place = await createTestedWorkspace();
  await place.agent("worker", TRIGGER);
  await place.write(
    "worker/case.yaml",
    "version: 1\ninput: { trigger: mail }\nreplies: [{ text: x }]\n",
  );
  const [result] = await place.tests.run("worker");
  assert.match(
    JSON.stringify(result),
    /input.file is missing: a run of trigger \\"mail\\" has a file/,
  );
});
