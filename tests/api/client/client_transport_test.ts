// Tests of GET over a Unix socket: complete responses, broken connections, silent services and missing services.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { ApiError, openSocketClient, ServiceUnreachable } from "../../../api/client/client.ts";
import { getOverSocket } from "../../../api/client/client_transport.ts";
import { createTempDir } from "../../support/temp_dir.ts";

async function withSocket(work: (path: string) => Promise<void>): Promise<void> {
  await using folder = await createTempDir();
  await work(join(folder.path, "s.sock"));
}

/** Starts a service that answers each connection with these bytes and closes it. */
function answerWith(path: string, ...pieces: readonly string[]): AsyncDisposable {
  const listener = Deno.listen({ transport: "unix", path });
  const served = (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(1_024));
      for (const piece of pieces) await connection.write(new TextEncoder().encode(piece));
      connection.close();
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

Deno.test("getOverSocket() reads complete responses of a real server", async () => {
  await withSocket(async (path) => {
    const asked: string[] = [];
    let body = "";
    await using _ = Deno.serve({ path, onListen: () => {} }, (request) => {
      asked.push(new URL(request.url).pathname + new URL(request.url).search);
      return new Response(body, { status: asked.length === 1 ? 404 : 200 });
    });
    assert.deepEqual(await getOverSocket(path, "/a?b=%C3%A9", {}), { status: 404, text: "" });
    assert.deepEqual(asked, ["/a?b=%C3%A9"]);
    const texts = fc.string({ unit: "grapheme", maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(3_000), async (text, times) => {
        body = text.repeat(times);
        assert.deepEqual(await getOverSocket(path, "/", {}), { status: 200, text: body });
      }),
      { numRuns: 30 },
    );
  });
});

Deno.test("getOverSocket() reports a missing listener and a truncated response", async () => {
  await withSocket(async (path) => {
    await assert.rejects(getOverSocket(path, "/", {}), ServiceUnreachable);
    const head = "HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\n";
    const broken = [
      ...[[], [""], ["HTTP/1.0 20"], [head], [head, "1234"], ["SSH-2.0\r\n\r\n"]],
      // The response is cut within its head. The rest resembles a complete response without a body.
      ...["HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n", head.slice(0, -2)].map((
        one,
      ) => [one]),
    ];
    for (const pieces of broken) {
      await using _ = answerWith(path, ...pieces);
      await assert.rejects(getOverSocket(path, "/", {}), ServiceUnreachable, pieces.join());
    }
    await using _ = answerWith(path, head.slice(0, 20), head.slice(20), "12", "345");
    assert.deepEqual(await getOverSocket(path, "/", {}), { status: 200, text: "12345" });
  });
});

Deno.test("getOverSocket() rejects with the signal's reason", async () => {
  await withSocket(async (path) => {
    const reason = new Error("enough");
    await assert.rejects(getOverSocket(path, "/", { signal: AbortSignal.abort(reason) }), reason);
    using listener = Deno.listen({ transport: "unix", path });
    const off = new AbortController();
    const asked = getOverSocket(path, "/", { signal: off.signal });
    using _ = await listener.accept();
    off.abort(reason);
    await assert.rejects(asked, reason);
  });
});

Deno.test("getOverSocket() refuses a path with a line break", async () => {
  for (const path of ["/a b", "/a\r\nx: y", "/é"]) {
    await assert.rejects(getOverSocket("/nowhere", path, {}), TypeError);
  }
});

Deno.test("openSocketClient() converts refusals to ApiError for GET and for POST", async () => {
  await withSocket(async (path) => {
    await using _ = Deno.serve(
      { path, onListen: () => {} },
      ({ method }) => Response.json({ detail: `No ${method}` }, { status: 409 }),
    );
    using client = openSocketClient(path);
    await assert.rejects(client.info(), new ApiError(409, "No GET"));
    await assert.rejects(client.shutdown(), new ApiError(409, "No POST"));
  });
});
