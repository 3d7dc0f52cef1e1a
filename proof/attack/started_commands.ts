// Runs commands as an agent of a started service does: in a process of the sources, or of the bundle that
// INKLING_TEST_BUNDLE names.
import { join } from "node:path";
import type { Client } from "../../api/client/client.ts";
import { createRealHome, type RealHome, untilFound } from "../../tests/e2e/real_process.ts";
import { programCommand } from "../../tests/support/program.ts";
import { CANARY } from "../../tests/runtime/tools/files/sandbox_fixture.ts";

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

/** A started service in a home of its own. Disposing kills the service. */
export class StartedCommands implements AsyncDisposable {
  readonly home: RealHome;
  readonly #client: Client;
  #agents = 0;

  private constructor(home: RealHome) {
    this.home = home;
    this.#client = home.client();
  }

  /** Creates a home and starts its service. Files of the home that are closed to agents contain the canary. */
  static async start(sandbox: "required" | "off"): Promise<StartedCommands> {
    const home = await createRealHome({ command: programCommand() });
    try {
      const config = `# ${CANARY}\nworkspace: ${home.workspace}\nsandbox: ${sandbox}\n`;
      await Deno.writeTextFile(join(home.configDir, "config.yaml"), config);
      await home.writeScript("me", [{ say: CANARY }]);
      await home.succeed("start", "--daemon");
      return new StartedCommands(home);
    } catch (error) {
      await home[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs a command as the only call of a new agent. A run that waits for an approval is cancelled. */
  async run({ shell, autoApprove, ...args }: StartedCommand): Promise<StartedOutcome> {
    const agent = `attacker-${++this.#agents}`;
    const settings = `shell: ${JSON.stringify(shell)}\nauto_approve: ${
      JSON.stringify(autoApprove)
    }`;
    const steps = [{ call: [{ name: "shell", arguments: args }] }, { say: "Done." }];
    await this.home.writeScript(agent, steps, settings);
    const { execution_id: id } = await this.#client.run(agent, { message: CANARY });
    const status = await untilFound(`the end of ${JSON.stringify(args)}`, async () => {
      const execution = await this.#client.execution(id);
      return execution.status !== "running" && execution.status;
    });
    if (status === "waiting") {
      await this.#client.cancel(id);
      return { isAsking: true, text: "" };
    }
    const rows = await this.#client.messages(id);
    const result = rows.find((row) => row.event_type === "tool_result");
    if (result === undefined) throw new Error(`Execution ${id} ended as ${status} without a call`);
    return { isAsking: false, text: `${result.message}\n${result.metadata ?? ""}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    await this.home[Symbol.asyncDispose]();
  }
}
