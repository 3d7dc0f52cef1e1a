// What an execution was asked, as it is shown; and executions by their conversation.
import assert from "node:assert/strict";
import { createTestWorkspace, runToEnd } from "../../support/test_workspace.ts";

const TOKEN = "sk-live-0123456789abcdef";

Deno.test("getExecution() tells what it was asked, and whether a secret was taken out of it; listExecutions() the turns of one conversation", async () => {
  await using place = await createTestWorkspace({ shell: { SERVICE_TOKEN: TOKEN } });
  await place.writeScript("writer", [{ say: "Done." }]);
  await using runtime = await place.open();
  const asked = async (request: Parameters<typeof runtime.run>[1]) => {
    const { id } = await runToEnd(runtime, "writer", request);
    const { args, message, context, isAskedRedacted } = await runtime.getExecution(id);
    return { args, message, context, isAskedRedacted };
  };
  const expected = { args: ["a\nb"], message: "Do it", context: "Soon", isAskedRedacted: false };
  assert.deepEqual(await asked({ args: ["a\nb"], message: "Do it", context: "Soon" }), expected);
  const wanted = { args: [], message: null, context: null, isAskedRedacted: false };
  assert.deepEqual(await asked({}), wanted);
  const redacted = "[redacted:SERVICE_TOKEN]";
  for (const place of ["args", "message", "context"] as const) {
    const request = { [place]: place === "args" ? [`use ${TOKEN}`] : `use ${TOKEN}` };
    const shown = await asked(request);
    assert.equal(shown.isAskedRedacted, true, place);
    assert.equal([shown[place]].flat()[0], `use ${redacted}`);
  }

  for (const id of ["writer", "other"]) await place.writeScript(id, [{ say: "Done." }]);
  const sessions = ["one", "two", "one", undefined];
  for (const sessionId of sessions) {
    for (const id of ["writer", "other"]) {
      await runToEnd(runtime, id, { message: "Hello", ...(sessionId && { sessionId }) });
    }
  }
  const page = { limit: 10, offset: 0 };
  const ids = async (filter: object) =>
    (await runtime.listExecutions({ ...filter, ...page })).map(({ id }) => id);
  assert.deepEqual(await ids({ agentId: "writer", sessionId: "one" }), [10, 6]);
  assert.deepEqual(await ids({ sessionId: "two" }), [9, 8]);
  assert.deepEqual(await ids({ sessionId: "none" }), []);
});
