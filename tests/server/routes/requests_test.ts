// What is said of an answer that has no shape that an answer can have.
import assert from "node:assert/strict";
import { ApiError } from "../../../server/client.ts";
import { createTestApp } from "../../support/test_app.ts";

const SHAPES = "body.response: Invalid input: expected an answer as " +
  '{"approved": true or false, "reason": optional text}, {"text": text} or {"selected": [texts]}';

Deno.test("POST /executions/{id}/respond says which shapes an answer has, and what is wrong with this one", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution();
  const answers: [unknown, string[]][] = [
    [{ approved: "true" }, [
      SHAPES,
      "body.response.approved: Invalid input: expected boolean, received string",
    ]],
    [{ approved: true, reason: 5 }, [
      SHAPES,
      "body.response.reason: Invalid input: expected string, received number",
    ]],
    [{ text: 5 }, [SHAPES, "body.response.text: Invalid input: expected string, received number"]],
    [{ selected: "red" }, [
      SHAPES,
      "body.response.selected: Invalid input: expected array, received string",
    ]],
    [{ selected: ["red", 5] }, [
      SHAPES,
      "body.response.selected.1: Invalid input: expected string, received number",
    ]],
    [{ text: "x", note: "y" }, ['body.response: Unrecognized key: "note"']],
    [{ approved: true, text: "x" }, [SHAPES]],
    ["yes", [SHAPES]],
    [null, [SHAPES]],
    [["red"], [SHAPES]],
    [{}, [SHAPES]],
    [undefined, [SHAPES]],
  ];
  for (const [response, sentences] of answers) {
    const json = { request_id: "x", response };
    const { status, body } = await call("/executions/1/respond", { method: "POST", json });
    assert.equal(status, 422);
    assert.equal(new ApiError(status, body.detail).message, sentences.join("; "));
    assert.deepEqual(body.detail[0].loc, ["body", "response"]);
  }
});
