// Tests of the addresses that updates may come from.
import assert from "node:assert/strict";
import { isTrustworthy } from "../../../cli/update/release_address.ts";

const trusts = (address: string, origin: string) =>
  isTrustworthy(new URL(address), new URL(origin));

const WEB = "https://releases.example/";
const LOOPBACK = ["http://127.0.0.1:8000/", "http://localhost/", "http://[::1]:8000/"];

Deno.test("isTrustworthy() accepts http only between addresses of this machine", () => {
  for (const origin of [WEB, ...LOOPBACK]) {
    assert.ok(trusts("https://elsewhere.example/inkling", origin), origin);
    assert.ok(!trusts("http://releases.example/inkling", origin), origin);
  }
  for (const address of LOOPBACK) {
    for (const origin of LOOPBACK) assert.ok(trusts(address, origin), `${origin} to ${address}`);
    assert.ok(!trusts(address, WEB), `${WEB} to ${address}`);
    assert.ok(!trusts(address, "http://releases.example/"), address);
  }
});

Deno.test("isTrustworthy() rejects names similar to this machine's, and other protocols", () => {
  for (
    const address of [
      ...["http://127.0.0.1.example/", "http://localhost.example/", "http://127.example/"],
      ...["http://128.0.0.1/", "http://0.0.0.0/", "file:///inkling", "data:,inkling"],
    ]
  ) assert.ok(!trusts(address, "http://localhost/"), address);
});

Deno.test("isTrustworthy() rejects an address with a user or a password", () => {
  for (const user of ["me", "me:secret", ":secret"]) {
    assert.ok(!trusts(`https://${user}@releases.example/`, WEB), user);
    assert.ok(!trusts(`http://${user}@localhost/`, "http://localhost/"), user);
  }
});
