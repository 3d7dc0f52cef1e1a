import assert from "node:assert/strict";
import { describeConnectionFailure } from "../../../../runtime/tools/http/connection_failure.ts";

Deno.test("describeConnectionFailure() says in words what a code stands for", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), {
    code: "ECONNREFUSED",
  });
  assert.equal(describeConnectionFailure(refused), "nothing listens there (connection refused)");
});

Deno.test("describeConnectionFailure() gives the first line of other errors, without its full stop", () => {
  assert.equal(describeConnectionFailure(new Error("It broke.\n at x")), "It broke");
  assert.equal(describeConnectionFailure("odd"), "odd");
  const coded = Object.assign(new Error("Other"), { code: 7 });
  assert.equal(describeConnectionFailure(coded), "Other");
});
