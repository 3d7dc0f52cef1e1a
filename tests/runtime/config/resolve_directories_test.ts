import assert from "node:assert/strict";
import type { Directories } from "../../../runtime/config/directories.ts";
import { resolveDirectories } from "../../../runtime/config/resolve_directories.ts";
import { withTempDir } from "../../support/temp_dir.ts";

function directories(dir: string, workspace?: string, agentsDir = "agents"): Promise<Directories> {
  return resolveDirectories({
    env: (name) => name === "INKLING_STATE_DIR" ? "/state" : undefined,
    home: dir,
    config: { path: `${dir}/config.yaml`, workspace: `${dir}/main`, agentsDir },
    ...(workspace === undefined ? {} : { workspace }),
  });
}

Deno.test("resolveDirectories() resolves every path of config.yaml's workspace", () =>
  withTempDir(async (dir) => {
    const own = await directories(dir, undefined, "team/agents");
    assert.match(own.ownStateDir, /^\/state\/workspaces\/main-[0-9a-f]{8}$/);
    assert.deepEqual(own, {
      configDir: `${dir}/.config/inkling`,
      configFile: `${dir}/config.yaml`,
      configEnvFile: `${dir}/.config/inkling/.env`,
      stateDir: "/state",
      baseStateDir: "/state",
      ownStateDir: own.ownStateDir,
      socketFile: "/state/service.sock",
      proxySocketFile: "/state/service.net",
      databaseFile: "/state/inkling.db",
      pidFile: "/state/inkling.pid",
      lockFile: "/state/inkling.lock",
      logFile: "/state/inkling.log",
      workspace: `${dir}/main`,
      realWorkspace: `${dir}/main`,
      agentsDir: `${dir}/main/team/agents`,
      toolsDir: `${dir}/main/team/agents/_config/tools`,
      skillsDir: `${dir}/main/team/agents/_config/skills`,
      mcpServersFile: `${dir}/main/team/agents/_config/mcp-servers.json`,
      workspaceEnvFile: `${dir}/main/team/agents/_config/.env`,
      pricingFiles: [
        `${dir}/main/team/agents/_config/pricing.yaml`,
        `${dir}/.config/inkling/pricing.yaml`,
      ],
    });
  }));

Deno.test("resolveDirectories() gives every workspace that config.yaml does not name its own state directory", () =>
  withTempDir(async (dir) => {
    for (const name of ["a/notes", "b/notes"]) {
      await Deno.mkdir(`${dir}/${name}`, { recursive: true });
    }
    const a = await directories(dir, `${dir}/a/notes`);
    const b = await directories(dir, `${dir}/b/notes`);
    assert.match(a.stateDir, /^\/state\/workspaces\/notes-[0-9a-f]{8}$/);
    assert.match(b.stateDir, /^\/state\/workspaces\/notes-[0-9a-f]{8}$/);
    assert.notEqual(a.stateDir, b.stateDir);
    assert.notEqual(a.socketFile, b.socketFile);
    assert.deepEqual([a.ownStateDir, a.baseStateDir], [a.stateDir, "/state"]);
    const digest = await crypto.subtle.digest(
      "SHA-256",
      new TextEncoder().encode(`${dir}/a/notes`),
    );
    assert.ok(a.stateDir.endsWith(new Uint8Array(digest).slice(0, 4).toHex()));
  }));

Deno.test("resolveDirectories() identifies a workspace by its real path, whether it exists or not", () =>
  withTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/real`);
    await Deno.symlink(`${dir}/real`, `${dir}/link`);
    const before = (await directories(dir, `${dir}/link/w`)).stateDir;
    assert.equal((await directories(dir, `${dir}/real/w`)).stateDir, before);
    await Deno.mkdir(`${dir}/real/w`);
    assert.equal((await directories(dir, `${dir}/link/w/`)).stateDir, before);
    await Deno.symlink(`${dir}/main`, `${dir}/alias`);
    await Deno.mkdir(`${dir}/main`);
    assert.equal((await directories(dir, `${dir}/alias`)).stateDir, "/state");
  }));
