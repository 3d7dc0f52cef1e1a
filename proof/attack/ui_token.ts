// Attacks the token of the dashboard as another user of the machine, who tries to use it before the browser does: from the
// arguments of processes, from the opened file, and by using up the token.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { browserCommand } from "../../cli/service/browser.ts";
import { createUiLink } from "../../server/ui/ui_links.ts";
import { openUiProxy } from "../../server/ui/ui_proxy.ts";
import type { Attack, AttackOutcome } from "./attack.ts";

export const uiToken: Attack = {
  name: "ui-token",
  claim: "the dashboard's token reaches only its user, and no other user can use it up",
  tries: { full: 500, sample: 10 },
  async run(tries): Promise<AttackOutcome> {
    const successes: string[] = [];
    const directory = await Deno.makeTempDir({ prefix: "inkling-attack-" });
    try {
      for (let i = 0; i < tries; i++) successes.push(...await tryOne(directory));
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
    return { tried: tries, successes: [...new Set(successes)] };
  },
};

async function tryOne(directory: string): Promise<string[]> {
  const successes: string[] = [];
  const socketFile = join(directory, "service.sock");
  await using proxy = await openUiProxy({
    stateDir: directory,
    socketFile,
    home: "/ui",
    warn: () => {},
  });
  const link = await createUiLink({ stateDir: directory, port: proxy.port });
  const token = new URL(link.address).searchParams.get("token") ?? "";
  const environment = { DISPLAY: ":0" };
  const command = browserCommand(link.file.href, { os: "linux", environment }) ?? [];
  if (command.join(" ").includes(token)) successes.push("the arguments of the browser hold it");
  const { mode } = await Deno.stat(fileURLToPath(link.file));
  if (((mode ?? 0) & 0o077) !== 0) successes.push("others may read the file that holds it");
  for (const method of ["HEAD", "POST", "PUT", "OPTIONS"]) {
    const { headers, body } = await fetch(link.address, { method, redirect: "manual" });
    await body?.cancel();
    if (headers.has("set-cookie")) successes.push(`${method} has got a cookie`);
  }
  for (const purpose of ["prefetch", "prefetch;prerender"]) {
    const { headers, body } = await fetch(link.address, {
      headers: { "sec-purpose": purpose },
      redirect: "manual",
    });
    await body?.cancel();
    if (headers.has("set-cookie")) successes.push(`${purpose} has got a cookie`);
  }
  const entered = await fetch(link.address, { redirect: "manual" });
  await entered.body?.cancel();
  if (!entered.headers.has("set-cookie")) successes.push("it was used up");
  return successes;
}
