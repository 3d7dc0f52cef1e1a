import assert from "node:assert/strict";
import { ApiError, ServiceUnreachable } from "../../../server/client.ts";
import {
  isUnanswered,
  type Known,
  learn,
  toResource,
} from "../../../server/dashboard/client/state/resource.ts";

const NOTHING: Known<string> = { key: "a", data: undefined, failure: undefined };
const LOST = { failure: new ServiceUnreachable("The service does not answer") };
const UNREACHABLE = "The service cannot be reached. This loads when it is back.";

Deno.test("toResource() says that the service cannot be reached where there is nothing to show", () => {
  assert.deepEqual(toResource(NOTHING, "a"), { data: undefined, problem: null, isStale: false });
  const lost = learn(NOTHING, "a", LOST);
  assert.deepEqual(toResource(lost, "a"), {
    data: undefined,
    problem: UNREACHABLE,
    isStale: false,
  });
  assert.equal(isUnanswered(lost), true);
  const back = learn(lost, "a", { data: "answer" });
  assert.deepEqual(toResource(back, "a"), { data: "answer", problem: null, isStale: false });
  assert.equal(isUnanswered(back), false);
});

Deno.test("learn() keeps what was known while nobody answers, or the service fails; a refusal takes it back", () => {
  const known = learn(NOTHING, "a", { data: "answer" });
  assert.deepEqual(toResource(learn(known, "a", LOST), "a"), {
    data: "answer",
    problem: null,
    isStale: false,
  });
  const failed = learn(known, "a", { failure: new ApiError(503, "The service is shutting down") });
  assert.deepEqual(toResource(failed, "a"), {
    data: "answer",
    problem: "The service is shutting down",
    isStale: false,
  });
  const refused = learn(known, "a", { failure: new ApiError(404, "No such agent") });
  assert.deepEqual(toResource(refused, "a"), {
    data: undefined,
    problem: "No such agent",
    isStale: false,
  });
});

Deno.test("toResource() shows an older answer until there is the new one, or none can be had", () => {
  const known = learn(NOTHING, "a", { data: "answer" });
  assert.deepEqual(toResource(known, "b"), { data: "answer", problem: null, isStale: true });
  const lost = learn(known, "b", LOST);
  assert.deepEqual(toResource(lost, "b"), { data: undefined, problem: UNREACHABLE, isStale: true });
  // Whoever goes back finds it.
  assert.deepEqual(toResource(lost, "a"), { data: "answer", problem: null, isStale: false });
});
