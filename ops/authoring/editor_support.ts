// The checks and facts that the service's editor of files needs.
import { ignoreMissing } from "../../base/files/missing.ts";
import { join } from "../../base/plain_path.ts";
import { galleryFolder } from "../../base/program_files.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { EnvironmentFiles } from "../../runtime/config/files/environment_files.ts";
import { NAMED_PROVIDERS } from "../../runtime/config/providers.ts";
import type { Authoring, EditorFacts } from "../../runtime/interface/workspace_files.ts";
import { modelEndpoint } from "../../runtime/models/endpoint.ts";
import { createBuiltinTools } from "../../runtime/tools/toolbox.ts";
import { ServersFile } from "../../runtime/tools/mcp/servers_file/servers_file.ts";
import { findCaseFiles } from "../testing/case_files.ts";
import { openAgentValidation } from "./agent_validation.ts";
import { createFileSchema } from "./file_schema.ts";
import { Gallery } from "./gallery.ts";

/** Returns the checks and facts of one workspace. */
export function openAuthoring(settings: WorkspaceSettings): Authoring {
  const gallery = new Gallery(settings.directories);
  const templates = () => listNames(join(galleryFolder(), "agents"), /\.md$/);
  return {
    async validate(source) {
      await using validation = await openAgentValidation(settings);
      return await validation.validate(source);
    },
    async copyFiles(name, id) {
      return (await templates()).includes(name) ? await gallery.copyFiles(name, id) : [];
    },
    async findTests(agentId) {
      const files = await findCaseFiles(settings.directories.agentsDir, agentId);
      return files.map(({ name, path }) => ({ name, path }));
    },
    async facts(): Promise<EditorFacts> {
      const { toolsDir, skillsDir, mcpServersFile } = settings.directories;
      const builtin = createBuiltinTools({ http: { ...settings.config.http, ownPorts: () => [] } });
      const servers = new ServersFile(mcpServersFile).read();
      return {
        schemas: {
          agent: createFileSchema("agent"),
          config: createFileSchema("config"),
          mcp: createFileSchema("mcp"),
        },
        tools: [
          ...builtin.map(({ name, description }) => ({ name, description })),
          ...(await listNames(toolsDir, /\.[jt]s$/)).map((name) => ({ name })),
        ],
        skills: await listNames(skillsDir, /^(?=[^.]*$)/),
        servers: "servers" in servers ? [...servers.servers.keys()] : [],
        variables: listVariables(settings),
        gallery: await Promise.all((await templates()).map(async (name) => ({
          name,
          description: (await gallery.read(name)).description,
          text: await gallery.format(name, { startsByItself: false }),
        }))),
      };
    },
  };
}

/** Returns the names of a folder's entries that match, without the matched part. Empty for a missing folder. */
async function listNames(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(ignoreMissing) ?? [];
  return entries.map(({ name }) => name).filter((name) => pattern.test(name))
    .map((name) => name.replace(pattern, "")).sort();
}

/** Returns the variables of the environment files and the keys of the named providers. */
function listVariables({ directories, environment }: WorkspaceSettings): EditorFacts["variables"] {
  const files = [directories.workspaceEnvFile, directories.configEnvFile];
  const written = new EnvironmentFiles({ files, shell: {} });
  const keys = new Map(NAMED_PROVIDERS.flatMap((provider) => {
    const { keyVariable } = modelEndpoint({ provider, name: "model", streamUsage: true });
    return keyVariable === null ? [] : [[keyVariable, provider] as const];
  }));
  return [...new Set([...keys.keys(), ...written.names()])].map((name) => ({
    name,
    isSet: (environment.get(name) ?? "").trim() !== "",
    provider: keys.get(name),
  }));
}
