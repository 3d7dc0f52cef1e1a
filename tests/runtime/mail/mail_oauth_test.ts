// Mail accounts with OAuth: a real Dovecot and a real SMTP server that accept only the tokens of an authorization server.
import assert from "node:assert/strict";
import type { MailAccounts } from "../../../runtime/mail/mail_accounts.ts";
import { createMessageId } from "../../../runtime/mail/smtp.ts";
import { mailChecks } from "../../../ops/doctor/mail_checks.ts";
import { call, doing, FREE, resultsOf } from "../executions/executions_of.ts";
import { withDovecot } from "../../support/machine/mail_servers.ts";
import { runToEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { errorOf, OAuthWorld } from "./oauth_world.ts";

/** Returns the number of mails in the inbox. */
const read = (accounts: MailAccounts) =>
  accounts.connection("home").inFolder(
    "INBOX",
    async (client) => ((await client.search({ all: true })) || []).length,
  );

async function cut(world: OAuthWorld, accounts: MailAccounts): Promise<void> {
  world.imap.cut();
  await until(() => !accounts.connection("home").isOpen, "the connection is closed");
}

async function send(accounts: MailAccounts): Promise<void> {
  const mail = {
    messageId: createMessageId(accounts.get("home")),
    ...{ to: ["bob@example.org"], subject: "Hi", text: "Hello", date: new Date(0) },
  };
  await accounts.send("home", await accounts.write("home", mail));
}

withDovecot.test("a token of the sign-in reads and sends mail, and is renewed before it ends", async () => {
  await using world = await OAuthWorld.create();
  const { auth, clock } = world;
  const address = await world.signIn();
  assert.equal(address.searchParams.get("login_hint"), "ann");
  assert.equal(address.searchParams.get("access_type"), "offline");
  assert.equal(address.searchParams.get("scope"), "mail");
  assert.equal(address.searchParams.get("resource"), null);
  // The client and the authorization server are in config.yaml.
  assert.deepEqual([auth.to("/register").length, auth.requests[0]?.path], [
    0,
    "/.well-known/oauth-authorization-server",
  ]);
  const accounts = await world.accounts();
  await world.imap.deliver("ann", "Subject: one\r\n\r\nHello\r\n");
  assert.equal(await read(accounts), 1);
  await send(accounts);
  assert.equal(world.smtp.sent.length, 1);
  assert.equal(auth.to("/token").length, 1);
  // Two operations at once, in two processes, renew the token once; the refresh token is replaced.
  await clock.advance(3_000_000);
  await cut(world, accounts);
  const works = [read(accounts), send(accounts), read(await world.accounts())];
  let isDone = false;
  const done = Promise.all(works).finally(() => isDone = true);
  await until(async () => {
    // The time between two attempts to take the lock.
    await clock.advance(50);
    return isDone;
  }, "all operations have ended");
  await done;
  assert.equal(auth.to("/token").length, 2);
  assert.equal(world.smtp.sent.length, 2);
  await clock.advance(3_000_000);
  await send(await world.accounts());
  assert.equal(auth.to("/token").length, 3);
  for (const { headers } of auth.to("/token")) {
    assert.equal(headers.get("authorization"), `Basic ${btoa("inkling:client-secret")}`);
  }
  const [first = ""] = auth.accessTokens.keys();
  assert.ok(world.secrets.list.some(({ value }) => value === first), "the token is redacted");
});

withDovecot.test("a token that the servers refuse is renewed once", async () => {
  await using world = await OAuthWorld.create();
  await world.signIn();
  const { auth } = world;
  const accounts = await world.accounts();
  auth.accessTokens.clear();
  await read(accounts);
  auth.accessTokens.clear();
  await send(accounts);
  assert.equal(auth.to("/token").length, 3);
  // A connection that is open stays open.
  assert.equal(world.imap.accepted, 2);
  // The mail servers refuse every token of this person.
  auth.now = () => Infinity;
  await cut(world, accounts);
  for (const work of [read, send]) {
    const error = await errorOf(work(accounts));
    assert.equal(error.kind, "password");
    assert.match(
      error.message,
      /refuses the user ann or its token\. Sign in again .*mail login home/,
    );
    world.assertNoToken(Deno.inspect(error, { depth: 10, showHidden: true }));
  }
  assert.equal(auth.to("/token").length, 5);
});

withDovecot.test("an unavailable authorization server is no lost sign-in; a revoked refresh token is, until the next one", async () => {
  await using world = await OAuthWorld.create();
  await world.signIn();
  const { auth, clock } = world;
  const accounts = await world.accounts();
  const { intercept } = auth;
  auth.intercept = (request) =>
    request.path === "/token" ? new Response("no", { status: 503 }) : intercept(request);
  await clock.advance(3_000_000);
  // The token is still valid.
  await read(accounts);
  await clock.advance(700_000);
  const unavailable = await errorOf(send(accounts));
  assert.equal(unavailable.kind, "unreachable");
  assert.match(unavailable.message, /The mail account home gets no token: .*answered HTTP 503/);
  auth.intercept = intercept;
  await cut(world, accounts);
  auth.refreshTokens.clear();
  const asked = auth.to("/token").length;
  for (const work of [read, send]) {
    const error = await errorOf(work(accounts));
    assert.equal(error.kind, "password");
    assert.match(
      error.message,
      /^The mail account home needs a sign-in\. Sign in: inkling mail login home/,
    );
    world.assertNoToken(Deno.inspect(error, { depth: 10, showHidden: true }));
  }
  // A refused refresh token is not sent again.
  assert.equal(auth.to("/token").length, asked + 1);
  await world.signIn();
  await read(accounts);
});

withDovecot.test("doctor says that an account needs a sign-in, once, and checks both servers after it", async () => {
  await using world = await OAuthWorld.create();
  const check = async () => {
    const checks = mailChecks(await world.place.settings(), world.clock);
    return (await Promise.all(checks.map((one) => one()))).flat()
      .map(({ subject, problem, remedy }) => [subject, problem, remedy]);
  };
  assert.deepEqual(await check(), [[
    "mail home",
    "The mail account home needs a sign-in",
    "Sign in: inkling mail login home",
  ]]);
  await world.signIn();
  assert.deepEqual(await check(), []);
  assert.deepEqual(await world.signOut(), { wasSignedIn: true, unrevoked: undefined });
  assert.equal(world.auth.revoked.length, 2);
  assert.equal((await check()).length, 1);
});

withDovecot.test("a changed server of the account does not get the token of the former one", async () => {
  await using world = await OAuthWorld.create();
  world.auth.metadata = { issuer: "https://other.example" };
  await assert.rejects(
    world.signIn(),
    /The sign-in to the mail account home failed: the authorization server at \S+ names itself https:\/\/other\.example/,
  );
  world.auth.metadata = {};
  await world.signIn();
  const path = `${world.place.configDir}/config.yaml`;
  const written = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, written.replace(/smtp: \S+/, "smtp: 127.0.0.1:9"));
  const error = await errorOf(read(await world.accounts()));
  assert.match(error.message, /needs a sign-in/);
});

withDovecot.test("mail_send has sent nothing if the account gets no token", async () => {
  await using world = await OAuthWorld.create();
  await world.signIn();
  world.auth.accessTokens.clear();
  const down = () => new Response("down", { status: 503 });
  const own = world.auth.intercept;
  world.auth.intercept = (request) => request.path === "/token" ? down() : own(request);
  const mail = { to: ["bob@example.org"], subject: "Hi", text: "Hello" };
  const script = doing(call("mail_send", mail));
  await world.place.writeScript("sender", script, `mail: home\n${FREE}`);
  await using runtime = await world.place.open();
  const { id } = await runToEnd(runtime, "sender");
  const [result] = await resultsOf(runtime, id);
  assert.match(String(result?.content), /The mail account home gets no token/);
  assert.doesNotMatch(String(result?.content), /find out/);
});
