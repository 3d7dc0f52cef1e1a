// The one-time token and the cookie that it is exchanged for.
import assert from "node:assert/strict";
import { BrowserSession } from "../../../server/ui/browser_session.ts";

Deno.test("BrowserSession exchanges its token once, for a cookie that no script and no other site may use", () => {
  const session = new BrowserSession({ port: 4242 });
  assert.match(session.token, /^[\w-]{43}$/);
  const cookie = session.exchange(session.token);
  assert.match(cookie ?? "", /^inkling_ui_4242=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
  assert.ok(!cookie?.includes(session.token));
  assert.equal(session.exchange(session.token), undefined);
});

Deno.test("BrowserSession is not used up by wrong tokens", () => {
  const session = new BrowserSession({ port: 1 });
  const last = session.token.endsWith("A") ? "B" : "A";
  for (const wrong of ["", "x", `${session.token}A`, session.token.slice(0, -1) + last]) {
    assert.equal(session.exchange(wrong), undefined, wrong);
  }
  assert.notEqual(session.exchange(session.token), undefined);
});

Deno.test("BrowserSession admits its cookie among others, and nothing that resembles it", () => {
  const session = new BrowserSession({ port: 1 });
  const [pair = ""] = (session.exchange(session.token) ?? "").split(";");
  const [name, value] = pair.split("=");
  assert.ok(session.admits(pair));
  assert.ok(session.admits(`a=b; ${pair}; c=d`));
  const others = [null, "", name, `${name}=`, `${pair}x`, `inkling_ui_2=${value}`, `x${pair}`];
  for (const other of others) assert.ok(!session.admits(other ?? null), String(other));
  assert.ok(!new BrowserSession({ port: 1 }).admits(pair), "another proxy");
});
