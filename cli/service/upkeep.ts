// What may remove what is stored: the service that runs, else the application in this process, which starts nothing.
import type { LocalService } from "../app.ts";
import { type CommandContext, workspaceOf } from "../context.ts";
import { serviceOrTurn } from "./daemon.ts";
import { untilFree } from "./service_start.ts";

/** Opens it. Nothing is left running; nobody can start the service until it is disposed. Throws CommandFailure. */
export async function openUpkeep(context: CommandContext): Promise<LocalService> {
  const { app, workspace } = context;
  const places = await app.places(workspace);
  const found = await serviceOrTurn(app, places);
  if ("client" in found) {
    const { client } = found;
    return { client, [Symbol.asyncDispose]: () => Promise.resolve(client[Symbol.dispose]()) };
  }
  await using opened = new AsyncDisposableStack();
  opened.use(found.turn);
  await untilFree(app, places);
  const { client } = opened.use(await app.openUpkeep(workspaceOf(context)));
  const kept = opened.move();
  return { client, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
