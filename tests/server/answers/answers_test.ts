// Tests of answer links without a listener: requests of browsers, chat programs and attackers to the application.
import assert from "node:assert/strict";
import { readAnswer, WRONG_TOKEN } from "../../../server/answers/answers.ts";
import { FakeRefusal } from "../../support/fake_runtime.ts";
import { settle } from "../../support/test_clock.ts";
import { BROWSER, HOST, openPort, ORIGIN, OTHER, TOKEN } from "./answer_port.ts";

Deno.test("a link shows its question without a key, and accepts one answer", async () => {
  const { open, answer, runtime, id } = openPort();
  const page = await open();
  assert.equal(page.status, 200);
  const text = await page.text();
  assert.match(text, /<h1>Daily asks<\/h1>/);
  assert.match(text, /May it write\?/);
  assert.match(text, /<th scope="row">path<\/th><td>a\.md<\/td>/);
  assert.match(text, /<form method="post">/);
  assert.equal(runtime.responses.length, 0);

  const answered = await answer({ decision: "approve", reason: " Fine\r\nby me " });
  assert.equal(answered.status, 200);
  assert.match(await answered.text(), /<h1>Approved<\/h1>/);
  const given = { approved: true, reason: "Fine\nby me" };
  const expected = { id, requestId: "r1", answer: given, by: { via: "link" } };
  assert.deepEqual(runtime.responses, [expected]);

  const again = await answer({ decision: "deny" });
  assert.equal(again.status, 410);
  assert.match(await again.text(), /Already answered/);
  assert.equal((await open()).status, 410);
  assert.deepEqual(runtime.responses, [expected]);
});

Deno.test("the page of a question about a sign-in can only give up", async () => {
  const { open } = openPort({ toolName: "sign_in", toolArgs: { server: "remote" } });
  const text = await (await open()).text();
  assert.match(text, /value="deny">Give up</);
  assert.doesNotMatch(text, /Approve/);
});

Deno.test("the page of a question for some people has no form, and asks for a sign-in", async () => {
  const { open } = openPort({ rule: { approvers: ["anna", "admin"], approvals: 2 } });
  const text = await (await open()).text();
  assert.match(text, /This question is for anna, people with the role admin\./);
  assert.match(text, /sign in to the page with your own key/);
  assert.doesNotMatch(text, /<form/);
});

Deno.test("GET and HEAD change nothing, because chat programs open links", async () => {
  const { send, open, runtime } = openPort();
  for (const site of ["cross-site", "same-site", "none"]) {
    const preview = await open(TOKEN, { "sec-fetch-site": site });
    assert.equal(preview.status, 200, site);
  }
  const head = await send("HEAD", `/answer/${TOKEN}`);
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  const query = await send("GET", `/answer/${TOKEN}?decision=approve`, BROWSER);
  assert.equal(query.status, 200);
  assert.equal(runtime.responses.length, 0);
  assert.equal((await open()).status, 200);
});

Deno.test("the page is not stored or framed, and runs no script", async () => {
  const { open, answer } = openPort();
  for (const page of [await open(), await answer({ decision: "approve" }), await open()]) {
    const header = (name: string) => page.headers.get(name) ?? "";
    assert.equal(header("cache-control"), "no-store");
    assert.equal(header("referrer-policy"), "same-origin");
    assert.equal(header("x-frame-options"), "DENY");
    assert.equal(header("x-robots-tag"), "noindex");
    assert.equal(header("x-content-type-options"), "nosniff");
    const policy = header("content-security-policy");
    assert.match(policy, /^default-src 'none'; style-src 'sha256-\S+'; img-src data:;/);
    assert.match(policy, /form-action 'self'; frame-ancestors 'none'$/);
    assert.doesNotMatch(await page.text(), /<script|https?:\/\//);
  }
});

Deno.test("GET and POST /answer/{token} need no key, unlike all other routes", async () => {
  const { send } = openPort();
  const bare: [string, string][] = [
    ["PUT", `/answer/${TOKEN}`],
    ["DELETE", `/answer/${TOKEN}`],
    ["GET", "/answer/short"],
    ["GET", `/answer/${TOKEN}x`],
    ["GET", `/answer/${TOKEN}/agents`],
    ["GET", `/answer/../agents?${TOKEN}`],
    ["POST", "/answer"],
    ["GET", "/agents"],
    ["POST", "/executions/1/respond"],
  ];
  for (const [method, path] of bare) {
    assert.equal((await send(method, path)).status, 401, `${method} ${path}`);
  }
});

Deno.test("requests with unknown tokens wait a second, at most sixteen at a time", async () => {
  const { open, answer, clock, runtime } = openPort();
  const tries = Array.from({ length: WRONG_TOKEN.mostWaiting }, () => open(OTHER));
  await settle();
  assert.equal((await open(OTHER)).status, 429);
  assert.equal((await answer({ decision: "approve" }, OTHER)).status, 429);
  // A valid token does not wait.
  assert.equal((await open()).status, 200);
  await clock.advance(WRONG_TOKEN.waitsMs);
  for (const page of await Promise.all(tries)) {
    assert.equal(page.status, 404);
    assert.match(await page.text(), /Unknown link/);
  }
  const forged = answer({ decision: "approve" }, OTHER);
  await settle();
  await clock.advance(WRONG_TOKEN.waitsMs);
  assert.equal((await forged).status, 404);
  assert.equal(runtime.responses.length, 0);
});

Deno.test("a closed link shows the reason and accepts no answer", async () => {
  const { open, answer, runtime, id } = openPort();
  for (
    const [state, words] of [
      ["expired", /This link has expired/],
      ["ended", /The execution that asked this question has ended/],
      ["answered", /Already answered/],
    ] as const
  ) {
    runtime.links.set(TOKEN, { requestId: "r1", executionId: id, state });
    for (const page of [await open(), await answer({ decision: "approve" })]) {
      assert.equal(page.status, 410);
      const text = await page.text();
      assert.match(text, words);
      assert.match(text, /Nothing was changed\..*\n.*inkling pending/);
    }
  }
  assert.equal(runtime.responses.length, 0);
});

Deno.test("a link answers only its own question of the execution", async () => {
  const { open, answer, runtime, id } = openPort();
  const request = runtime.requests.get(id);
  assert.ok(request);
  runtime.requests.set(id, { ...request, requestId: "r2" });
  assert.equal((await open()).status, 410);
  assert.equal((await answer({ decision: "approve" })).status, 410);
  assert.equal(runtime.responses.length, 0);
});

Deno.test("the later of two answers changes nothing", async () => {
  const { answer, runtime, id } = openPort();
  runtime.respond = () => {
    runtime.links.set(TOKEN, { requestId: "r1", executionId: id, state: "answered" });
    return Promise.reject(new FakeRefusal("conflict", "This answer is to an older request"));
  };
  const page = await answer({ decision: "approve" });
  assert.equal(page.status, 410);
  assert.match(await page.text(), /Already answered/);
});

Deno.test("/answer/{token} refuses requests from other origins, sites and hosts, like every route", async () => {
  const { answer, open, send, runtime } = openPort();
  const form = { decision: "approve" };
  for (const origin of ["https://evil.example", "null", `http://${HOST}:1`]) {
    assert.equal((await answer(form, TOKEN, { origin })).status, 403, origin);
  }
  const site = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  assert.equal((await answer(form, TOKEN, site)).status, 403);
  const nameless = { ...site, origin: ORIGIN };
  assert.equal((await answer(form, OTHER, { ...nameless, host: "evil.example" })).status, 421);
  const bare = { "sec-fetch-site": "cross-site" };
  const body = new URLSearchParams(form).toString();
  assert.equal((await send("POST", `/answer/${TOKEN}`, bare, body)).status, 403);
  assert.equal((await open(TOKEN, { host: "evil.example" })).status, 421);
  assert.equal(
    (await send("GET", `/answer/${TOKEN}`, { origin: "https://evil.example" })).status,
    403,
  );
  assert.equal(runtime.responses.length, 0);
});

Deno.test("an invalid answer shows its problem and leaves the question open", async () => {
  const { answer, runtime } = openPort();
  const page = await answer({ reason: "x" });
  assert.equal(page.status, 422);
  assert.match(await page.text(), /<p class="fault" role="alert">Choose Approve or Deny\.<\/p>/);
  runtime.respond = () => Promise.reject(new FakeRefusal("unavailable", "The service is stopping"));
  const stopping = await answer({ decision: "approve" });
  assert.equal(stopping.status, 503);
  assert.match(await stopping.text(), /The service is stopping\./);
  assert.equal((await answer({ reason: "x".repeat(70_000) })).status, 413);
  assert.equal(runtime.responses.length, 0);
});

Deno.test("texts and choices are answered by forms without a script", async () => {
  const text = openPort({ kind: "input" });
  assert.match(await (await text.open()).text(), /<label for="text">/);
  assert.equal((await text.answer({ text: " " })).status, 422);
  await text.answer({ text: "one\r\ntwo" });
  assert.deepEqual(text.runtime.responses[0]?.answer, { text: "one\ntwo" });

  const options = ["blue", 'r"e<d', "a\nb"];
  const one = openPort({ kind: "choice", options });
  assert.match(await (await one.open()).text(), /<input type="radio" name="choice" value="1"/);
  for (const choice of ["", "9", "-1", "blue", "1e0"]) {
    assert.equal((await one.answer({ choice })).status, 422, choice);
  }
  await one.answer({ choice: "1" });
  assert.deepEqual(one.runtime.responses[0]?.answer, { selected: ['r"e<d'] });

  const several = openPort({ kind: "choice", options, multi: true });
  assert.match(await (await several.open()).text(), /<input type="checkbox"/);
  await several.answer([["choice", "0"], ["choice", "2"]]);
  assert.deepEqual(several.runtime.responses[0]?.answer, { selected: ["blue", "a\nb"] });
});

Deno.test("text of a model is shown as text with escaped invisible characters", async () => {
  const evil = '"><script>alert(1)</script>\u202e\u001b[2J';
  const { open } = openPort({
    message: evil,
    toolName: evil,
    toolArgs: { [evil]: evil, deep: { list: [evil] } },
    kind: "choice",
    options: [evil],
  });
  const text = await (await open()).text();
  for (const one of ["<script", "\u202e", "\u001b"]) assert.ok(!text.includes(one));
  assert.match(text, /&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;\\u202e\\u001b\[2J/);
});

Deno.test("the page shows the file change that a call would make", async () => {
  const preview = {
    path: "notes/a.md",
    diff: "@@ -1,2 +1,2 @@\n same\n-old <b>\n+new",
    added: 1,
    removed: 1,
    isNewFile: false,
    problem: null,
  };
  const { open, runtime, id } = openPort();
  runtime.previews.set(id, preview);
  const text = await (await open()).text();
  assert.match(text, /<h2>Changes · notes\/a\.md · \+1 −1<\/h2>/);
  assert.match(
    text,
    /<span class="removed">-old &lt;b&gt;<\/span>\n<span class="added">\+new<\/span>/,
  );
});

Deno.test("no token appears in the log", async () => {
  const { open, answer, runtime } = openPort();
  await open();
  await answer({ decision: "approve" });
  const lines = JSON.stringify(runtime.log.lines);
  assert.match(lines, /"path":"\/answer\/…"/);
  assert.doesNotMatch(lines, /tttt/);
});

Deno.test("readAnswer() accepts every form that browsers send", () => {
  const form = new URLSearchParams([["choice", "0"], ["choice", "0"]]);
  assert.deepEqual(readAnswer({ kind: "choice", options: ["a"] }, form), { selected: ["a", "a"] });
  assert.equal(typeof readAnswer({ kind: "choice", options: null }, form), "string");
  assert.equal(typeof readAnswer({ kind: "confirm", options: null }, form), "string");
});

Deno.test("the link of a test message is confirmed by its button, not by opening it", async () => {
  const { open, answer, runtime } = openPort();
  runtime.testLinks.set(OTHER, "open");
  assert.match(await (await open(OTHER)).text(), /<h1>A test message<\/h1>[^]*It arrived/);
  assert.equal(runtime.testLinks.get(OTHER), "open");
  assert.match(await (await answer({}, OTHER)).text(), /<h1>The message has arrived<\/h1>/);
  assert.equal(runtime.testLinks.get(OTHER), "confirmed");
  runtime.testLinks.set(OTHER, "expired");
  assert.equal((await open(OTHER)).status, 410);
});
