// Tests of the routes by which the service serves the documentation site.
import assert from "node:assert/strict";
import { createTestApp } from "../support/test_app.ts";
import { readCommittedSite } from "./built_site.ts";

Deno.test("GET /docs/guide/ serves the site with a policy without inline code", async () => {
  const { app } = createTestApp();
  const files = readCommittedSite();
  const redirect = await app.request("/docs/guide");
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [303, "guide/"]);
  for (
    const [path, name, type] of [
      ["", "index.html", "text/html; charset=utf-8"],
      ["triggers.html", "triggers.html", "text/html; charset=utf-8"],
      ["site.css", "site.css", "text/css; charset=utf-8"],
      ["site.js", "site.js", "text/javascript; charset=utf-8"],
      ["search.json", "search.json", "application/json"],
    ] as const
  ) {
    const response = await app.request(`/docs/guide/${path}`);
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, type], path);
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(await response.text(), files[name]);
    const etag = response.headers.get("etag") ?? "";
    const again = (headers: Record<string, string>) =>
      app.request(`/docs/guide/${path}`, { headers });
    assert.equal((await again({ "if-none-match": etag })).status, 304, path);
    const zipped = await again({ "accept-encoding": "br, gzip" });
    assert.equal(zipped.headers.get("content-encoding"), "gzip");
    const unzipped = zipped.body?.pipeThrough(new DecompressionStream("gzip"));
    assert.equal(await new Response(unzipped).text(), files[name]);
    assert.equal(
      (await again({ "accept-encoding": "gzip;q=0" })).headers.get("content-encoding"),
      null,
    );
  }
});

Deno.test("/docs/guide/ answers 404 for an unknown file and 405 for another method", async () => {
  const { call } = createTestApp();
  for (const name of ["nothing.html", "constructor", "__proto__", "a%2Fb"]) {
    assert.equal((await call(`/docs/guide/${name}`)).status, 404, name);
  }
  const { status, headers } = await call("/docs/guide/index.html", { method: "POST" });
  assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD"]);
});
