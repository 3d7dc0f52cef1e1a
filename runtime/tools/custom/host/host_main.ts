// The main module of host processes, except those of a compiled executable: these start with main.ts.
import { HOST_VARIABLE } from "../host_messages.ts";
import { runHost } from "./run_host.ts";

Deno.exit(await runHost(Deno.env.get(HOST_VARIABLE) ?? ""));
