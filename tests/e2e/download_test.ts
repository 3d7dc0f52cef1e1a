// Tests a download into a file by a real service that is killed meanwhile.
import assert from "node:assert/strict";
import { join } from "node:path";
import { serve } from "../runtime/tools/builtin/http_site.ts";
import { until } from "../support/until.ts";
import { createRealHome, killService } from "./real_process.ts";

/** The number of kills. The test also passes with ten. */
const KILLS = 1;
const PIECE = new Uint8Array(64 * 1024).fill(97);
const PIECES = 20;

Deno.test("kill -9 during a download leaves no half file, and the resumed run saves it once", async () => {
  /** The number of pieces after which the next response pauses. The last response has no pause. */
  let most = 2;
  await using site = serve(() => {
    let [sent, paused] = [0, most];
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (sent === paused) return await new Promise(() => {/* until the client is killed */});
          sent++;
          controller.enqueue(PIECE);
          if (sent === PIECES) controller.close();
        },
        cancel: () => void (paused = 0),
      }),
    );
  });
  await using home = await createRealHome();
  await home.configure('http: { allow: ["127.0.0.1"] }\n');
  await home.writeScript("saver", [
    { call: [{ name: "http_request", arguments: { url: site.origin, save_to: "big/file.bin" } }] },
    { say: "Done." },
  ], 'auto_approve: "*"\non_restart: resume');
  const folder = join(home.workspace, "big");
  const files = async () =>
    (await Array.fromAsync(Deno.readDir(folder)).catch(() => [])).map(({ name }) => name);
  await Deno.mkdir(folder);
  await home.startService();
  let id: number;
  {
    using client = home.client();
    ({ execution_id: id } = await client.run("saver"));
  }
  for (let kill = 0; kill < KILLS; kill++) {
    most = (kill + 1) * 2;
    await until(() => site.seen.length > kill, "a request");
    await until(async () => (await files()).length > 0, "a part of the file");
    await killService(home.stateDir);
    assert.ok(!(await files()).includes("file.bin"), "there is a half file");
    most = kill === KILLS - 1 ? Infinity : (kill + 2) * 2;
    await home.startService();
  }
  using client = home.client();
  await until(async () => (await client.execution(id)).status === "success", "the end of the run");
  assert.deepEqual(await files(), ["file.bin"]);
  assert.equal((await Deno.stat(join(folder, "file.bin"))).size, PIECES * PIECE.length);
  assert.equal(site.seen.length, KILLS + 1);
});
