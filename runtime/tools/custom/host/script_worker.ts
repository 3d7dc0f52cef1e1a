// The worker around a script. It runs the script in a thread that has the same permissions and ends as a program does:
// when there is nothing left to do, or with the exit code that the script chose.
import { Worker as Thread } from "node:worker_threads";
import type { HostedScript } from "../host_messages.ts";
import { workerScope } from "./worker_scope.ts";

const scope = workerScope();

scope.onmessage = ({ data }) => {
  const { url, args } = data as HostedScript;
  const thread = new Thread(new URL(url), { argv: args });
  // The trace of an error that nobody caught is on standard error already.
  thread.on("error", () => scope.postMessage(1));
  thread.on("exit", (code) => scope.postMessage(code));
};
