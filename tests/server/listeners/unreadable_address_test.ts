// Requests whose address, put together of their Host and their target, cannot be read.
import assert from "node:assert/strict";
import { serve } from "../../../server/mod.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { FakeRuntime } from "../../support/fake_runtime.ts";
import { TestClock } from "../../support/test_clock.ts";
import { sendRaw } from "../raw_http.ts";

Deno.test("serve() answers 400 where the address of a request cannot be read, and logs no error", async () => {
  await withTempDir(async (directory) => {
    const runtime = new FakeRuntime({ clock: new TestClock(), directory });
    const service = await serve(runtime, {});
    const path = runtime.directories.socketFile;
    const answerTo = (target: string, host: string) =>
      sendRaw(
        () => Deno.connect({ transport: "unix", path }),
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      );
    try {
      assert.equal((await answerTo("/health", "x")).status, 200);
      const unreadable: [target: string, host: string][] = [
        ...["[", "[::1", "a b", "a<b", "x:y", "x:99999"].map((
          host,
        ): [string, string] => ["/health", host]),
        ["http://[/health", "x"],
        ["http://x:99999/health", "x"],
      ];
      for (const [target, host] of unreadable) {
        const { status, text } = await answerTo(target, host);
        assert.equal(status, 400, `${target} of ${host}`);
        assert.match(text, /\r\n\r\n\{"detail":"Bad Request"\}$/);
      }
      assert.deepEqual(runtime.log.lines.filter(({ level }) => level === "error"), []);
    } finally {
      await service.shutdown("requested");
    }
  });
});
