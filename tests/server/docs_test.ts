// The pages of the API's documentation, in a real browser that has no network but the service.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { OPERATIONS } from "../../server/operations/operations.ts";
import { serve } from "../../server/mod.ts";
import { FakeRuntime } from "../support/fake_runtime.ts";
import { TestClock } from "../support/test_clock.ts";
import type { PageReport } from "./docs_browser.ts";

const CHROMIUM = "/usr/bin/chromium";
const hasChromium = await Deno.stat(CHROMIUM).then(() => true, () => false);

/** What the pages load is what the packages hold. */
const CHECKSUMS = {
  "swagger-ui-bundle.js": "e6a898692f2d768e807c3ba4626068a69a2c5dd960dd6c76f3e4d3a3de180af2",
  "swagger-ui.css": "5ed08757e53da3e026d6cbecc61fe5d43585c9560b302d534ad56692519a273d",
  "redoc.standalone.js": "1320f442151c57c447d3b70c7ffc6c4f86d08464020fe34c8cc5d3164e9944f0",
};

Deno.test("server/docs_assets holds the files of the packages, unchanged", () => {
  for (const [name, checksum] of Object.entries(CHECKSUMS)) {
    const path = new URL(`../../server/docs_assets/${name}`, import.meta.url);
    const found = createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
    assert.equal(found, checksum, name);
  }
});

Deno.test({
  name: hasChromium
    ? "/docs and /redoc show every operation in a browser and ask nobody else for anything"
    : `/docs and /redoc in a browser: skipped, there is no ${CHROMIUM}`,
  ignore: !hasChromium,
  async fn() {
    const directory = await Deno.makeTempDir({ prefix: "inkling-docs-" });
    const runtime = new FakeRuntime({ clock: new TestClock(), directory });
    const service = await serve(runtime, { tcp: { port: 0, apiKey: "key" } });
    const base = `http://127.0.0.1:${service.ports[0]}`;
    try {
      const script = fileURLToPath(new URL("docs_browser.ts", import.meta.url));
      const config = fileURLToPath(new URL("../deno.json", import.meta.url));
      const pages = [`${base}/docs`, `${base}/redoc`];
      const command = [Deno.execPath(), "run", "--no-check", "-A", "--config", config, script];
      const { success, stdout, stderr } = await new Deno.Command("sh", {
        // Test files are threads of one process and share its umask: two that open a socket at once may leave it at
        // 177, and the browser dies of that.
        args: ["-c", 'umask 022; exec "$@"', "sh", ...command, CHROMIUM, "key", ...pages],
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const reports: PageReport[] = JSON.parse(new TextDecoder().decode(stdout));
      assert.deepEqual(reports.map(({ address }) => address), pages);
      for (const { address, text, complaints, requests } of reports) {
        for (const { summary } of OPERATIONS) {
          assert.ok(text.includes(summary), `${address} does not show "${summary}": ${text}`);
        }
        assert.deepEqual(complaints, [], address);
        const foreign = requests.filter((url) =>
          !url.startsWith(base) && !/^(data|blob):/.test(url)
        );
        assert.deepEqual(foreign, [], address);
      }
    } finally {
      await service.shutdown("requested");
      await Deno.remove(directory, { recursive: true });
    }
  },
});
