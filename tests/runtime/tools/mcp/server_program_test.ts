// Tests that a failed start of a server's program leaves nothing open.
import assert from "node:assert/strict";
import { ProcessSandbox } from "../../../../runtime/sandbox/process_sandbox.ts";
import type { SandboxedProgram, SandboxRules } from "../../../../runtime/sandbox/sandbox_rules.ts";
import { ForwardProxy, type ProxyGrant } from "../../../../runtime/tools/http/forward_proxy.ts";
import { startServer } from "../../../../runtime/tools/mcp/server_program.ts";
import type { ServerProgram } from "../../../../runtime/tools/mcp/servers_file/server_definition.ts";
import { withTempDir } from "../../../support/temp_dir.ts";

/** A sandbox that opens the network route of each program, and starts the program without a sandbox. */
class OpenSandbox extends ProcessSandbox {
  override confine(program: SandboxedProgram, { net }: SandboxRules): Promise<SandboxedProgram> {
    if (typeof net !== "string") net();
    return Promise.resolve(program);
  }
}

class CountingProxy extends ForwardProxy {
  open = 0;

  override admit(): ProxyGrant {
    this.open++;
    return {
      route: { socketFile: "/nonexistent", credentials: "sandbox:password" },
      close: () => void this.open--,
    };
  }
}

Deno.test("startServer() closes the network grant of a program that cannot be watched", async () => {
  await withTempDir(async (dir) => {
    const proxy = new CountingProxy({ socketFile: "/nonexistent", ownPorts: () => [] });
    const sandbox = new OpenSandbox({ mode: () => "preferred", home: "/" });
    const confinement = { sandbox, home: "/", closed: [], proxy };
    const program: ServerProgram = {
      ...{ kind: "program", command: "cat", args: [], env: { PATH: "/usr/bin:/bin" }, cwd: dir },
      ...{ ownFolder: dir, workspace: dir, startsInOwnFolder: false },
      sandbox: { read: [], write: [], net: ["a.example"] },
    };
    const { Command } = Deno;
    Deno.Command = class extends Command {
      constructor(command: string | URL, settings?: Deno.CommandOptions) {
        if (command === "/bin/sh") throw new Deno.errors.NotFound("no shell");
        super(command, settings);
      }
    };
    try {
      const start = startServer(program, confinement);
      await assert.rejects(start, {
        name: "StartFailure",
        message: /\/bin\/sh.*cannot be started/,
      });
    } finally {
      Deno.Command = Command;
    }
    assert.equal(proxy.open, 0);
  });
});
