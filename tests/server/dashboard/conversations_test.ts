// Conversations, made of the executions that are their turns.
import assert from "node:assert/strict";
import type { ListedExecution } from "../../../server/schemas/execution_schemas.ts";
import { toConversations } from "../../../server/dashboard/client/state/conversations.ts";

function turn(id: number, wanted: Partial<ListedExecution>): ListedExecution {
  const asked = `message ${id}`;
  return {
    id,
    agent_id: "talker",
    session_id: "one",
    trigger: "chat",
    status: "success",
    started_at: `2026-01-01T00:00:0${id}.000Z`,
    preview: { asked, answered: null },
    ...wanted,
  } as ListedExecution;
}

Deno.test("toConversations() names each by its first words, the one talked in last first", () => {
  const turns = [
    turn(5, { status: "waiting" }),
    turn(4, { session_id: "two" }),
    turn(3, { trigger: "manual", session_id: null }),
    turn(2, { session_id: "one", agent_id: "other" }),
    turn(1, {}),
  ];
  assert.deepEqual(
    toConversations(turns).map(({ agentId, sessionId, title, status }) =>
      [agentId, sessionId, title, status].join(", ")
    ),
    [
      "talker, one, message 1, waiting",
      "talker, two, message 4, success",
      "other, one, message 2, success",
    ],
  );
});

Deno.test("toConversations() shows one whose first words are not known by those that are", () => {
  const turns = [turn(2, {}), turn(1, { preview: { asked: null, answered: null } })];
  assert.equal(toConversations(turns)[0]?.title, "message 2");
  assert.equal(toConversations([turn(1, { preview: undefined } as never)])[0]?.title, "");
});
