// Senders and programs that may start a run, and the attacks of others.
import assert from "node:assert/strict";
import { readHead } from "../../../../runtime/mail/read_mail.ts";
import { automaticReason, isProven } from "../../../../runtime/mail/sender_proof.ts";
import { withDovecot } from "../../../support/machine/mail_servers.ts";
import { until } from "../../../support/until.ts";
import { type MailFields, mailOf, MailWorld } from "./mail_world.ts";

/** Mails whose sender is not proven. */
const UNPROVEN: Readonly<Record<string, MailFields>> = {
  "no word of the server": { results: null },
  "a failed check": { results: "mx.example.com; dmarc=fail header.from=example.org" },
  "a check of another domain": {
    results: "mx.example.com; dmarc=pass header.from=evil.example; dkim=pass header.d=evil.example",
  },
  "a word of another server": { results: "mx.evil.example; dmarc=pass header.from=example.org" },
  "a forged word below the server's own": {
    results: "mx.example.com; dmarc=fail header.from=example.org",
    headers: ["Authentication-Results: mx.example.com; dmarc=pass header.from=example.org"],
  },
  "a pass in a comment": {
    results: "mx.example.com; spf=fail (x; dmarc=pass header.from=example.org) smtp.mailfrom=e.x",
  },
  "a pass in a quoted text": {
    results: 'mx.example.com; spf=pass smtp.mailfrom="a; dmarc=pass header.from=example.org"',
  },
  "two senders": { from: "bob@example.org, eve@evil.example" },
};

/** Mails that a program has written, with the reason. */
const AUTOMATIC: readonly [fields: MailFields, reason: RegExp][] = [
  [{ headers: ["Auto-Submitted: auto-replied"] }, /Auto-Submitted/],
  [{ headers: ["List-Id: <news.example.org>"] }, /mailing list/],
  [{ from: "MAILER-DAEMON@example.org" }, /report about another mail/],
];

const headOf = (fields: MailFields) => readHead(new TextEncoder().encode(mailOf(fields)));

Deno.test("isProven() accepts only the word of the own server about the sender's domain", async () => {
  assert.ok(isProven(await headOf({}), "mx.example.com"));
  for (const [name, fields] of Object.entries(UNPROVEN)) {
    assert.equal(isProven(await headOf(fields), "mx.example.com"), false, name);
  }
});

Deno.test("automaticReason() detects mails that a program has written", async () => {
  assert.equal(automaticReason(await headOf({})), undefined);
  for (const [fields, reason] of AUTOMATIC) {
    assert.match(automaticReason(await headOf(fields)) ?? "", reason);
  }
});

withDovecot.test("only proven people start runs, and why says the reason for others", async () => {
  await using world = await MailWorld.create();
  await world.agent("reader");
  await world.open();
  const refused: [MailFields, RegExp][] = [
    [{ results: null }, /not proven: mx.example.com has not confirmed/],
    [{ headers: ["Auto-Submitted: auto-replied"] }, /Auto-Submitted/],
  ];
  for (const [fields, reason] of refused) {
    const subject = String(reason);
    await world.deliver({ ...fields, subject }, undefined, { isRead: true });
    const passed = async () => (await world.runtime.getAgent("reader"))?.passedMail;
    await until(async () => (await passed())?.subject === subject, `${reason} starts nothing`);
    assert.match((await passed())?.reason ?? "", reason);
    const line = world.place.logged.findLast(({ message }) => message === "A mail starts nothing");
    assert.match(String(line?.fields["reason"]), reason);
  }
  await world.deliver({ subject: "own", from: "ann@example.com" });
  await world.deliver({ subject: "genuine" });
  await world.untilTaken("reader", "genuine");
});

withDovecot.test("unproven and automatic mail start runs only where the agent says so", async () => {
  await using world = await MailWorld.create({ authServer: false });
  await world.agent("careful");
  await world.agent("trusting", "unproven: true, automatic: true");
  await world.open({ positions: 2 });
  await world.deliver({ subject: "news", headers: ["List-Id: <news.example.org>"] });
  await world.untilTaken("trusting", "news");
  const [run] = await world.runs("trusting");
  assert.match(await world.turn(run?.id ?? 0), /not proven: anybody may have written it/);
  assert.deepEqual(await world.runs("careful"), []);
});

withDovecot.test("the mails of one sender start at most 20 runs an hour, which ends a loop", async () => {
  await using world = await MailWorld.create();
  await world.agent("reader", "automatic: true");
  await world.open();
  const subjects = Array.from({ length: 25 }, (_, index) => `loop ${index}`);
  for (const subject of subjects) {
    await world.deliver({ subject, headers: ["Auto-Submitted: auto-generated"] });
  }
  await world.deliver({ subject: "other", from: "carl@example.org" });
  await world.untilTaken("reader", ...subjects.slice(0, 20), "other");
});

withDovecot.test("filters select mails by sender, recipient and subject", async () => {
  await using world = await MailWorld.create();
  await world.agent("reader", "from: ['*@example.org'], to: ann@example.com, subject: 'invoice *'");
  await world.open();
  await world.deliver({ subject: "Invoice 1", from: "eve@example.net" });
  await world.deliver({ subject: "About invoice 2" });
  await world.deliver({ subject: "INVOICE 3", from: '"Bob @ Home" <BOB@Example.org>' });
  await world.untilTaken("reader", "INVOICE 3");
});
