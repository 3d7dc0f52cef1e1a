// An HTTP server on this machine for the files of a folder.
import { join } from "node:path";

/** A server that runs until it is disposed. */
export interface FolderServer extends AsyncDisposable {
  /** The URL of the folder, which ends with a slash. */
  address: string;
  /** Responses that replace files, by file name. */
  answers: Map<string, () => Response>;
  /** The names of the requested files. */
  asked: string[];
}

/** Serves the files of a folder. Other paths return 404. */
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
