// What is asked of Deno's permissions before a connection is tried, under flags that allow one host.
import assert from "node:assert/strict";
import fc from "fast-check";
import { isNetOpen, mayConnect } from "../../../../runtime/tools/http/net_permission.ts";

const net = ["one.test", "127.0.0.1:8080"];

Deno.test({
  name: "mayConnect() allows what the flags name, at the port that they name, and nothing else",
  permissions: { net },
  fn() {
    assert.equal(isNetOpen(), false);
    assert.equal(mayConnect("one.test", 443), true);
    assert.equal(mayConnect("127.0.0.1", 8080), true);
    assert.equal(mayConnect("127.0.0.1", 8081), false);
    assert.equal(mayConnect("two.test", 443), false);
    assert.equal(mayConnect("[::1]", 8080), false);
  },
});

Deno.test({
  name: "mayConnect() answers for whatever stands where a host should, and allows none of it",
  permissions: { net },
  fn() {
    fc.assert(fc.property(fc.string(), (text) => {
      fc.pre(!net.includes(text));
      assert.equal(mayConnect(text, 443), false);
    }));
  },
});

Deno.test("mayConnect() allows every host where nothing is closed", () => {
  assert.equal(isNetOpen(), true);
  assert.equal(mayConnect("two.test", 1), true);
});
