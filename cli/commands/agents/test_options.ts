// Defines the options of `inkling test`, and its error if there are no cases.
import type { CommandOptions } from "../../command_line/command.ts";
import type { test } from "../../declarations/authoring_commands.ts";
import type { AgentTesting } from "../../../ops/testing/agent_tests.ts";
import { type CommandContext, CommandFailure, EXIT } from "../../context/context.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { unknownAgent } from "../../context/unknown_agent.ts";

/** The parsed options of `inkling test`. */
export type TestOptions = CommandOptions<typeof test>;

/** Returns the error if there are no test cases. It makes a CI job fail that would otherwise test nothing. */
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
      `"inkling test --record <id>" creates one from a finished execution`,
  );
}
