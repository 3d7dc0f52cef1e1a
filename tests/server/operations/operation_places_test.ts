// The application knows where operations stand before it loads them; here both are compared.
import assert from "node:assert/strict";
import { OPERATION_PLACES } from "../../../server/operations/operation_places.ts";
import { OPERATIONS } from "../../../server/operations/operations.ts";

Deno.test("OPERATION_PLACES are those of the operations, in their order, and lead to them", async () => {
  assert.deepEqual(
    OPERATION_PLACES.map(({ method, path }) => [method, path]),
    OPERATIONS.map(({ method, path }) => [method, path]),
  );
  assert.deepEqual(await Promise.all(OPERATION_PLACES.map((place) => place.open())), OPERATIONS);
});
