// Opens the shell of an agent in a temporary workspace.
import { join } from "node:path";
import type { AgentPath } from "../../../../runtime/agents/agent.ts";
import type { ShellSettings } from "../../../../runtime/agents/approval/shell_settings.ts";
import type { ProcessSandbox } from "../../../../runtime/sandbox/process_sandbox.ts";
import type { Secret } from "../../../../runtime/secrets/secret.ts";
import type { ActionTool, ToolContext } from "../../../../runtime/tools/definition/tool.ts";
import { ForwardProxy } from "../../../../runtime/tools/http/forward_proxy.ts";
import { createShell, type ShellOptions } from "../../../../runtime/tools/shell/shell.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { systemSandbox } from "../../sandbox/system_sandbox.ts";
import { call, SandboxFixture, testContext } from "../files/sandbox_fixture.ts";

/** The settings of `shell: true`. */
export const PLAIN_SHELL: ShellSettings = {
  ...{ allow: [], deny: [], net: [], env: [], timeoutMs: 120_000 },
};

/** The options for opening a shell. */
export interface OpenShellOptions {
  settings?: Partial<ShellSettings>;
  autoApprove?: string[] | "*";
  paths?: AgentPath[];
  sandbox?: ProcessSandbox;
  lookup?: ShellOptions["lookup"];
  offline?: boolean;
  context?: Parameters<typeof testContext>[1];
}

/** A workspace in which an agent has a shell. Disposing of it deletes the folder. */
export class ShellFixture implements AsyncDisposable {
  readonly files: SandboxFixture;
  readonly #proxies = new DisposableStack();

  private constructor(files: SandboxFixture) {
    this.files = files;
  }

  static async open(): Promise<ShellFixture> {
    return new ShellFixture(await SandboxFixture.open());
  }

  /** Opens the tool and a context for its calls. The tool is undefined if it is not offered. */
  async openTool(
    options: OpenShellOptions = {},
  ): Promise<{ tool: ActionTool | undefined; context: ToolContext }> {
    const { files } = this;
    const { paths = [], lookup = () => undefined } = options;
    const { sandbox = systemSandbox(files.home), offline = false } = options;
    const shell = { ...PLAIN_SHELL, ...options.settings };
    const { autoApprove = [] } = options;
    const agent = { ...createTestAgent({ id: "worker", paths, autoApprove }), shell };
    const tool = await createShell(agent, {
      sandbox,
      environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: files.home, LANG: "C.UTF-8" },
      lookup,
      openProxy: () =>
        Promise.resolve(
          this.#proxies.use(
            new ForwardProxy({
              socketFile: join(files.base, "state/net"),
              ownPorts: () => [],
            }),
          ),
        ),
      workspace: files.workspace,
      stateDir: join(files.base, "state"),
      offline,
    });
    const context = testContext(files.sandbox(paths), options.context);
    return { tool, context: { ...context, agent } };
  }

  /** Runs a command and returns the result of the call. */
  async run(
    command: string | Record<string, unknown>,
    options: OpenShellOptions & { context?: { secrets?: readonly Secret[] } } = {},
  ): Promise<string> {
    const { tool, context } = await this.openTool(options);
    if (tool === undefined) throw new TypeError("the shell is not offered");
    return await call(tool, typeof command === "string" ? { command } : command, context);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proxies.dispose();
    await this.files[Symbol.asyncDispose]();
  }
}
