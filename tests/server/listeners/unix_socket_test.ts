import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTempDir } from "../../support/temp_dir.ts";

Deno.test({
  name: "listenOnSocket() binds with mode 600 in a folder of mode 700",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await createTempDir();
    const state = join(folder.path, "state");
    await Deno.mkdir(state);
    await Deno.chmod(state, 0o777);
    const process = fileURLToPath(new URL("./unix_socket_process.ts", import.meta.url));
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-prompt",
        "--no-check",
        "--allow-all",
        "--unstable-net",
        process,
        join(state, "s.sock"),
      ],
    }).output();
    const text = new TextDecoder();
    const told = text.decode(stdout);
    assert.notEqual(told, "", text.decode(stderr));
    const modes = ["600", "700"];
    const { refusal, ...rest } = JSON.parse(told);
    assert.deepEqual(rest, { bound: modes, listening: modes, mask: 0, isLeft: true });
    assert.match(refusal, /wrong type/i);
  },
});
