// Mail accounts with real servers: one connection, its errors in words, and sent mails.
import assert from "node:assert/strict";
import type { MailAccount } from "../../../runtime/config/mail_schema.ts";
import { MailAccounts } from "../../../runtime/mail/mail_accounts.ts";
import { createMessageId } from "../../../runtime/mail/smtp.ts";
import {
  startImap,
  startSmtp,
  type TestImap,
  withDovecot,
} from "../../support/machine/mail_servers.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { errorOf } from "./oauth_world.ts";

function accountOn(ports: { imap?: number; smtp?: number }): MailAccount {
  const server = (port = 9) => ({ host: "127.0.0.1", port, security: "none" as const });
  return {
    name: "home",
    address: "ann@example.com",
    imap: server(ports.imap),
    smtp: server(ports.smtp),
    user: "ann",
    passwordEnv: "HOME_PASSWORD",
  };
}

function open(account: MailAccount, password = "secret") {
  const clock = new TestClock();
  let isGone = false;
  const accounts = new MailAccounts({
    settings: {
      get config() {
        return { mail: isGone ? [] : [account] };
      },
      environment: { get: (name) => name === "HOME_PASSWORD" ? password : undefined },
    },
    accessToken: () => Promise.reject(new TypeError("the account has a password")),
    clock,
  });
  return { accounts, clock, remove: () => isGone = true };
}

const mail = (subject: string) =>
  `From: Bob <bob@example.org>\r\nSubject: ${subject}\r\n\r\nHello\r\n`;

/** Defines a test with an IMAP server and its account `home`. */
function test(
  name: string,
  body: (world: ReturnType<typeof open> & { imap: TestImap }) => Promise<void>,
): void {
  withDovecot.test(name, async () => {
    await using imap = await startImap();
    const opened = open(accountOn({ imap: imap.port }));
    await using _ = opened.accounts;
    await body({ ...opened, imap });
  });
}

test("all users of an account share one connection, and hear of new mail", async ({ imap, accounts, clock }) => {
  await imap.deliver("ann", mail("first"));
  const connection = accounts.connection("home");
  const count = () =>
    connection.inFolder("INBOX", async (client) => (await client.search({ all: true })) || []);
  const [one, other] = await Promise.all([count(), count()]);
  assert.deepEqual([one, other], [[1], [1]]);
  const { signal } = new AbortController();
  const { announced } = connection;
  const news = connection.waitForNews("INBOX", { ms: 120_000, announced, signal });
  await until(() => clock.awaits(120_000), "the connection waits for news");
  await imap.deliver("ann", mail("second"));
  await news;
  assert.deepEqual(await count(), [1, 2]);
  // Another user of the account ends the wait for news, which fails nobody.
  const next = { ms: 120_000, announced: connection.announced, signal };
  const waiting = connection.waitForNews("INBOX", next);
  await until(() => clock.awaits(120_000), "the connection waits for news");
  const folders = await connection.use(async (client) =>
    (await client.list()).map((one) => one.path)
  );
  assert.deepEqual(folders.sort(), ["Done", "Drafts", "INBOX", "Sent"]);
  await waiting;
  assert.equal(imap.accepted, 1);
});

test("a mail that the server announced during another operation ends the wait for news", async ({ imap, accounts }) => {
  await imap.deliver("ann", mail("first"));
  const connection = accounts.connection("home");
  await connection.inFolder("INBOX", (client) => client.noop());
  const { announced } = connection;
  await connection.inFolder("INBOX", async (client) => {
    await imap.deliver("ann", mail("second"));
    await until(async () => {
      await client.noop();
      return client.mailbox !== false && client.mailbox.exists === 2;
    }, "the server has announced the mail");
  });
  const { signal } = new AbortController();
  await connection.waitForNews("INBOX", { ms: 120_000, announced, signal });
});

test("a silent server is noticed by the clock, and the next use connects anew", async ({ imap, accounts, clock }) => {
  const connection = accounts.connection("home");
  const look = () => connection.inFolder("INBOX", (client) => client.noop().then(() => "here"));
  await look();
  imap.silence(true);
  let isOver = false;
  const failed = errorOf(look()).finally(() => isOver = true);
  await until(async () => {
    await clock.advance(60_000);
    return isOver;
  }, "the silence is noticed");
  assert.equal((await failed).kind, "unreachable");
  imap.silence(false);
  assert.equal(await look(), "here");
  assert.equal(imap.accepted, 2);
});

test("a connection that nobody needs is closed after a minute", async ({ accounts, clock }) => {
  const connection = accounts.connection("home");
  const following = connection.follow();
  await connection.use((client) => client.noop());
  await clock.advance(600_000);
  assert.ok(connection.isOpen);
  following[Symbol.dispose]();
  await until(async () => {
    await clock.advance(60_000);
    return !connection.isOpen;
  }, "the connection is closed");
});

withDovecot.test("errors say in words what is wrong and what to do", async () => {
  await using imap = await startImap();
  const account = accountOn({ imap: imap.port });
  const wrong = open(account, "wrong");
  await using _ = wrong.accounts;
  const password = await errorOf(wrong.accounts.connection("home").use((client) => client.noop()));
  assert.equal(password.kind, "password");
  assert.match(password.message, /refuses the user ann or its password .*HOME_PASSWORD/s);
  assert.ok(!password.message.includes("wrong"));

  const right = open(account);
  await using __ = right.accounts;
  const folder = await errorOf(
    right.accounts.connection("home").inFolder("Rechnungen", () => Promise.resolve()),
  );
  assert.equal(folder.kind, "folder");
  assert.match(folder.message, /no folder "Rechnungen". Its folders: .*"INBOX"/);

  const encrypted = { ...account, imap: { ...account.imap, security: "starttls" as const } };
  const plain = open(encrypted);
  await using ___ = plain.accounts;
  const tls = await errorOf(plain.accounts.connection("home").use((client) => client.noop()));
  assert.equal(tls.kind, "tls", tls.message);
});

Deno.test("an account without its password or without a server is reported", async () => {
  const closed = open(accountOn({}));
  await using _ = closed.accounts;
  const error = await errorOf(closed.accounts.connection("home").use((client) => client.noop()));
  assert.equal(error.kind, "unreachable");
  assert.match(error.message, /127\.0\.0\.1:9 cannot be reached: nothing listens on this port/);
  const empty = open(accountOn({}), "");
  await using __ = empty.accounts;
  const missing = await errorOf(empty.accounts.connection("home").use((client) => client.noop()));
  assert.match(missing.message, /Set HOME_PASSWORD in the environment file/);
  assert.throws(() => empty.accounts.get("work"), /no mail account "work"/);
});

Deno.test("a sent mail has its Message-ID, and its subject is one line", async () => {
  await using smtp = await startSmtp();
  const account = accountOn({ smtp: smtp.port });
  const { accounts } = open(account);
  await using _ = accounts;
  const messageId = createMessageId(account);
  const written = await accounts.write("home", {
    ...{ messageId, to: ["Bob@example.org"], subject: "Hi\r\nBcc: everybody@example.net" },
    ...{ text: "Hello Bob", date: new Date("2026-01-01T00:00:00Z") },
  });
  await accounts.send("home", written);
  assert.deepEqual(smtp.sent.map(({ from, to }) => [from, to]), [
    ["ann@example.com", ["bob@example.org"]],
  ]);
  const source = smtp.sent[0]?.source ?? "";
  for (const line of [`Message-ID: ${messageId}`, "Subject: Hi Bcc: everybody@example.net"]) {
    assert.ok(source.includes(`${line}\r\n`), `${line} in\n${source}`);
  }
});

Deno.test("sending reports a refused password, a refused recipient and an invalid address", async () => {
  await using smtp = await startSmtp();
  const account = accountOn({ smtp: smtp.port });
  const write = (accounts: MailAccounts, to: string) =>
    accounts.write("home", {
      ...{
        messageId: createMessageId(account),
        to: [to],
        subject: "",
        text: "",
        date: new Date(0),
      },
    });
  const wrong = open(account, "wrong");
  await using _ = wrong.accounts;
  const refused = wrong.accounts.send("home", await write(wrong.accounts, "bob@example.org"));
  assert.equal((await errorOf(refused)).kind, "password");
  const right = open(account);
  await using __ = right.accounts;
  const nobody = right.accounts.send("home", await write(right.accounts, "nobody@example.org"));
  assert.match((await errorOf(nobody)).message, /No such user|does not accept mail for nobody@/);
  const invalid = await errorOf(write(right.accounts, "bob@example.org, all@example.net"));
  assert.match(invalid.message, /is no mail address/);
  assert.deepEqual(smtp.sent, []);
});
