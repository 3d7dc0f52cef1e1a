import assert from "node:assert/strict";
import { guardedLookup, type NamedAddress } from "../../../../runtime/tools/http/host_lookup.ts";
import type { HttpPolicy } from "../../../../runtime/tools/http/http_policy.ts";
import { ToolFailure } from "../../../../runtime/tools/tool_failure.ts";

const POLICY: HttpPolicy = { allow: [], deny: [], ownPorts: () => [] };

/** What a connection gets that looks up `site.example`, which stands for these addresses; or why it gets none. */
function lookUp(
  resolveHost: () => Promise<NamedAddress[]>,
  { all = false, policy = POLICY } = {},
): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  guardedLookup({ policy, resolveHost }, 80)("site.example", { all }, (error, ...found) => {
    resolve(error ?? found);
  });
  return promise;
}

const OPEN = { address: "93.184.216.34", family: 4 };
const OPEN6 = { address: "2606:2800:220:1::1", family: 6 };
const METADATA = { address: "169.254.169.254", family: 4 };

Deno.test("guardedLookup() hands on the addresses of a name, the first one or all as it is asked", async () => {
  const resolveHost = () => Promise.resolve([OPEN, OPEN6]);
  assert.deepEqual(await lookUp(resolveHost), [OPEN.address, 4]);
  assert.deepEqual(await lookUp(resolveHost, { all: true }), [[OPEN, OPEN6]]);
});

Deno.test("guardedLookup() closes a name for one closed address, wherever that stands", async () => {
  for (const addresses of [[METADATA], [OPEN, METADATA], [METADATA, OPEN6]]) {
    for (const all of [true, false]) {
      const failure = await lookUp(() => Promise.resolve(addresses), { all });
      assert.ok(failure instanceof ToolFailure);
      assert.match(failure.message, /^Cannot request site\.example: .*\.$/);
    }
  }
});

Deno.test("guardedLookup() closes the ports of the service itself", async () => {
  const own = [{ address: "127.0.0.1", family: 4 }];
  const policy = { ...POLICY, allow: ["site.example"], ownPorts: () => [80] };
  assert.ok(await lookUp(() => Promise.resolve(own), { policy }) instanceof ToolFailure);
});

Deno.test("guardedLookup() fails for a name without an address, and as the resolver fails", async () => {
  assert.match(String(await lookUp(() => Promise.resolve([]))), /the name has no address/);
  const failure = new Error("ENOTFOUND");
  assert.equal(await lookUp(() => Promise.reject(failure)), failure);
});
