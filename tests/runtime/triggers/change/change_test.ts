import assert from "node:assert/strict";
import { TestClock } from "../../../support/test_clock.ts";
import { LiveTriggers } from "../live_triggers.ts";
import { Site, TEXT } from "./site.ts";

const MINUTE = 60_000;

Deno.test("a change trigger runs only when the content differs from the last check", async () => {
  await using site = await Site.open();
  await site.write();
  await site.start();
  assert.equal(await site.check(), "the first check");
  assert.equal(await site.check(), "no change");
  assert.equal(await site.check(), "no change");
  site.show("two");
  assert.equal(await site.check(), null);
  assert.equal(await site.check(), "no change");
  const [turn = "", ...others] = await site.turns();
  assert.deepEqual(others, []);
  assert.match(turn, /The content of "http:.*" has changed/);
  assert.match(
    turn,
    /<untrusted>\ndiff:\n@@[^]*-one[^]*\+two[^]*old:\none\n\nnew:\ntwo\n<\/untrusted>/,
  );
  const [{ trigger } = { trigger: "" }] = await site.live.runs("news");
  assert.equal(trigger, "change");
  const slots = await site.live.runtime.listSlots("news", { limit: 9, offset: 0 });
  assert.deepEqual(slots.map(({ reason, count }) => [reason, count]), [
    ["no change", 1],
    [null, 1],
    ["no change", 2],
    ["the first check", 1],
  ]);
});

Deno.test("a change during a restart starts one run, and a change that could not run is found again", async () => {
  await using site = await Site.open();
  const call = [{ name: "ask_user", arguments: { question: "Well?" } }];
  await site.write("", "", [{ call }, { say: "done" }]);
  await site.start();
  await site.check();
  await site.live.close();
  site.show("two");
  await site.start();
  assert.equal(await site.check(), null);
  // The first run waits for an answer, so the next change waits, too.
  site.show("three");
  assert.equal(await site.check(), "waiting for an answer");
  site.show("four");
  assert.equal(await site.check(), "waiting for an answer");
  const [first] = await site.live.runs("news");
  await site.live.runtime.cancel(first?.id ?? 0);
  assert.equal(await site.check(), null);
  const turns = await site.turns();
  assert.equal(turns.length, 2);
  assert.match(turns[1] ?? "", /old:\ntwo\n\nnew:\nfour/);
});

Deno.test("ETag and Last-Modified are sent back, and a 304 is no change", async () => {
  await using site = await Site.open();
  await site.write("headers: { X-Token: 'a ${SITE_TOKEN}' }");
  site.live.place.shell["SITE_TOKEN"] = "geheim";
  site.show("one", "text/plain", { etag: '"1"', "last-modified": "Sun, 01 Mar 2026 00:00:00 GMT" });
  await site.start();
  await site.check();
  site.answer = () => new Response(null, { status: 304 });
  assert.equal(await site.check(), "no change");
  const sent = site.requests.at(-1);
  assert.equal(sent?.get("if-none-match"), '"1"');
  assert.equal(sent?.get("if-modified-since"), "Sun, 01 Mar 2026 00:00:00 GMT");
  assert.equal(sent?.get("x-token"), "a geheim");
});

Deno.test("select and ignore limit the compared part", async () => {
  await using site = await Site.open();
  const page = (price: number, clock: number) =>
    `<html><body><p>Ad ${clock}</p><div class="price"><b>${price}</b> at 10:0${clock}</div></body></html>`;
  await site.write("select: '.price', ignore: ['at \\d+:\\d+']");
  site.show(page(1, 1), "text/html");
  await site.start();
  await site.check();
  site.show(page(1, 2), "text/html");
  assert.equal(await site.check(), "no change");
  site.show("<p>Nothing</p>", "text/html");
  assert.match(await site.check() ?? "", /nothing on the page matches \.price/);
  site.show(page(2, 3), "text/html");
  assert.equal(await site.check(), null);
  await site.write("select: /version");
  await site.live.runtime.reloadAgents();
  site.show('{"version": "1", "at": 1}', "application/json");
  assert.equal(await site.check(), "the first check");
  site.show('{"version": "1", "at": 2}', "application/json");
  assert.equal(await site.check(), "no change");
});

Deno.test("ignore takes the syntax of RE2, and a check with another expression fails", async () => {
  await using site = await Site.open();
  await site.write("ignore: ['(?i)updated [[:digit:]]+', '(?P<unit>hours|minutes) ago']");
  site.show("Price 1, UPDATED 5 minutes ago");
  await site.start();
  await site.check();
  site.show("Price 1, updated 2 hours ago");
  assert.equal(await site.check(), "no change");
  await site.write("ignore: ['a{1,2000}']");
  await site.live.runtime.reloadAgents();
  const failed = "the check failed: a{1,2000} of trigger.ignore is no expression of RE2";
  assert.equal(await site.check(), failed);
});

function feed(...ids: number[]): string {
  const items = ids.map((id) =>
    `<item><guid>${id}</guid><title>Entry ${id}</title><link>https://a.example/${id}</link></item>`
  );
  return `<?xml version="1.0"?><rss><channel><title>News</title>${items.join("")}</channel></rss>`;
}

Deno.test("a feed starts one run for all of its new entries", async () => {
  await using site = await Site.open();
  await site.write();
  site.show(feed(2, 1), "application/rss+xml");
  await site.start();
  await site.check();
  site.show(feed(4, 3, 2), "application/rss+xml");
  assert.equal(await site.check(), null);
  // An entry that moves or is edited is known.
  site.show(feed(1, 2, 4), "application/rss+xml");
  assert.equal(await site.check(), "no change");
  const [turn = ""] = await site.turns();
  assert.match(turn, /has 2 new entries[^]*Entry 4[^]*Entry 3/);
});

Deno.test("a page that changes at every check is stopped by max_runs", async () => {
  await using site = await Site.open();
  let count = 0;
  site.answer = () => new Response(`${count++}`, { headers: TEXT });
  await site.write("max_runs: 3");
  const runtime = await site.start();
  for (let check = 0; check < 5; check++) await site.check();
  assert.equal((await site.live.runs("news")).length, 3);
  assert.match((await runtime.getAgent("news")).triggerPaused ?? "", /changes started it 3 times/);
});

Deno.test("the checks of a hundred agents are spread over a minute", async () => {
  await using live = await LiveTriggers.create();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  for (let at = 0; at < 100; at++) {
    const trigger = "trigger: { type: change, url: 'http://127.0.0.1:9/', every: 1h }";
    await live.place.writeScript(`agent-${at}`, [{ say: "done" }], trigger);
  }
  const runtime = await live.open({ clock });
  const times = (await runtime.listAgents()).map(({ nextRun }) => (nextRun ?? 0) - clock.now());
  assert.ok(times.every((ms) => ms > 0 && ms <= MINUTE));
  const seconds = Map.groupBy(times, (ms) => Math.floor(ms / 1_000));
  assert.ok(Math.max(...[...seconds.values()].map(({ length }) => length)) <= 10);
});
