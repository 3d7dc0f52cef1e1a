// Links that let one browser in each: a file in the state folder stands for each, and is gone when it was used. So whoever may
// write there, this user alone, can make one for a page that another process serves.
//
// The arguments of the program that opens a browser can be read by every user of the machine. So what is opened is that file,
// which only this user can read, and which brings the token.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock } from "../../base/clock.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { sha256Of } from "../../base/sha256.ts";
import { HOUR_MS } from "../../base/time_units.ts";
import { createSecret } from "../secret_text.ts";

/** Where the page listens. */
export const UI_HOST = "127.0.0.1";
/** The path of the address with the token. The service has no such path. */
export const ENTRY_PATH = "/open";
/** How long a link waits for its browser. */
export const LINK_MS = HOUR_MS;

/** A way in that works once. */
export interface UiLink {
  /** For a person to open. Whoever has it first is in, so it belongs in no log and in no arguments. */
  readonly address: string;
  /** For a program to open: a file (mode 600) that brings the token, until it was used. */
  readonly file: URL;
}

/** Which page of which state folder. */
export interface UiPlace {
  stateDir: string;
  port: number;
}

/** Makes a link to the page on this port; an older one that was not used works no more. */
export async function createUiLink(place: UiPlace): Promise<UiLink> {
  await removeUiLinks(place);
  const token = createSecret();
  const address = `http://${UI_HOST}:${place.port}${ENTRY_PATH}`;
  const file = await fileOf(token, place);
  await Deno.writeTextFile(file, entryPage(address, token), { mode: 0o600, createNew: true });
  return { address: `${address}?token=${token}`, file: pathToFileURL(file) };
}

/** Whether there is a link with this token; it works no more then. Of several who ask at once one hears that there is. */
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

/** Takes back what was not used. */
export async function removeUiLinks({ stateDir, port }: UiPlace): Promise<void> {
  for (const { name } of await Array.fromAsync(Deno.readDir(stateDir))) {
    if (!name.startsWith(`ui-${port}-`)) continue;
    await Deno.remove(join(stateDir, name)).catch(ignoreMissing);
  }
}

/** Its name tells nothing of the token, and how long it takes to find it neither. */
async function fileOf(token: string, { stateDir, port }: UiPlace): Promise<string> {
  return join(stateDir, `ui-${port}-${await sha256Of(token)}.html`);
}

/** A page that brings the token by itself, in a form: so it stands in no address either. */
function entryPage(action: string, token: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Inkling</title>
<form method="post" action="${action}">
<input type="hidden" name="token" value="${token}"><button>Open Inkling</button>
</form><script>document.forms[0].submit()</script>
`;
}
