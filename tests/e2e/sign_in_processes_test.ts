// Tests that no process list shows a token of a remote MCP server: neither the arguments nor the environment of a process.
import assert from "node:assert/strict";
import { join } from "node:path";
import { AuthorizationServer } from "../support/machine/authorization_server.ts";
import { FixtureHttpServer } from "../runtime/tools/mcp/http_server.ts";
import { programEntry } from "../runtime/tools/mcp/mcp_world.ts";
import { createRealHome, finish, untilFound } from "./real_process.ts";

/** Returns the arguments and the environment of every process that has this text in one of them. */
async function processesWith(text: string): Promise<string[]> {
  // The test itself may not read this folder. Processes that end meanwhile, and those of other users, are left out.
  const script = `files=$(grep -lasF -- "$0" /proc/[0-9]*/cmdline /proc/[0-9]*/environ)
pids=$(for file in $files; do file=\${file#/proc/}; echo "\${file%%/*}"; done | sort -u)
head -v -c 1000000 $(for pid in $pids; do echo /proc/$pid/cmdline /proc/$pid/environ; done)`;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script, text], stderr: "null" })
    .output();
  const [, ...parts] = new TextDecoder().decode(stdout).split(/^==> \/proc\/(\d+)\/\w+ <==\n/m);
  const byPid = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) {
    const [pid = "", text = ""] = parts.slice(at);
    byPid.set(pid, `${byPid.get(pid) ?? ""}${text.replaceAll("\0", " ")}\n`);
  }
  return [...byPid.values()];
}

Deno.test({
  name: "a token is in no process list, during the sign-in, the start of a server and a renewal",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using auth = new AuthorizationServer();
    await using server = new FixtureHttpServer();
    await using home = await createRealHome({ shell: { DISPLAY: ":9" } });
    const bin = join(home.root, "bin");
    await Deno.mkdir(bin);
    home.shell["PATH"] = `${bin}:${Deno.env.get("PATH")}`;
    // A browser that stays open while the person signs in.
    await Deno.writeTextFile(
      join(bin, "xdg-open"),
      `#!/bin/sh\nprintf %s "$1" > "$HOME/opening" && mv "$HOME/opening" "$HOME/opened"\n` +
        `while [ ! -e "$HOME/closed" ]; do sleep 0.05; done\n`,
      { mode: 0o755 },
    );
    const seen = new Set<string>();
    const scan = async (moment: string) => {
      for (const one of await processesWith(home.root)) {
        const [command = ""] = one.split("\n");
        const kind = /xdg-open|mcp login|stdio_server|start/.exec(command)?.[0];
        if (kind !== undefined) seen.add(`${moment}: ${kind}`);
        for (const secret of auth.secrets) {
          assert.ok(!one.includes(secret), `${moment}: ${command} shows ${secret.slice(0, 8)}`);
        }
      }
    };
    const failures: unknown[] = [];
    const observe = (moment: string) => scan(moment).catch((error) => failures.push(error));
    auth.intercept = async ({ path, body }) => {
      if (path === "/token") await observe(body.get("grant_type") ?? "");
      return undefined;
    };
    server.intercept = async (request) => {
      const refused = auth.guard(request);
      if (refused === undefined) await observe("request");
      return refused;
    };
    await Deno.mkdir(join(home.agentsDir, "_config"), { recursive: true });
    await Deno.writeTextFile(
      join(home.agentsDir, "_config/mcp-servers.json"),
      JSON.stringify({
        remote: { url: server.url, oauth: { issuer: auth.issuer } },
        program: programEntry(),
      }),
    );
    const lines = "mcp: [remote, program]";
    const steps = [{ call: [{ name: "remote_echo", arguments: { text: "one" } }] }, {
      say: "{result}",
    }];
    await home.writeScript("caller", steps, lines);
    const login = await home.spawn(["mcp", "login", "remote"]);
    const ended = finish(login);
    const address = await untilFound(
      "the browser",
      () => Deno.readTextFile(join(home.root, "opened")).catch(() => undefined),
    );
    await observe("browser");
    const redirect = await auth.consent(address);
    await (await fetch(redirect)).body?.cancel();
    const { code, stderr } = await ended;
    await Deno.writeTextFile(join(home.root, "closed"), "");
    assert.equal(code, 0, stderr);
    // The service has to renew the token.
    auth.accessTokens.clear();
    const { stdout } = await home.succeed("run", "caller");
    assert.match(stdout, /one/);
    await observe("run");
    assert.deepEqual(failures, []);
    for (
      const expected of [
        "browser: xdg-open",
        "browser: mcp login",
        "authorization_code: mcp login",
        "refresh_token: start",
        "request: start",
        "run: stdio_server",
      ]
    ) assert.ok(seen.has(expected), `${expected} in ${[...seen].join(", ")}`);
  },
});
