// Tests of the page's links and port: each link admits one browser, once.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createUiLink, LINK_MS } from "../../../server/ui/ui_links.ts";
import { openUiProxy, type UiProxy } from "../../../server/ui/ui_proxy.ts";
import { freePort, untilFree } from "../../support/machine/free_port.ts";
import { discard, ProxyWorld } from "./proxy_world.ts";

Deno.test("openUiProxy() listens on its saved port, or on another if it is in use", async () => {
  await using directory = await temporaryFolder();
  const open = () => openPage(directory.path);
  const port = freePort();
  await Deno.writeTextFile(join(directory.path, "ui.port"), `${port}\n`);
  {
    await using first = await open();
    assert.equal(first.port, port);
    assert.equal(first.takenPort, undefined);
    await using second = await open();
    assert.notEqual(second.port, port);
    assert.equal(second.takenPort, port);
  }
  await untilFree(port);
  {
    await using again = await open();
    assert.equal(again.port, port);
  }
  await Deno.writeTextFile(join(directory.path, "ui.port"), "no port");
  await using anew = await open();
  assert.equal(await Deno.readTextFile(join(directory.path, "ui.port")), `${anew.port}\n`);
});

Deno.test("a newer link replaces the older link and admits a further browser", async () => {
  await using world = await ProxyWorld.open(() => new Response("the page"));
  await world.enter();
  const stateDir = world.directory;
  const older = await createUiLink({ stateDir, port: world.port });
  const newer = await createUiLink({ stateDir, port: world.port });
  const status = async (address: string) =>
    (await discard(await fetch(address, { redirect: "manual" }))).status;
  assert.equal(await status(older.address), 403);
  await using other = await openPage(stateDir);
  const moved = new URL(newer.address);
  moved.port = String(other.port);
  assert.equal(await status(moved.href), 403);
  assert.equal(await status(newer.address), 303);
  assert.equal(await (await world.fetch("/ui")).text(), "the page", "the first one stays in");
});

Deno.test("only one of many concurrent requests with a token is admitted", async () => {
  await using world = await ProxyWorld.open();
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      async () => (await discard(await fetch(world.link.address, { redirect: "manual" }))).status,
    ),
  );
  assert.deepEqual(answers.toSorted(), [303, ...Array(19).fill(403)]);
});

Deno.test("an unused link expires after an hour", async () => {
  await using world = await ProxyWorld.open();
  const past = new Date(Date.now() - LINK_MS);
  await Deno.utime(world.link.file, past, past);
  const response = await discard(await fetch(world.link.address, { redirect: "manual" }));
  assert.equal(response.status, 403);
});

Deno.test("a prefetch does not use up the link", async () => {
  await using world = await ProxyWorld.open();
  for (const header of ["sec-purpose", "purpose"]) {
    for (const purpose of ["prefetch", "prefetch;prerender"]) {
      const headers = { [header]: purpose };
      const ahead = await fetch(world.link.address, { redirect: "manual", headers });
      assert.equal((await discard(ahead)).status, 403);
      assert.equal(ahead.headers.get("set-cookie"), null);
    }
  }
  await world.enter();
});

Deno.test("openUiProxy() removes its links when it is disposed", async () => {
  await using directory = await temporaryFolder();
  const page = await openPage(directory.path);
  await createUiLink({ stateDir: directory.path, port: page.port });
  await page[Symbol.asyncDispose]();
  const left = await Array.fromAsync(Deno.readDir(directory.path), ({ name }) => name);
  assert.deepEqual(left, ["ui.port"]);
});

async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "inkling-ui-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

function openPage(stateDir: string): Promise<UiProxy> {
  const socketFile = join(stateDir, "service.sock");
  return openUiProxy({ stateDir, socketFile, home: "/ui", warn: () => {} });
}
