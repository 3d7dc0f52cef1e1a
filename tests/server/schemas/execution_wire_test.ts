import assert from "node:assert/strict";
import { toLogRow } from "../../../server/schemas/execution_wire.ts";

const IDENTITY = {
  execution_id: 7,
  agent_id: "writer",
  display_name: "The Writer",
  agent_name: "writer",
  timestamp: "2026-01-01T00:00:00.000Z",
};

function row(fields: Record<string, unknown>) {
  const payload = JSON.stringify({ ...IDENTITY, ...fields });
  return toLogRow({ id: 3, executionId: 7, event: "ai", payload });
}

Deno.test("toLogRow() drops the identity and a content that repeats the message", () => {
  assert.deepEqual(
    row({ event_type: "final_answer", message: "Done", content: "Done" }),
    {
      id: 3,
      execution_id: 7,
      timestamp: "2026-01-01T00:00:00.000Z",
      event_type: "final_answer",
      message: "Done",
      metadata: null,
    },
  );
});

Deno.test("toLogRow() keeps every further field as JSON text", () => {
  const { metadata } = row({
    event_type: "tool_result",
    message: "file_read — text",
    content: "text",
    tool_name: "file_read",
    is_error: false,
  });
  assert.equal(metadata, '{"content":"text","tool_name":"file_read","is_error":false}');
});
