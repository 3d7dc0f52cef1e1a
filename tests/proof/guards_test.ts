import assert from "node:assert/strict";
import { join } from "node:path";
import { changeSymbol, PlaceUnclear } from "../../proof/mutation/change.ts";
import { MUTATIONS } from "../../proof/mutation/guards.ts";
import { mutate } from "../../proof/mutation/mutate.ts";
import { REPOSITORY } from "../support/repository.ts";

Deno.test("MUTATIONS: each guard's symbol contains its code once, and its tests exist", () => {
  for (const mutation of MUTATIONS) {
    const { source, changed } = mutate(mutation);
    assert.notEqual(changed, source, mutation.guard);
    for (const path of mutation.tests) assert.ok(Deno.statSync(join(REPOSITORY, path)), path);
  }
});

Deno.test("changeSymbol() finds code by its symbol and tokens in any layout", () => {
  const source = `
function pay() { return 0; }
class Budget {
  #left(a: number) {
    if (
      a > 1 // A comment.
    ) throw new Error();
    return [a, ...this.rest, { b: a && this.rest }];
  }
}`;
  const change = (one: Parameters<typeof changeSymbol>[2]) =>
    changeSymbol(source, "Budget.#left", one)?.replaceAll(/\s+/g, " ");
  assert.match(change({ drop: "if (a>1)" }) ?? "", /\{ return \[a/);
  assert.match(change({ drop: "...this" }) ?? "", /\[a, \{ b/);
  assert.match(change({ drop: "a &&" }) ?? "", /b: this\.rest/);
  assert.match(change({ replace: "a > 1", by: "false" }) ?? "", /if \( false/);
  assert.equal(changeSymbol(source, "Budget.right", { drop: "if" }), undefined);
  assert.equal(change({ drop: "return 0" }), undefined);
  assert.throws(() => change({ replace: "this.rest", by: "[]" }), PlaceUnclear);
});
