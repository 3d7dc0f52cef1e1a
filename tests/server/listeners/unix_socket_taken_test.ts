// The service's socket where something stands already that is neither a service nor what a dead one left.
import assert from "node:assert/strict";
import { listenOnSocket } from "../../../server/listeners/unix_socket.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";

/** Keeps a socket for datagrams open: connecting to it fails, though a process holds it. */
const DATAGRAMS = `
  Deno.listenDatagram({ transport: "unixpacket", path: Deno.args[0] });
  await Deno.stdout.write(new Uint8Array(1));
  await Deno.stdin.read(new Uint8Array(1));
`;

Deno.test("listenOnSocket() leaves a socket that cannot be connected to for any reason but that nobody listens", async () => {
  await withTempDir(async (dir) => {
    const path = `${dir}/service.sock`;
    await Deno.writeTextFile(`${dir}/datagrams.js`, DATAGRAMS);
    const holder = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--no-config", "--no-lock", "--no-prompt", "--unstable-net"],
        ...["--allow-read", "--allow-write", "--allow-net", `${dir}/datagrams.js`, path],
      ],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const output = holder.stdout.getReader();
    try {
      assert.ok(!(await output.read()).done, "the socket is there");
      const { ino } = await Deno.lstat(path);
      await assert.rejects(
        listenOnSocket(path, {
          handler: () => new Response(),
          clock: new TestClock(),
          log: new LogLines(),
        }),
        /wrong type/i,
      );
      assert.equal((await Deno.lstat(path)).ino, ino);
    } finally {
      await output.cancel();
      await holder.stdin.close();
      await holder.status;
    }
  });
});
