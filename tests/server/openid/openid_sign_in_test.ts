// Tests the sign-in of people with OpenID Connect over a port, at a real provider: the way there and back, roles, attacks
// on the callback, and the ends of sessions.
import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { Browser, createOpenIdWorld, KEY, type OpenedPage } from "./openid_world.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const heading = ({ status, text }: OpenedPage) =>
  `${status} ${/<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? text}`;

Deno.test("a person signs in at the provider and has the highest role of the groups", async () => {
  await using world = await createOpenIdWorld();
  const browser = new Browser();
  const login = await browser.open(`${world.origin}/ui`);
  const { host } = new URL(world.provider.issuer);
  assert.match(
    login.text,
    new RegExp(`href="${world.origin}/openid-login">Sign in with ${host}</a>`),
  );
  assert.deepEqual(world.provider.requests, [], "the log-in page does not call the provider");
  assert.equal(await world.status(browser), 401);

  assert.equal(heading(await world.enter(browser)), "200 You are signed in");
  assert.equal(await world.status(browser), 200);
  const page = await world.request(browser, "/ui", { headers: { accept: "text/html" } });
  assert.match(await page.text(), /data-logged-in/);
  // The mail address is verified, and the display name is ignored.
  const [entry] = world.log.lines.filter(({ message }) => message === "Signed in");
  assert.deepEqual(entry?.fields, { name: "ann@example.com", role: "admin" });
  assert.deepEqual(world.audited, [
    ["sign_in", { via: "page", name: "ann@example.com", role: "admin", address: "127.0.0.1" }],
  ]);
  const address = world.provider.requests.find((one: string) => one.startsWith("/auth?")) ?? "";
  const sent = new URL(address, world.provider.issuer).searchParams;
  assert.equal(sent.get("code_challenge_method"), "S256");
  assert.ok(sent.get("nonce") && sent.get("state") && sent.get("code_challenge"));
});

Deno.test("an unverified mail address is no name, and a viewer may change nothing", async () => {
  await using world = await createOpenIdWorld({ inToken: true });
  world.provider.current = "id-2";
  const browser = new Browser();
  assert.equal(heading(await world.enter(browser)), "200 You are signed in");
  const [entry] = world.log.lines.filter(({ message }) => message === "Signed in");
  // The host follows the id, so that nobody has the name of a key or person by choosing an id.
  const { host } = new URL(world.provider.issuer);
  assert.deepEqual(entry?.fields, { name: `id-2 (${host})`, role: "viewer" });
  assert.equal(await world.status(browser), 200);
  const refused = await world.request(browser, "/scheduler/resume", { method: "POST" });
  assert.equal(refused.status, 403);
  await refused.body?.cancel();
});

Deno.test("a person without a group that has a role gets a page that says so, and no access", async () => {
  await using world = await createOpenIdWorld();
  for (const sub of ["id-3", "id-4"]) {
    world.provider.current = sub;
    const browser = new Browser();
    const page = await world.enter(browser);
    assert.equal(heading(page), "403 You have no access");
    assert.match(page.text, /none of your groups has a role here/);
    assert.equal(await world.status(browser), 401);
  }
});

Deno.test("the callback refuses a state that is missing, forged, used, late or of another browser", async () => {
  await using world = await createOpenIdWorld();
  const callback = `${world.origin}/openid-callback`;
  const browser = new Browser();
  const refused = "400 You are not signed in";
  assert.equal(heading(await browser.open(callback)), refused);
  assert.equal(heading(await browser.open(`${callback}?code=x&state=forged`)), refused);

  const returned = await browser.open(`${world.origin}/openid-login`, { stopAt: callback });
  const other = await new Browser().open(returned.address);
  assert.equal(heading(other), refused);
  assert.match(other.text, /began in another browser/);
  const head = await fetch(returned.address, { method: "HEAD" });
  assert.equal(head.status, 405);
  // The attempts of others did not use the state up.
  assert.equal(heading(await browser.open(returned.address)), "200 You are signed in");
  const again = await browser.open(returned.address);
  assert.equal(heading(again), refused);
  assert.match(again.text, /used already/);

  const late = new Browser();
  const lateReturn = await late.open(`${world.origin}/openid-login`, { stopAt: callback });
  await world.clock.advance(10 * MINUTE_MS);
  assert.equal(heading(await late.open(lateReturn.address)), refused);
  assert.equal(await world.status(late), 401);
});

Deno.test("the answers of another issuer, with another nonce or another code, and refusals sign nobody in", async () => {
  await using world = await createOpenIdWorld();
  const callback = `${world.origin}/openid-callback`;
  const start = `${world.origin}/openid-login`;
  const attempt = async (change: (url: URL) => void) => {
    const browser = new Browser();
    const { address } = await browser.open(start, { stopAt: callback });
    const url = new URL(address);
    change(url);
    const page = await browser.open(url.href);
    assert.equal(heading(page), "400 You are not signed in", url.href);
    assert.equal(await world.status(browser), 401);
    return page.text;
  };
  const elsewhere = await attempt(({ searchParams }) =>
    searchParams.set("iss", "https://other.example")
  );
  assert.match(elsewhere, /is not valid/);
  await attempt(({ searchParams }) => searchParams.delete("iss"));
  await attempt(({ searchParams }) => searchParams.set("code", "guessed"));
  const denied = await attempt(({ searchParams }) => {
    searchParams.delete("code");
    searchParams.set("error", "access_denied");
    searchParams.set("error_description", "<script>alert(1)</script>");
  });
  assert.match(denied, /refused the sign-in/);
  assert.doesNotMatch(denied, /<script>alert/);
  // The code of another sign-in belongs to another PKCE verifier.
  const foreign = await new Browser().open(start, { stopAt: callback });
  await attempt(({ searchParams }) =>
    searchParams.set("code", new URL(foreign.address).searchParams.get("code") ?? "")
  );

  const browser = new Browser();
  const { address } = await browser.open(start, { stopAt: world.provider.issuer });
  const request = new URL(address);
  request.searchParams.set("nonce", "another");
  assert.equal(heading(await browser.open(request.href)), "400 You are not signed in");
  assert.equal(await world.status(browser), 401);
});

Deno.test("a provider that does not respond is named on the page", async () => {
  await using world = await createOpenIdWorld();
  world.provider.brokenStatus = 502;
  const page = await world.enter(new Browser());
  assert.equal(heading(page), "502 You are not signed in");
  assert.match(page.text, /does not respond/);
  world.provider.brokenStatus = undefined;
  assert.equal(heading(await world.enter(new Browser())), "200 You are signed in");
});

Deno.test("a session ends after its duration and at the sign-out", async () => {
  await using world = await createOpenIdWorld({ session: "2h" });
  const [first, second] = [new Browser(), new Browser()];
  await world.enter(first);
  await world.enter(second);
  assert.equal((await world.request(first, "/logout", { method: "POST" })).status, 204);
  assert.deepEqual([await world.status(first), await world.status(second)], [401, 200]);
  await world.clock.advance(2 * 60 * MINUTE_MS - 1);
  assert.equal(await world.status(second), 200);
  await world.clock.advance(1);
  assert.equal(await world.status(second), 401);
});

for (
  const [kind, setUp] of Object.entries({
    "a refresh token": { refresh: true, inToken: false },
    "a refresh token, groups in the ID token": { refresh: true, inToken: true },
    "no refresh token": { refresh: false, inToken: false },
  })
) {
  Deno.test(`a session ends within minutes after the person's group is gone: ${kind}`, async () => {
    await using world = await createOpenIdWorld({ inToken: setUp.inToken });
    world.provider.issuesRefreshTokens = setUp.refresh;
    const browser = new Browser();
    await world.enter(browser);
    const reload = async () => {
      const reply = await world.request(browser, "/scheduler/resume", { method: "POST" });
      await reply.body?.cancel();
      return reply.status;
    };
    assert.equal(await reload(), 200);
    const asked = world.provider.requests.length;
    world.provider.people.set("id-1", { groups: ["staff"] });
    await world.clock.advance(5 * MINUTE_MS - 1);
    assert.equal(await reload(), 200);
    assert.equal(world.provider.requests.length, asked, "no check before five minutes");
    await world.clock.advance(1);
    assert.equal(await reload(), 403, "the role is that of the other group");
    assert.equal(await world.status(browser), 200);
    world.provider.people.set("id-1", {});
    await world.clock.advance(5 * MINUTE_MS);
    assert.equal(await world.status(browser), 401);
  });
}

Deno.test("a session ends with the account, and a provider that is down ends it after an hour", async () => {
  await using world = await createOpenIdWorld();
  const [gone, kept] = [new Browser(), new Browser()];
  await world.enter(gone);
  world.provider.current = "id-2";
  await world.enter(kept);
  world.provider.people.delete("id-1");
  await world.clock.advance(5 * MINUTE_MS);
  assert.deepEqual([await world.status(gone), await world.status(kept)], [401, 200]);
  world.provider.brokenStatus = 503;
  await world.clock.advance(59 * MINUTE_MS);
  assert.equal(await world.status(kept), 200);
  await world.clock.advance(5 * MINUTE_MS);
  assert.equal(await world.status(kept), 401);
});

Deno.test("a sign-in is the person that config.yaml lists, with the lower role, and a removed person is out", async () => {
  await using world = await createOpenIdWorld();
  const { issuer } = world.provider;
  const signIn =
    `  issuer: ${issuer}\n  client_id: inkling\n  client_secret_env: SIGN_IN_SECRET\n` +
    "  groups: { staff: viewer, platform: admin }\n";
  world.change(
    `${signIn}people: { ann: { role: author, openid: [{ issuer: "${issuer}", email: ANN@example.com }] } }\n`,
  );
  const browser = new Browser();
  await world.enter(browser);
  const who = async () => {
    const { name, role } = await (await world.request(browser, "/whoami")).json();
    return `${name} ${role}`;
  };
  assert.equal(await who(), "ann author");
  const stream = await world.request(browser, "/events/stream");
  // The provider has not verified the address of the other account.
  world.provider.current = "id-2";
  const other = new Browser();
  await world.enter(other);
  const { name } = await (await world.request(other, "/whoami")).json();
  assert.equal(name, `id-2 (${new URL(issuer).host})`);

  world.change(
    `${signIn}people: { ann: { removed: true, openid: [{ issuer: "${issuer}", sub: id-1 }] } }\n`,
  );
  assert.equal(await world.status(browser), 401);
  await world.clock.advance(SECOND_MS);
  await stream.text();
  world.provider.current = "id-1";
  assert.equal(heading(await world.enter(browser)), "403 You have no access");
  assert.equal(await world.status(other), 200);
});

Deno.test("a change of config.yaml changes roles at once, and ends sessions of another provider", async () => {
  await using world = await createOpenIdWorld();
  const browser = new Browser();
  await world.enter(browser);
  const lines = (groups: string, id = "inkling") =>
    `  issuer: ${world.provider.issuer}\n  client_id: ${id}\n  groups: ${groups}\n`;
  world.change(lines("{ elsewhere: admin }"));
  assert.equal(await world.status(browser), 401);
  world.change(lines("{ staff: viewer }"));
  assert.equal(await world.status(browser), 200);
  world.change(lines("{ staff: viewer }", "other"));
  assert.equal(await world.status(browser), 401);
  world.change(undefined);
  assert.equal(await world.status(browser), 401);
});

Deno.test("open streams end with the session", async () => {
  await using world = await createOpenIdWorld();
  const open = async (browser: Browser) => {
    await world.enter(browser);
    const reply = await world.request(browser, "/events/stream");
    assert.equal(reply.status, 200);
    return reply.body?.getReader() ?? assert.fail();
  };
  const ends = async (reader: ReadableStreamDefaultReader<Uint8Array>) => {
    let hasEnded = false;
    const reading = (async () => {
      while (!(await reader.read()).done);
      hasEnded = true;
    })();
    await until(async () => {
      await world.clock.advance(15_000);
      return hasEnded;
    }, "the stream ends");
    await reading;
  };
  const [leaver, removed] = [new Browser(), new Browser()];
  const first = await open(leaver);
  await world.request(leaver, "/logout", { method: "POST" });
  await ends(first);
  const second = await open(removed);
  world.provider.people.set("id-1", {});
  await ends(second);
});

Deno.test("without sign_in there is no link and no open path", async () => {
  await using world = await createOpenIdWorld();
  world.change(undefined);
  const browser = new Browser();
  assert.doesNotMatch((await browser.open(`${world.origin}/ui`)).text, /Sign in with/);
  for (
    const path of ["/openid-login", "/openid-callback", "/.well-known/oauth-protected-resource"]
  ) {
    const reply = await fetch(world.origin + path);
    await reply.body?.cancel();
    assert.equal(reply.status, 401, path);
    const known = await fetch(world.origin + path, { headers: { "x-api-key": KEY } });
    await known.body?.cancel();
    assert.equal(known.status, 404, path);
  }
  const token = await fetch(`${world.origin}/mcp`, {
    method: "POST",
    headers: { authorization: "Bearer a.b.c" },
  });
  assert.equal(token.status, 401);
  assert.equal(token.headers.get("www-authenticate"), "Bearer");
  await token.body?.cancel();
  assert.deepEqual(world.provider.requests, []);
});
