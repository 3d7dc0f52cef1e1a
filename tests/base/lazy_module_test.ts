import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { lazyModule } from "../../base/lazy_module.ts";

Deno.test("lazyModule() loads once, on the first call, and rejects if loading fails", async () => {
  let asked = 0;
  const load = lazyModule(() => {
    asked++;
    return import("../../base/durations.ts");
  });
  assert.equal(asked, 0);
  const [first, second] = await Promise.all([load(), load()]);
  assert.equal(first, second);
  assert.equal(first.parseDuration("1s"), 1_000);
  await assert.rejects(lazyModule(() => Promise.reject(new TypeError("broken")))(), /broken/);
});

Deno.test({
  name: "lazyModule() refuses without a free file descriptor, and loads once some are free",
  ignore: Deno.build.os === "windows",
  async fn() {
    const process = fileURLToPath(new URL("./lazy_module_process.ts", import.meta.url));
    const deno = [Deno.execPath(), "run", "--no-prompt", "--no-check", "--allow-read", process];
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", 'ulimit -n 64; exec "$@"', "sh", ...deno],
    }).output();
    const told = new TextDecoder().decode(stdout);
    assert.notEqual(told, "", new TextDecoder().decode(stderr));
    const { refused, then } = JSON.parse(told);
    assert.match(refused, /too many files and connections open/);
    assert.equal(then, 60_000);
  },
});
