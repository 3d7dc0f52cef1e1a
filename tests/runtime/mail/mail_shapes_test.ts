// Each shape of a mail, with the parts that a run gets.
import assert from "node:assert/strict";
import { readHead, readMail } from "../../../runtime/mail/read_mail.ts";
import { toMarkdown } from "../../../runtime/tools/pages/readable_text.ts";
import { MAIL_SHAPES } from "./mail_shapes.ts";

function check(actual: string, expected: string | RegExp | undefined, name: string): void {
  if (typeof expected === "string") assert.equal(actual, expected, name);
  else if (expected !== undefined) assert.match(actual, expected, name);
}

Deno.test("a run gets the words and files of mails of every shape", async (t) => {
  for (const [name, [source, expected]] of Object.entries(MAIL_SHAPES)) {
    await t.step(name, async () => {
      const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
      const mail = await readMail(bytes, { toMarkdown });
      if (expected.sender !== undefined) assert.equal(mail.sender, expected.sender ?? undefined);
      for (const key of ["from", "to", "subject", "text", "quoted"] as const) {
        check(mail[key], expected[key], `${name}: ${key}`);
      }
      check(mail.notes.join("\n"), expected.notes, `${name}: notes`);
      if (expected.files !== undefined) {
        assert.deepEqual(mail.files.map(({ name, type }) => [name, type]), expected.files);
      }
      assert.equal(
        (await readHead(bytes)).sender,
        mail.sender,
        "the head alone has the same sender",
      );
    });
  }
});
