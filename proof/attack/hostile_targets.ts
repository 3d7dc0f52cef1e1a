// The files, ports and sockets that hostile programs attack.
import { join } from "node:path";
import { CANARY } from "../../tests/runtime/tools/files/sandbox_fixture.ts";

/** The files, ports and sockets that the programs attack, with functions to prepare and check them. */
export interface Targets extends AsyncDisposable {
  fill(source: string): string;
  /** Returns the traces that programs have left since the last call. */
  traces(): Promise<string[]>;
}

/**
 * Creates the targets in a workspace and around it. The socket is that of the service whose state is below `base`, or of a
 * server that is started in its place.
 */
export async function openTargets(
  base: string,
  home: string,
  workspace: string,
): Promise<Targets> {
  await using stack = new AsyncDisposableStack();
  const outside = join(base, "outside");
  const folders = [outside, join(base, "home"), join(home, ".ssh"), join(workspace, "notes/deep")];
  for (const folder of [...folders, "/tmp/.X11-unix"]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  const secrets = [
    ...[join(home, ".ssh/id_ed25519"), join(workspace, ".env")],
    ...[join(workspace, "notes/deep/.env.local"), join(outside, "secret.txt")],
  ];
  await Deno.writeTextFile(join(base, "home/secret.txt"), CANARY);
  for (const path of secrets) await Deno.writeTextFile(path, CANARY);
  await Deno.writeTextFile(join(outside, "secret.mjs"), `export default "${CANARY}";`);
  const server = stack.use(
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => new Response(CANARY)),
  );
  const socket = join(base, "state/service.sock");
  if (await Deno.lstat(socket).then(() => false, () => true)) {
    stack.use(Deno.serve({ path: socket, onListen() {} }, () => new Response(CANARY)));
  }
  const victim = new Deno.Command("sleep", {
    args: ["3600"],
    cwd: outside,
    env: { CANARY },
  }).spawn();
  stack.defer(async () => {
    victim.kill("SIGKILL");
    await victim.status;
  });
  const { pid } = victim;
  const { createServer } = await import("node:net");
  const abstract = createServer().listen(`\0inkling-attack-${pid}`);
  stack.defer(() => void abstract.close());
  const [screen, temporary] = [
    `/tmp/.X11-unix/inkling-attack-${pid}`,
    `/tmp/inkling-attack-${pid}`,
  ];
  await Deno.writeTextFile(screen, "");
  stack.defer(() => Deno.remove(screen));
  const planted = [
    ...[join(outside, "planted"), join(home, ".planted"), join(workspace, "agents/planted.md")],
    ...[join(workspace, "notes/outlived"), temporary],
  ];
  const names: Record<string, string> = {
    BASE: base,
    HOME: home,
    WORK: workspace,
    PORT: String(server.addr.port),
    PID: String(pid),
    SOCKET: socket,
  };
  const held = stack.move();
  return {
    fill: (source) =>
      source.replaceAll(/@([A-Z]+)@/g, (whole, name: string) => names[name] ?? whole),
    async traces() {
      const found: string[] = [];
      for (const path of planted) {
        const isThere = await Deno.remove(path).then(() => true, () => false);
        if (isThere) found.push(`${path} was written`);
      }
      for (const path of secrets) {
        const text = await Deno.readTextFile(path).catch(() => "");
        if (text !== CANARY) {
          found.push(`${path} was changed`);
          await Deno.remove(path).catch(() => {});
          await Deno.writeTextFile(path, CANARY);
        }
      }
      return found;
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
