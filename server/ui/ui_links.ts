// Creates and uses one-time links that let a browser open the page. Each link is a file in the state folder, which is
// deleted when the link is used. Only this user can write to that folder, so no other user can create a link. Every user of
// the machine can read the arguments of the program that opens the browser. So the browser opens the file, which contains
// the token and which only this user can read.
import { join } from "../../base/plain_path.ts";
import { pathToFileURL } from "node:url";
import type { Clock } from "../../base/clock.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { sha256Of } from "../../base/sha256.ts";
import { HOUR_MS } from "../../base/time_units.ts";
import { createSecret } from "../login/secret_text.ts";

/** The host of the page. */
export const UI_HOST = "127.0.0.1";
/** The path of the links, which the page's proxy answers itself. The service has no route with this path. */
export const ENTRY_PATH = "/open";
/** The milliseconds for which an unused link is valid. */
export const LINK_MS = HOUR_MS;

/** A link that works once. */
export interface UiLink {
  /** The address for a person. It contains the token, so it must not appear in a log or in arguments. */
  readonly address: string;
  /** The file (mode 600) for a program that opens a browser. It contains the token until the link is used. */
  readonly file: URL;
}

/** The state folder and the port of a page. */
export interface UiPlace {
  stateDir: string;
  port: number;
}

/** Creates a link to the page on this port and removes older unused links. */
export async function createUiLink(place: UiPlace): Promise<UiLink> {
  await removeUiLinks(place);
  const token = createSecret();
  const address = `http://${UI_HOST}:${place.port}${ENTRY_PATH}`;
  const file = await fileOf(token, place);
  await Deno.writeTextFile(file, entryPage(address, token), { mode: 0o600, createNew: true });
  return { address: `${address}?token=${token}`, file: pathToFileURL(file) };
}

/** Uses a link and returns true if it was valid. If several calls run concurrently, only one call returns true. */
export async function useUiLink(
  token: string,
  { clock, ...place }: UiPlace & { clock: Clock },
): Promise<boolean> {
  const file = await fileOf(token, place);
  try {
    const { mtime } = await Deno.stat(file);
    await Deno.remove(file);
    return mtime !== null && clock.now() - mtime.getTime() < LINK_MS;
  } catch (error) {
    ignoreMissing(error);
    return false;
  }
}

/** Removes the unused links of a page. */
export async function removeUiLinks({ stateDir, port }: UiPlace): Promise<void> {
  for (const { name } of await Array.fromAsync(Deno.readDir(stateDir))) {
    if (!name.startsWith(`ui-${port}-`)) continue;
    await Deno.remove(join(stateDir, name)).catch(ignoreMissing);
  }
}

/**
 * Returns the path of a link's file. Its name is a hash, so that neither the name nor the duration of the search reveals
 * the token.
 */
async function fileOf(token: string, { stateDir, port }: UiPlace): Promise<string> {
  return join(stateDir, `ui-${port}-${await sha256Of(token)}.html`);
}

/** Returns the HTML page that posts the token, so that the token does not appear in an address. */
function entryPage(action: string, token: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Inkling</title>
<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}"><button>Open Inkling</button>
</form><script>document.forms[0].submit()</script>
`;
}
