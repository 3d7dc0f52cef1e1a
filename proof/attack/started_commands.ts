// Runs commands as an agent of a started service does: in a process of the sources, or of the bundle that
// INKLING_TEST_BUNDLE names.
import { join } from "node:path";
import { untilFound } from "../../tests/e2e/real_process.ts";
import { CANARY } from "../../tests/runtime/tools/files/sandbox_fixture.ts";
import { type FaultyWorld, openWorld } from "../faults/fault.ts";

/** A command of an agent's call: a command line, the folder in which it runs, and the settings of the agent. */
export interface StartedCommand {
  command: string;
  folder?: string;
  /** The field `shell` of the agent's file. */
  shell: object | true;
  autoApprove: readonly string[];
}

/** The outcome of a command. */
export interface StartedOutcome {
  /** True if the run waits for an approval of the command. */
  isAsking: boolean;
  /** The result of the call. Empty if the run waits. */
  text: string;
}

/** Starts a service in a new home. Files of the home that are closed to agents contain the canary. */
export function startService(sandbox: "required" | "off"): Promise<FaultyWorld> {
  return openWorld({
    async prepare(home) {
      const config = `# ${CANARY}\nworkspace: ${home.workspace}\nsandbox: ${sandbox}\n`;
      await Deno.writeTextFile(join(home.configDir, "config.yaml"), config);
      await home.writeScript("me", [{ say: CANARY }]);
    },
  });
}

/** Runs a command as the only call of a new agent. A run that waits for an approval is cancelled. */
export async function runCommand(
  { home, client }: FaultyWorld,
  { shell, autoApprove, ...args }: StartedCommand,
): Promise<StartedOutcome> {
  const agent = `attacker-${crypto.randomUUID()}`;
  const settings = `shell: ${JSON.stringify(shell)}\nauto_approve: ${JSON.stringify(autoApprove)}`;
  const steps = [{ call: [{ name: "shell", arguments: args }] }, { say: "Done." }];
  await home.writeScript(agent, steps, settings);
  const { execution_id: id } = await client.run(agent, { message: CANARY });
  const status = await untilFound(`the end of ${JSON.stringify(args)}`, async () => {
    const execution = await client.execution(id);
    return execution.status !== "running" && execution.status;
  });
  if (status === "waiting") {
    await client.cancel(id);
    return { isAsking: true, text: "" };
  }
  const rows = await client.messages(id);
  const result = rows.find((row) => row.event_type === "tool_result");
  if (result === undefined) throw new Error(`Execution ${id} ended as ${status} without a call`);
  return { isAsking: false, text: `${result.message}\n${result.metadata ?? ""}` };
}
