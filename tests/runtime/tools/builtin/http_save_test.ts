// Tests http_request with save_to: the body goes into a file of the workspace.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import {
  createHttpRequest,
  type HttpRequestOptions,
} from "../../../../runtime/tools/builtin/http_request.ts";
import { STAGED_NAME } from "../../../../base/files/staged_files.ts";
import { until } from "../../../support/until.ts";
import {
  call,
  failureOf,
  SandboxFixture,
  testContext,
  testInWorkspace as test,
} from "../files/sandbox_fixture.ts";
import { OPEN_POLICY, serve } from "./http_site.ts";

const tool = (options?: HttpRequestOptions) => createHttpRequest(OPEN_POLICY, options);
const namesIn = async ({ workspace }: SandboxFixture, folder = "saved") =>
  (await Array.fromAsync(Deno.readDir(`${workspace}/${folder}`)).catch(() => []))
    .map(({ name }) => name);

test("http_request saves a body of any kind, and replaces a file", async (fixture) => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
  await using site = serve(({ url }) =>
    new URL(url).pathname === "/zip"
      ? new Response(gzipSync("text"), { headers: { "content-encoding": "gzip" } })
      : new URL(url).pathname === "/moved"
      ? new Response(null, { status: 302, headers: { location: "/file" } })
      : new Response(bytes, { headers: { "content-type": "application/x-any" } })
  );
  const save = (path: string, save_to: string) =>
    fixture.call(tool(), { url: site.origin + path, save_to });
  assert.match(
    await save("/moved", "saved/deep/file.bin"),
    /^200 OK\nredirected to: .*\ncontent-type: application\/x-any\n[^]*\n\n\(Created saved\/deep\/file\.bin: the body, 300000 bytes\.\)$/,
  );
  assert.deepEqual(await Deno.readFile(`${fixture.workspace}/saved/deep/file.bin`), bytes);
  assert.match(
    await save("/zip", "saved/deep/file.bin"),
    /\(Replaced .*: the body, 4 bytes\.\)$/,
  );
  assert.equal(await fixture.read("saved/deep/file.bin"), "text");
  assert.deepEqual(await namesIn(fixture, "saved/deep"), ["file.bin"]);
});

test("http_request saves only complete bodies of success", async (fixture) => {
  await fixture.write("saved/old.txt", "old");
  await using site = serve(({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/missing") return new Response("no such page", { status: 404 });
    if (pathname === "/big") return new Response(new Uint8Array(3_000_000));
    return new Response("not gzip", { headers: { "content-encoding": "gzip" } });
  });
  const save = (url: string, more: Record<string, unknown> = {}) =>
    fixture.call(
      tool({ maxSavedBytes: 2 * 1024 * 1024 }),
      { url, save_to: "saved/old.txt", ...more },
    );
  assert.match(
    await save(`${site.origin}/missing`),
    /^404 .*\n[^]*\nsave_to: nothing was saved, because of the status\n\nno such page$/,
  );
  assert.equal(
    await failureOf(save(`${site.origin}/big`)),
    "The body has more than 2 MB. It was not saved.",
  );
  assert.match(
    await failureOf(save(`${site.origin}/corrupt`)),
    /^The body ended after 0 bytes: .*It was not saved\.$/,
  );
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  for (const head of ["content-length: 1000\r\n", "transfer-encoding: chunked\r\n"]) {
    const answering = (async () => {
      using connection = await listener.accept();
      await connection.read(new Uint8Array(1_000));
      await connection.write(
        new TextEncoder().encode(`HTTP/1.1 200 OK\r\n${head}\r\n4\r\nhalf\r\n`),
      );
    })();
    assert.match(
      await failureOf(save(`http://127.0.0.1:${listener.addr.port}/`)),
      /^The body ended after \d+ .*It was not saved\.$/,
    );
    await answering;
  }
  for (const more of [{ method: "HEAD" }, { raw: true }, { offset: 5 }]) {
    assert.match(await failureOf(save(`${site.origin}/`, more)), /^save_to saves the whole body/);
  }
  assert.equal(await fixture.read("saved/old.txt"), "old");
  assert.deepEqual(await namesIn(fixture), ["old.txt"]);
});

test("http_request saves into no closed path, and does not request the address", async (fixture) => {
  await using site = serve();
  for (const save_to of ["agents/me.md", ".env", "../outside/secret.txt", "/etc/passwd"]) {
    assert.match(
      await failureOf(fixture.call(tool(), { url: site.origin, save_to })),
      /^Cannot|closed|outside|not /,
    );
  }
  assert.deepEqual(site.seen, []);
});

Deno.test("http_request leaves no part of a download that is cancelled", async () => {
  await using fixture = await SandboxFixture.open();
  const stop = new AbortController();
  const context = testContext(fixture.sandbox(), { signal: stop.signal });
  await using site = serve(() =>
    new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(100_000)) }),
    )
  );
  const saving = call(tool(), { url: site.origin, save_to: "saved/file" }, context);
  const outcome = assert.rejects(saving, /Cancelled by user/);
  await until(
    async () => (await namesIn(fixture)).some((name) => STAGED_NAME.test(name)),
    "the download begins",
  );
  stop.abort(new Error("Cancelled by user"));
  await outcome;
  assert.deepEqual(await namesIn(fixture), []);
});
