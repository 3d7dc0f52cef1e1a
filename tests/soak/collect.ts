// Loaded before the service of a soak: twice a minute it has V8 give back all that is not used, and writes down what is
// left. Without that, memory goes up and down for minutes by more than it may grow in hours.
import { COLLECTED_FILE } from "./collected_memory.ts";

const EVERY_MS = 30_000;

declare const gc: (
  options: { type: "major"; execution: "sync"; flavor: "last-resort" },
) => void;

const file = `${Deno.env.get("HOME")}/${COLLECTED_FILE}`;

const timer = setInterval(() => {
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
  const { rss, heapUsed } = Deno.memoryUsage();
  const line = JSON.stringify({ pid: Deno.pid, at: Date.now(), rss, heapUsed });
  Deno.writeTextFileSync(file, `${line}\n`, { append: true });
}, EVERY_MS);
Deno.unrefTimer(timer);
