// What `test` may be told, and what is said where there is nothing to test.
import type { CommandOptions } from "../../command_line/command.ts";
import type { test } from "../../declarations/authoring_commands.ts";
import type { AgentTesting } from "../../../ops/testing/agent_tests.ts";
import { type CommandContext, CommandFailure, EXIT } from "../../context.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { unknownAgent } from "../../unknown_agent.ts";

/** What `test` may be told. */
export type TestOptions = CommandOptions<typeof test>;

/** The failure of a command that finds nothing to test: a CI must not take it for a pass. */
export function noTests(
  { app }: CommandContext,
  tests: Pick<AgentTesting, "agentIds" | "folder">,
  agentId: string | undefined,
): CommandFailure {
  const ids = tests.agentIds();
  if (agentId !== undefined && !ids.includes(agentId)) {
    return unknownAgent(app, agentId, ids.map((id) => ({ id })));
  }
  const whose = agentId === undefined ? "" : ` of ${toOneLine(agentId)}`;
  return new CommandFailure(
    EXIT.failed,
    `There are no tests${whose} in ${toOneLine(tests.folder)}. ` +
      `"inkling test --record <id>" makes one of a finished execution`,
  );
}
