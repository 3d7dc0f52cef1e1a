import assert from "node:assert/strict";
import { ApiError, type Client, ServiceUnreachable } from "../../api/client/client.ts";
import { loadOpenQuestions } from "../../page/state/open_questions.ts";
import {
  applyLoad,
  type LatestLoad,
  type Loaded,
  Loader,
  toResource,
} from "../../page/state/resource.ts";
import { settle } from "../support/test_clock.ts";

const NOTHING: LatestLoad<string> = { key: "a", data: undefined, failure: undefined };
const LOST = { failure: new ServiceUnreachable("The service does not answer") };
const UNREACHABLE = "The service is unreachable. This view loads as soon as it is available.";

Deno.test("applyLoad() keeps known data while the service fails, but not after a refusal", () => {
  const known = applyLoad(NOTHING, "a", { data: "answer" });
  const table = [
    [LOST, "answer", null],
    [{ failure: new ApiError(503, "It is shutting down") }, "answer", "It is shutting down"],
    [{ failure: new ApiError(404, "No such agent") }, undefined, "No such agent"],
  ] as const;
  for (const [loaded, data, problem] of table) {
    const shown = toResource(applyLoad(known, "a", loaded), "a");
    assert.deepEqual(shown, { data, problem, isStale: false });
  }
});

Deno.test("toResource() keeps the data of an earlier key until a load ends", () => {
  const known = applyLoad(NOTHING, "a", { data: "answer" });
  assert.deepEqual(toResource(known, "b"), { data: "answer", problem: null, isStale: true });
  const lost = applyLoad(known, "b", LOST);
  assert.deepEqual(toResource(lost, "b"), { data: undefined, problem: UNREACHABLE, isStale: true });
  // The earlier data is current again when its key returns.
  assert.deepEqual(toResource(lost, "a"), { data: "answer", problem: null, isStale: false });
});

Deno.test("Loader runs one load at a time, and one more for requests during a load", async () => {
  const answers: ((value: string) => void)[] = [];
  const seen: Loaded<string>[] = [];
  const loader = new Loader(
    () => new Promise<string>((resolve) => answers.push(resolve)),
    (loaded) => seen.push(loaded),
  );
  for (let i = 0; i < 5; i++) loader.reload();
  await settle();
  assert.equal(answers.length, 1);
  answers[0]?.("first");
  await settle();
  assert.equal(answers.length, 2);
  answers[1]?.("second");
  await settle();
  assert.deepEqual([answers.length, seen], [2, [{ data: "first" }, { data: "second" }]]);
});

Deno.test("Loader reports a failure and continues", async () => {
  const seen: Loaded<number>[] = [];
  let count = 0;
  const loader = new Loader(
    () => ++count === 1 ? Promise.reject(new Error("no")) : Promise.resolve(count),
    (loaded) => seen.push(loaded),
  );
  await loader.reload();
  await loader.reload();
  assert.deepEqual([seen.length, "failure" in (seen[0] ?? {}), seen[1]], [2, true, { data: 2 }]);
  const last = loader.reload();
  loader.close();
  await last;
  assert.equal(seen.length, 2);
});

Deno.test("loadOpenQuestions() returns each question once, oldest first", async () => {
  const at = (id: number) => `2026-01-01T00:00:0${id}.000Z`;
  const signIn = (server: string) => ({ tool_name: "sign_in", tool_args: { server } });
  const questions: Record<number, { request_id: string; created_at: string } | undefined> = {
    // Execution 1 started 2, and 3 started 4. The parents wait with their child's question.
    ...{ 1: { request_id: "a", created_at: at(5) }, 2: { request_id: "a", created_at: at(5) } },
    ...{ 3: { request_id: "b", created_at: at(1) }, 4: { request_id: "b", created_at: at(1) } },
    5: undefined,
    // Two runs wait for the same sign-in, and one for another.
    6: { request_id: "c", created_at: at(7), ...signIn("remote") },
    7: { request_id: "d", created_at: at(8), ...signIn("remote") },
    8: { request_id: "e", created_at: at(9), ...signIn("other") },
  };
  const client = {
    executions: () => Promise.resolve([8, 7, 6, 5, 4, 3, 2, 1].map((id) => ({ id }))),
    pending: (id: number) => {
      const question = questions[id];
      return question === undefined
        ? Promise.reject(new ApiError(404, "No pending request"))
        : Promise.resolve({ ...question, execution_id: id });
    },
  } as unknown as Client;
  const waiting = await loadOpenQuestions(client);
  assert.deepEqual(
    waiting.questions.map(({ execution, pending }) => [execution.id, pending.request_id]),
    [...[[4, "b"], [2, "a"], [7, "d"], [8, "e"]]],
  );
});
