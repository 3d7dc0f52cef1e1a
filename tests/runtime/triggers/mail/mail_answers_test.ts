// Questions that go out by mail, and replies that answer them.
import assert from "node:assert/strict";
import { type SentMail, startSmtp, withDovecot } from "../../../support/machine/mail_servers.ts";
import { until } from "../../../support/until.ts";
import { call, doing, statusOf, untilStatus } from "../../executions/executions_of.ts";
import { MailWorld } from "./mail_world.ts";

const NOTIFY = `notify:
  on: [waiting, error]
  channels:
    inbox: { type: mail, account: home, to: [bob@example.org, Max@example.org] }
`;
const ASK = { question: "Which color?", options: ["red", "green"] };
const MAIL = { to: ["eve@example.org"], subject: "Hi", text: "Hello" };

class AnswerWorld implements AsyncDisposable {
  private constructor(
    readonly mail: MailWorld,
    readonly smtp: Awaited<ReturnType<typeof startSmtp>>,
  ) {}

  static async create(more = ""): Promise<AnswerWorld> {
    const smtp = await startSmtp();
    const mail = await MailWorld.create({ smtp: smtp.port, config: NOTIFY + more });
    await mail.place.writeScript("asker", doing(call("ask_user", ASK)));
    await mail.place.writeScript("sender", doing(call("mail_send", MAIL)), "mail: home");
    return new AnswerWorld(mail, smtp);
  }

  /** Runs an agent until its question was sent. */
  async ask(agent: string): Promise<{ id: number; sent: SentMail; messageId: string }> {
    const count = this.smtp.sent.length;
    const { id } = await this.mail.runtime.run(agent, {});
    await until(() => this.smtp.sent.length > count, "the question is sent");
    const sent = this.smtp.sent[count];
    assert.ok(sent !== undefined);
    const messageId = /^Message-ID:\s+(<.+>)\r$/m.exec(sent.source)?.[1] ?? "";
    return { id, sent, messageId };
  }

  async reply(
    messageId: string,
    text: string,
    fields: { from?: string; results?: string | null; headers?: string[]; id?: string } = {},
  ): Promise<void> {
    const { headers = [], ...rest } = fields;
    const reply = { subject: "Re: a question", text, ...rest };
    const about = [`In-Reply-To: ${messageId}`, ...headers];
    await this.mail.deliver({ ...reply, headers: about }, undefined, { isRead: true });
  }

  /** Waits until the log has a reason why a reply was no answer. */
  async untilRefused(reason: RegExp): Promise<void> {
    await until(
      () =>
        this.mail.place.logged.some(({ message, fields }) =>
          message === "A reply by mail is no answer" && reason.test(String(fields?.["reason"]))
        ),
      `a reply is refused: ${reason}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mail[Symbol.asyncDispose]();
    await this.smtp[Symbol.asyncDispose]();
  }
}

withDovecot.test("a question goes out by mail, and a reply of a proven sender answers it once and starts no agent", async () => {
  await using world = await AnswerWorld.create();
  await world.mail.agent("reader");
  await world.mail.open({ positions: 2 });
  const { id, sent, messageId } = await world.ask("asker");
  assert.deepEqual(sent.to, ["bob@example.org", "max@example.org"]);
  assert.match(sent.source, /^Subject: .*waits for your answer\r$/m);
  assert.match(sent.source, /^Auto-Submitted: auto-generated\r$/m);
  assert.match(sent.source, /Which color\?/);
  await world.reply(messageId, "2\r\n\r\nOn Monday Ann wrote:\r\n> Which color?", {
    id: "<answer@example.org>",
  });
  await untilStatus(world.mail.runtime, id, "success");
  const frames = await world.mail.runtime.readFrames(id, { after: 0 });
  const answered = frames.map(({ payload }) => JSON.parse(payload))
    .find((one) => one.answered_via !== undefined);
  assert.deepEqual([answered?.answered_via, answered?.answered_by], ["mail", "bob@example.org"]);
  await world.reply(messageId, "1", { id: "<answer@example.org>" });
  await world.untilRefused(/no longer open/);
  assert.equal(world.smtp.sent.length, 1);
  await world.mail.deliver({ subject: "other" });
  await world.mail.untilTaken("reader", "other");
});

withDovecot.test("a person who replies yes approves a call, as the person in people", async () => {
  await using world = await AnswerWorld.create("people:\n  bob: { mail: [bob@example.org] }\n");
  await world.mail.open();
  const { id, messageId } = await world.ask("sender");
  await world.reply(messageId, "Approve.\r\n\r\nBob");
  await untilStatus(world.mail.runtime, id, "success");
  await until(
    () => world.smtp.sent.some(({ to }) => to.includes("eve@example.org")),
    "the mail is sent",
  );
  const sql = "SELECT via || ' ' || name AS by FROM audit WHERE action = 'answer'";
  const rows = await world.mail.place.all<{ by: string }>(sql);
  assert.deepEqual(rows.map(({ by }) => by), ["mail bob"]);
});

withDovecot.test("forged, automatic and misfitting replies, and those to a call that was cut, answer nothing", async () => {
  await using world = await AnswerWorld.create();
  const write = (agent: string, length: number) =>
    world.mail.place.writeScript(
      agent,
      doing(call("mail_send", { ...MAIL, text: `${"a word ".repeat(length / 7)}\nTHE-END` })),
      "mail: home",
    );
  await write("sender", 7_000);
  await write("longer", 98_000);
  await world.mail.open();
  const { id, sent, messageId } = await world.ask("sender");
  assert.match(sent.source, /THE-END/);
  const { reply } = world;
  const send = reply.bind(world);
  await send(messageId, "yes", { results: null });
  await world.untilRefused(/not proven/);
  await send(messageId, "yes", { from: "eve@example.org" });
  await world.untilRefused(/does not name its sender/);
  await send(messageId, "yes", { headers: ["Auto-Submitted: auto-replied"] });
  await world.untilRefused(/Auto-Submitted/);
  await send(messageId, "What is this?\r\nyes");
  await world.untilRefused(/first line/);
  const other = messageId.replace(/[0-9a-f-]{36}/, crypto.randomUUID());
  await send(other, "yes");
  await world.untilRefused(/no longer open/);
  await send("<other@example.com>", "yes");
  assert.equal(await statusOf(world.mail.runtime, id), "waiting");
  await send(messageId, "no");
  await untilStatus(world.mail.runtime, id, "success");
  assert.equal(world.smtp.sent.length, 1);
  const longer = await world.ask("longer");
  await send(longer.messageId, "yes");
  await world.untilRefused(/did not show the whole call/);
  assert.equal(await statusOf(world.mail.runtime, longer.id), "waiting");
});

withDovecot.test("two agents that answer each other's mails end by Auto-Submitted", async () => {
  await using world = await AnswerWorld.create();
  const steps = doing(call("mail_send", { ...MAIL, to: ["bob@example.org"], subject: "Thanks" }));
  await world.mail.agent("replier", "", { steps, settings: 'mail: home\nauto_approve: "*"' });
  await world.mail.open({ positions: 2 });
  await world.mail.deliver({ subject: "Hello" });
  await until(() => world.smtp.sent.length === 1, "the first answer");
  // The other account has such an agent, too: its answer has the same header.
  const answer = (world.smtp.sent[0]?.source ?? "").replace(/^From: .*$/m, "From: bob@example.org")
    .replace(/^Message-ID: .*$/m, "Message-ID: <again@example.org>");
  const proof = "Authentication-Results: mx.example.com; dmarc=pass header.from=example.org\r\n";
  await world.mail.imap.deliver("ann", proof + answer);
  await world.mail.deliver({ subject: "later" });
  await world.mail.untilTaken("replier", "Hello", "later");
});

withDovecot.test("a message that one of its addresses refuses is not repeated to the others", async () => {
  await using smtp = await startSmtp();
  const to = "[nobody@example.org, bob@example.org]";
  const channels = `{ inbox: { type: mail, account: home, to: ${to} } }`;
  const config = `notify: { on: [error], channels: ${channels} }\n`;
  await using world = await MailWorld.create({ smtp: smtp.port, config });
  await world.place.writeScript("broken", [{ fail: "The disk is full" }]);
  await world.open();
  await world.runtime.run("broken", {});
  const find = () =>
    world.place.logged.find(({ message }) => message.startsWith("A message was not delivered"));
  await until(() => find() !== undefined, "the message is given up");
  assert.match(find()?.message ?? "", /a retry cannot succeed/);
  assert.match(String(find()?.fields["reason"]), /nobody@example\.org\. The other recipients got/);
  assert.deepEqual(smtp.sent.map((one) => one.to), [["bob@example.org"]]);
});
