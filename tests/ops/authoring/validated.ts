// Validates one agent file in a test workspace.
import { formatDiagnostic } from "../../../base/diagnostics.ts";
import { readMachineTimeZone } from "../../../runtime/agents/machine_time_zone.ts";
import { validateAgent } from "../../../ops/authoring/validate_agent.ts";
import type { ValidationContext } from "../../../ops/authoring/validation_context.ts";
import type { InspectedResources } from "../../../runtime/agents/resource_problem.ts";
import type { Config } from "../../../runtime/config/config.ts";
import { resolveDirectories } from "../../../runtime/config/resolve_directories.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { configOf } from "../../runtime/agents/parsed_file.ts";

/** The options of a validation, and the content of its workspace. */
export type Around =
  & Partial<
    Pick<
      ValidationContext,
      "agentIds" | "startersOf" | "hasDatabase" | "mostEntries"
    >
  >
  & {
    body?: string;
    config?: Config;
    variables?: Record<string, string>;
    /** The value of the environment variable TZ, or undefined. */
    tz?: string;
    /** The files to create: their texts by path, relative to the workspace. */
    files?: Record<string, string>;
    /** A symbolic link to create; both paths are relative to the workspace. */
    link?: { name: string; target: string };
    /** The custom tools, skills and servers that the inspection reports. */
    resources?: Partial<InspectedResources>;
  };

export const DEMO = "model: {provider: demo, name: echo}";
/** The front matter of an agent that never waits for approval. */
export const UNASKED = `${DEMO}\nauto_approve: "*"`;

/** Validates a `daily.md` with this front matter and returns its diagnostics. `WORK` stands for the workspace's path. */
export async function validate(yaml: string, around: Around = {}): Promise<string[]> {
  const { body = "Do it.", variables = {}, link, resources, ...options } = around;
  let found: string[] = [];
  await withTempDir(async (workspace) => {
    const config = around.config ?? configOf();
    const places: Record<string, string> = {
      INKLING_STATE_DIR: `${workspace}/state`,
      INKLING_CONFIG_DIR: `${workspace}/config`,
    };
    const env = (name: string) => places[name];
    const resolved = await resolveDirectories({ env, home: workspace, config, workspace });
    const directories = { ...resolved, stateDir: `${workspace}/state` };
    const text = `---\n${yaml.replaceAll("WORK", workspace)}\n---\n${body}`;
    for (const [name, content] of Object.entries({ ...around.files, "agents/daily.md": text })) {
      await Deno.mkdir(`${workspace}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${workspace}/${name}`, content);
    }
    if (link) await Deno.symlink(`${workspace}/${link.target}`, `${workspace}/${link.name}`);
    const path = `${workspace}/agents/daily.md`;
    const diagnostics = await validateAgent({ path, bytes: await Deno.readFile(path) }, {
      hasDatabase: false,
      hostNames: () => ["laptop.local"],
      directories,
      home: workspace,
      environment: { get: (name) => variables[name], secrets: () => [] },
      machineTimeZone: readMachineTimeZone(around.tz ?? "UTC"),
      prices: {
        hasPrice: (model) => Promise.resolve(!model.name.startsWith("unpriced")),
        lists: () => [],
      },
      inspectResources: () =>
        Promise.resolve({ problems: [], toolNames: [], isComplete: true, ...resources }),
      agentIds: ["daily"],
      startersOf: () => [],
      ...options,
      config,
    });
    found = diagnostics.map((one) =>
      `${one.severity} ${formatDiagnostic({ ...one, path: "daily.md" })}`.replaceAll(workspace, "")
    );
  });
  return found;
}
