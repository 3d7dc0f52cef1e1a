import assert from "node:assert/strict";
import { apiKey } from "../../../server/middleware/api_key.ts";
import { LogLines } from "../../support/log_lines.ts";
import { explainKey } from "../../../server/routes/dashboard.ts";
import { createTestApp } from "../../support/test_app.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

Deno.test("GET /ui is a page without a line of script or style of its own, under a strict policy", async () => {
  const { app } = createTestApp();
  const response = await app.request("/ui");
  const page = await response.text();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
  assert.doesNotMatch(page, /<script[^>]*>[^<]|<style|style=|\son\w+=/);
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
});

Deno.test("GET /ui loads only files that the service has, at addresses that hold under any path of a proxy", async () => {
  const { app } = createTestApp();
  const page = await (await app.request("/ui")).text();
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address)
    .filter((address) => !address.startsWith("data:"));
  assert.ok(addresses.length >= 4);
  for (const address of addresses) {
    assert.match(address, /^ui\/assets\/[\w.]+$/);
    const response = await app.request(`/${address}`);
    assert.equal(response.status, 200, address);
    const type = address.endsWith(".js") ? "text/javascript" : "text/css";
    assert.equal(response.headers.get("content-type"), `${type}; charset=utf-8`);
    assert.ok((await response.text()).length > 100);
  }
  assert.equal((await app.request("/ui/assets/../../deno.json")).status, 404);
  assert.equal((await app.request("/ui", { method: "POST" })).status, 405);
});

Deno.test("GET / leads a browser to the page; for a program there is nothing", async () => {
  const { app } = createTestApp();
  const response = await app.request("/", { headers: BROWSER });
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), "ui");
  for (const headers of [{}, { accept: "application/json" }, { accept: "*/*" }]) {
    const refused = await app.request("/", { headers });
    assert.equal(refused.status, 404);
    assert.deepEqual(await refused.json(), { detail: "Not Found" });
  }
});

Deno.test("apiKey() tells a person with a browser what the page needs, and programs what the API says", async () => {
  const { app } = createTestApp({
    guards: [apiKey({ key: "secret", log: new LogLines(), explain: explainKey })],
  });
  for (const path of ["/", "/ui"]) {
    const response = await app.request(path, { headers: BROWSER });
    assert.equal(response.status, 401);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
    const words = await response.text();
    assert.match(words, /inkling ui/);
    assert.match(words, /X-API-Key/);
  }
  const others: [string, RequestInit][] = [
    ["/ui", {}],
    ["/ui/assets/app.js", { headers: BROWSER }],
    ["/agents", { headers: BROWSER }],
    ["/ui", { method: "POST", headers: BROWSER }],
  ];
  for (const [path, init] of others) {
    const response = await app.request(path, init);
    assert.equal(response.status, 401, path);
    assert.deepEqual(await response.json(), { detail: "Invalid or missing API key" });
  }
  const page = await app.request("/ui", { headers: { ...BROWSER, "x-api-key": "secret" } });
  assert.equal(page.status, 200);
});
