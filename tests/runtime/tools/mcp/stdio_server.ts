// The fixture server as a program that uses standard input and output: `deno run stdio_server.ts [mode]`.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createFixtureServer } from "./fixture_server.ts";

const [mode = "plain"] = Deno.args;
const file = Deno.env.get("START_LOG");
if (file !== undefined) Deno.writeTextFileSync(file, `${Deno.pid}\n`, { append: true });
serveStdio(() => createFixtureServer(), mode === "modern" ? { legacy: "reject" } : {});
