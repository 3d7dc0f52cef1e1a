// Files of messages that the servers of a chat app send without naming their size.
import assert from "node:assert/strict";
import { loadFile } from "../../../reach/chat/load_file.ts";

Deno.test("a file without a named size is read up to the limit, and no further", async () => {
  const sent: number[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => {
      const response = sent.push(0) - 1;
      const body = new ReadableStream({
        pull(controller) {
          if (sent[response]!++ === 100) controller.close();
          else controller.enqueue(new Uint8Array(1_000_000));
        },
      });
      return new Response(body);
    },
  );
  const { port } = server.addr as Deno.NetAddr;
  const origin = `http://127.0.0.1:${port}`;
  const file = { ref: `${origin}/a`, name: "a.bin" };
  const { signal } = new AbortController();
  const load = (maxBytes: number) => loadFile(file, { maxBytes, origins: [origin] }, signal);
  await assert.rejects(load(2_000_000), /a\.bin is too large/);
  assert.ok(sent[0]! < 100, "the rest is not read");
  assert.equal((await load(100_000_000)).length, 100_000_000);
});
