// The cookie that tokens are exchanged for.
import assert from "node:assert/strict";
import { BrowserSession } from "../../../server/ui/browser_session.ts";

Deno.test("BrowserSession has a cookie that no script and no other site may use", () => {
  const { cookie } = new BrowserSession({ port: 4242 });
  assert.match(cookie, /^inkling_ui_4242=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
});

Deno.test("BrowserSession admits its cookie among others, and nothing that resembles it", () => {
  const session = new BrowserSession({ port: 1 });
  const [pair = ""] = session.cookie.split(";");
  const [name, value] = pair.split("=");
  assert.ok(session.admits(pair));
  assert.ok(session.admits(`a=b; ${pair}; c=d`));
  const others = [null, "", name, `${name}=`, `${pair}x`, `inkling_ui_2=${value}`, `x${pair}`];
  for (const other of others) assert.ok(!session.admits(other ?? null), String(other));
  assert.ok(!new BrowserSession({ port: 1 }).admits(pair), "another proxy");
});
