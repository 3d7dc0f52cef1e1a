import assert from "node:assert/strict";
import {
  endCodeOf,
  isReplayedEnd,
  LIMITS,
  NO_ANSWERS,
  STOPS,
} from "../../../runtime/vocabulary/end_reason.ts";
import { followersOf, verdictOf } from "../../../runtime/executions/runs/consequences.ts";
import type { FinalStatus } from "../../../runtime/executions/states.ts";
import { kindOfEnd } from "../../../runtime/notify/notable_event.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { executionOf } from "../notify/outbox_world.ts";

/**
 * The status and the error text of each stored end, with five expected words. They are: the end code; the kind of message;
 * true if the end counts as a failure of the trigger; true if a replay ends with the same code; the condition of `after`
 * that the end meets. A missing value is `-`.
 */
const ENDS: readonly [FinalStatus, string | null, string][] = [
  ["success", null, "- success false false success"],
  ["error", "Cannot reach openai", "- error true false failure"],
  ["timeout", "No reply", "- error true false failure"],
  ["orphaned", "The service died", "- error - false failure"],
  [
    "error",
    "The provider's content filter stopped the reply",
    "content_filter error true true failure",
  ],
  ["error", "The model refused to answer: No", "refusal error true true failure"],
  ["error", "The model returned an empty reply", "empty_reply error true true failure"],
  [
    "error",
    "The model's reply is only reasoning: its <think> is never closed",
    "unclosed_thought error true true failure",
  ],
  ["aborted", "Cancelled by user", "cancelled - - false -"],
  ["aborted", "Aborted: service stopped", "service_stopped error - false failure"],
  ["aborted", "Aborted: its caller ended", "caller_ended error - false failure"],
  [
    "aborted",
    "Aborted: the execution that delegated to it has ended",
    "parent_ended - - false failure",
  ],
  ["aborted", "Aborted: its conversation was purged", "conversation_purged - - false failure"],
  ["aborted", "Aborted: what it waited for was purged", "awaited_purged - - false failure"],
  [
    "aborted",
    "Aborted: max_tool_calls (51 calls, limit 50)",
    "max_tool_calls error true true failure",
  ],
  [
    "aborted",
    "Aborted: max_execution_tokens (110 tokens, limit 100)",
    "max_execution_tokens error true true failure",
  ],
  [
    "aborted",
    "Aborted: max_cost_usd ($1.0000, limit $0.5)",
    "max_cost_usd error true true failure",
  ],
  [
    "aborted",
    "Aborted: max_tokens (the reply was cut at 4096 tokens)",
    "max_tokens error true true failure",
  ],
  ["aborted", "Aborted: max_duration (5m)", "max_duration error true false failure"],
  [
    "aborted",
    "Aborted: loop_detected (x failed 3 times in a row: y)",
    "loop_detected loop true true failure",
  ],
  ["aborted", "Aborted: budget tree ($2.00)", "budget budget true false failure"],
  ["aborted", "Aborted", "- error - false failure"],
  ["aborted", "Aborted: toString", "- error - false failure"],
  ["error", "Aborted: budget tree ($2.00)", "- error true false failure"],
];

Deno.test("the code of a stored end decides messages, trigger failures, replays and followers", () => {
  const agent = createTestAgent();
  const after = ["success", "failure"] as const;
  const agents = after.map((on) => ({
    ...createTestAgent(),
    id: on,
    enabled: true,
    after: [{ agentId: "daily", on }],
  }));
  const started = { agentId: "daily", trigger: "watch" as const };
  for (const [status, error, expected] of ENDS) {
    const ended = { status, error, output: null };
    const label = `${status} ${error}`;
    const code = endCodeOf(ended);
    const kind = kindOfEnd(executionOf(1, { status, error }));
    const failed = verdictOf(agent, started, ended)?.failed;
    const followers = followersOf(agents, started, ended).join();
    const words = [code, kind, failed, isReplayedEnd(code), followers || undefined];
    assert.equal(words.map((word) => word ?? "-").join(" "), expected, label);
    assert.equal(verdictOf(agent, { trigger: "manual" }, ended), undefined, label);
    assert.equal(verdictOf({ ...agent, maxFailures: null }, started, ended), undefined, label);
    assert.equal(
      verdictOf(agent, started, { ...ended, transient: { kind: "network" } })?.failed,
      status === "error" ? undefined : failed,
      label,
    );
  }
});

Deno.test("each end code has exactly one stored text", () => {
  const texts = new Set([
    ...Object.values(STOPS),
    LIMITS.max_tool_calls(51, 50),
    LIMITS.max_execution_tokens(110, 100),
    LIMITS.max_cost_usd(1, 0.5),
    LIMITS.max_tokens(4096),
    LIMITS.max_duration("5m"),
    LIMITS.loop_detected("x failed 3 times in a row: y"),
    LIMITS.budget("tree ($2.00)"),
    NO_ANSWERS.content_filter,
    `${NO_ANSWERS.refusal}: No`,
    NO_ANSWERS.empty_reply,
    NO_ANSWERS.unclosed_thought,
  ]);
  const stored = ENDS.flatMap(([, text, words]) => words.startsWith("- ") ? [] : [text]);
  assert.deepEqual([...texts].sort(), stored.sort());
});
