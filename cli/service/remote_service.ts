// Connects the command line to the service of another machine, with `--url` or INKLING_URL.
import { Client } from "../../api/client/client.ts";
import { UsageError } from "../command_line/usage_error.ts";
import type { CliApp } from "../context/app.ts";
import { isLoopback } from "../../base/web_origin.ts";

/** The commands that need only the API. All others concern the files and processes of this machine. */
const REMOTE_COMMANDS: ReadonlySet<string> = new Set([
  ..."list show run chat pending respond watch cancel wake checkpoint recap audit replay fork"
    .split(" "),
  ..."diff why budget resume key person whoami status logs".split(" "),
]);

/**
 * Returns the app with which a command uses the service at `url`. A command of this machine gets the app unchanged, unless
 * `isRequired`. Throws UsageError.
 */
export function toRemoteApp(
  app: CliApp,
  { command, url, keyEnv, isRequired, warn }: {
    command: string;
    url: string;
    /** The name of the variable with the key. */
    keyEnv: string;
    isRequired: boolean;
    warn: (text: string) => void;
  },
): CliApp {
  if (!REMOTE_COMMANDS.has(command)) {
    if (!isRequired) return app;
    throw new UsageError(`"inkling ${command}" works on this machine only: omit --url`, command);
  }
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError(`${url} is no address such as https://inkling.example`, command);
  }
  const key = app.environment[keyEnv];
  if (!key) throw new UsageError(`Set ${keyEnv} to your key for ${parsed.origin}`, command);
  if (parsed.protocol === "http:" && !isLoopback(parsed.hostname)) {
    warn(`Your key and all texts go to ${parsed.origin} without encryption: use an https address`);
  }
  const base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`;
  const headers = { "x-api-key": key, "x-inkling-via": "terminal" };
  return Object.assign(Object.create(app), {
    remote: base,
    connect: () => new Client({ fetch: (path, init) => fetchHere(base + path, init), headers }),
  });
}

/** Sends a request. Follows no redirect, because the next address would get the key and the texts, too. */
async function fetchHere(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, { ...init, redirect: "manual" });
  const location = response.headers.get("location");
  const { status } = response;
  if (location === null || status < 300 || status > 399) return response;
  await response.body?.cancel();
  const [from, to] = [new URL(address).origin, URL.parse(location, address)?.origin ?? location];
  const detail = `${from} redirects to ${to}, which does not get your key. ` +
    "If that is your service, name its address with --url";
  return Response.json({ detail }, { status });
}
