// Serves a folder over HTTP on this machine.
import { join } from "node:path";

/** Serves until disposed. */
export interface FolderServer extends AsyncDisposable {
  /** Ends with a slash. */
  address: string;
  /** Responses that replace a file, by its name. */
  answers: Map<string, () => Response>;
  /** The requested names. */
  asked: string[];
}

/** Serves the files of a folder. Other paths are 404. */
export function openFolderServer(folder: string): FolderServer {
  const answers: FolderServer["answers"] = new Map();
  const asked: string[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, async ({ url }) => {
    const name = decodeURIComponent(new URL(url).pathname.replace("/releases/", ""));
    asked.push(name);
    const answer = answers.get(name);
    if (answer !== undefined) return answer();
    try {
      return new Response(await Deno.readFile(join(folder, name)));
    } catch {
      return new Response("no", { status: 404 });
    }
  });
  return {
    address: `http://127.0.0.1:${server.addr.port}/releases/`,
    answers,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
