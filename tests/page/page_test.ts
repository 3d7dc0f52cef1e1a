import assert from "node:assert/strict";
import { createTestApp } from "../support/test_app.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

Deno.test("GET /ui returns a page without inline scripts or styles, under a strict policy", async () => {
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

Deno.test("GET /ui loads only the service's files, at addresses that work behind any proxy path", async () => {
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

Deno.test("GET / redirects a browser to the page and returns 404 to a program", async () => {
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
