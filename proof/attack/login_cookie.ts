// Attacks the login over TCP: with similar cookies, from foreign pages in the same browser, and with the cookie itself
// after the logout.
import { serve } from "../../server/mod.ts";
import { FakeRuntime } from "../../tests/support/fake_runtime.ts";
import { TestClock } from "../../tests/support/test_clock.ts";
import type { Attack } from "./attack.ts";

const KEY = "a key that nobody guesses";
const CHANGES = ["/agents/reader/run", "/shutdown", "/scheduler/pause", "/login", "/logout"];

export const loginCookie: Attack = {
  name: "login-cookie",
  claim: "a log-in works only in the page of its own browser, and not after the log-out",
  tries: { full: 5_000, sample: 50 },
  async run(tries) {
    const directory = await Deno.makeTempDir({ prefix: "inkling-attack-" });
    const runtime = new FakeRuntime({ clock: new TestClock(), directory });
    const service = await serve(runtime, { tcp: { port: 0, apiKey: KEY } });
    const origin = `http://127.0.0.1:${service.ports[0]}`;
    const successes = new Set<string>();
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(origin + path, { ...init, redirect: "manual" });
      await response.body?.cancel();
      return response;
    };
    try {
      const cookie = await logIn(origin);
      for (let n = 0; n < tries; n++) {
        const forged = await ask("/agents", { headers: { cookie: forge(cookie) } });
        if (forged.status !== 401) successes.add(`a forged cookie: ${forged.status}`);
        const path = pick(CHANGES);
        const headers = foreignHeaders(origin);
        const { status } = await ask(path, { method: "POST", headers: { ...headers, cookie } });
        if (status !== 403) successes.add(`POST ${path} ${JSON.stringify(headers)}: ${status}`);
      }
      if ((await ask("/agents", { headers: { cookie } })).status !== 200) {
        successes.add("the person was logged out");
      }
      await ask("/logout", { method: "POST", headers: { cookie, origin } });
      for (let n = 0; n < Math.min(tries, 100); n++) {
        const replayed = await ask("/agents", { headers: { cookie } });
        if (replayed.status !== 401) successes.add(`after the log-out: ${replayed.status}`);
      }
      if (runtime.runs.length > 0) successes.add("an agent has run");
    } finally {
      await service.shutdown("requested");
      await Deno.remove(directory, { recursive: true });
    }
    return { tried: tries, successes: [...successes] };
  },
};

async function logIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/login`, {
    method: "POST",
    headers: { origin },
    body: new URLSearchParams({ key: KEY }),
    redirect: "manual",
  });
  await response.body?.cancel();
  const [pair] = (response.headers.get("set-cookie") ?? "").split(";");
  if (!pair) throw new Error(`The log-in was answered ${response.status}`);
  return pair;
}

/** Returns the cookie with a random change. */
function forge(cookie: string): string {
  const [name = "", value = ""] = cookie.split("=");
  const at = Math.floor(Math.random() * value.length);
  const other = value[at] === "A" ? "B" : "A";
  return pick([
    `${name}=${value.slice(0, at)}${other}${value.slice(at + 1)}`,
    `${name}=${value.slice(0, at)}`,
    `${name}=${value}${other.repeat(at + 1)}`,
    `${name}=${KEY}`,
    `x${cookie}`,
    `${name}x=${value}`,
    Array.from({ length: 50 }, (_, n) => `${name}=${n}${value.slice(1)}x`).join("; "),
  ]);
}

/** Returns the headers that a browser sends with a request from a foreign page. */
function foreignHeaders(own: string): Record<string, string> {
  const { port } = new URL(own);
  const origin = pick([
    "null",
    "http://evil.example",
    `http://localhost:${port}`,
    `http://127.0.0.1:${Number(port) - 1}`,
    `https://127.0.0.1:${port}`,
    `${own}.evil.example`,
    "file://",
  ]);
  // Deno's fetch sends every given header. A browser omits Sec-Fetch-Site for unencrypted addresses of other machines.
  return pick([{}, { origin }, { origin, "sec-fetch-site": "same-site" }, {
    origin: own,
    "sec-fetch-site": "cross-site",
  }]);
}

function pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
  return choices[Math.floor(Math.random() * choices.length)] as T;
}
