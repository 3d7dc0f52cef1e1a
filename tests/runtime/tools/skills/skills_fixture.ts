// Creates a workspace with skills on the disk, with real scripts.
import { join } from "node:path";
import type { Clock } from "../../../../base/clock.ts";
import type { SkillScriptOptions } from "../../../../runtime/tools/skills/skill_run_script.ts";
import { Skills } from "../../../../runtime/tools/skills/skills.ts";
import type { ActionTool, ToolContext } from "../../../../runtime/tools/definition/tool.ts";
import type { ProcessSandbox } from "../../../../runtime/sandbox/process_sandbox.ts";
import { noSandbox } from "../../sandbox/system_sandbox.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { SandboxFixture, testContext } from "../files/sandbox_fixture.ts";

/** A workspace with skills in a temporary folder. Disposing of it deletes the folder. */
export class SkillsFixture implements AsyncDisposable {
  readonly files: SandboxFixture;
  readonly skillsDir: string;

  private constructor(files: SandboxFixture) {
    this.files = files;
    this.skillsDir = join(files.workspace, "agents/_config/skills");
  }

  static async open(): Promise<SkillsFixture> {
    return new SkillsFixture(await SandboxFixture.open());
  }

  /** Writes a file of a skill and returns the file's path. */
  async write(skill: string, name: string, content: string | Uint8Array): Promise<string> {
    const path = join(this.skillsDir, skill, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeFile(
      path,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    return path;
  }

  skills(
    options: {
      runHostedScript?: SkillScriptOptions["runHostedScript"];
      environment?: Record<string, string>;
      sandbox?: ProcessSandbox;
    } = {},
  ): Skills {
    return new Skills({
      directories: {
        skillsDir: this.skillsDir,
        configDir: join(this.files.base, "config"),
        stateDir: join(this.files.base, "state"),
      },
      home: this.files.home,
      runHostedScript: () => Promise.reject(new TypeError("no such script was to be run")),
      environment: { PATH: "/usr/bin:/bin", HOME: this.files.home, LANG: "C" },
      sandbox: noSandbox(),
      ...options,
    });
  }

  /** Returns the tool with a name for an agent with the given skills, and the context of its calls. */
  async tool(
    name: string,
    options: { skills: string[]; of?: Skills; signal?: AbortSignal; clock?: Clock },
  ): Promise<{ tool: ActionTool; context: ToolContext }> {
    const agent = createTestAgent({ skills: options.skills });
    const { tools } = await (options.of ?? this.skills()).open(agent);
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined || tool.question !== undefined || tool.delegation !== undefined) {
      throw new TypeError(`no tool ${name}`);
    }
    const { signal, clock } = options;
    const context = testContext(this.files.sandbox(), {
      ...(signal === undefined ? {} : { signal }),
      ...(clock === undefined ? {} : { clock }),
    });
    return { tool, context: { ...context, agent } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.files[Symbol.asyncDispose]();
  }
}

/** Defines a test that gets a workspace with skills. */
export function testSkills(name: string, body: (place: SkillsFixture) => Promise<void>): void {
  Deno.test(name, async () => {
    await using place = await SkillsFixture.open();
    await body(place);
  });
}
