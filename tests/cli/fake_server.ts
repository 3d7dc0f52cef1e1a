// A fake installer of MCP servers, for tests of messages and exit codes.
import type { FakeCli } from "./fake_cli.ts";

/** Lets every source return the same server. */
export function offerServer(cli: FakeCli): void {
  const config = "/home/me/inkling/agents/_config";
  cli.app.openServerInstaller = () =>
    Promise.resolve({
      readSnippet: () => undefined,
      prepareEntry: () => Promise.reject(new TypeError("no snippet is read")),
      connect: () =>
        Promise.resolve({
          tools: [
            { name: "read_file", description: "Reads the content of a file.", isReadOnly: true },
            {
              name: "write_file",
              description: "Creates a file, or replaces its content.\nUse it with caution.",
              isReadOnly: false,
            },
          ],
        }),
      freeTools: () => Promise.resolve(),
      prepare: () =>
        Promise.resolve({
          name: "files",
          entry: {
            command: "node",
            args: [`${config}/mcp/files/node_modules/@acme/files/dist/index.js`, "/home/me/notes"],
            env: { FILES_TOKEN: "${FILES_TOKEN}" },
          },
          runs: `node ${config}/mcp/files/node_modules/@acme/files/dist/index.js /home/me/notes`,
          pinned: "npm:@acme/files@1.2.0 sha512-q1T4kD0eXwI8c2Vw",
          missing: undefined,
          otherPackages: 12,
          folder: `${config}/mcp/files`,
          file: `${config}/mcp-servers.json`,
          add: () => Promise.resolve(),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }),
      list: () =>
        Promise.resolve([
          {
            name: "files",
            runs: `node ${config}/mcp/files/node_modules/@acme/files/dist/index.js /home/me/notes`,
            problem: undefined,
            pinned: "npm:@acme/files@1.2.0",
            folder: `${config}/mcp/files`,
            signIn: {},
            agents: ["clerk"],
          },
          {
            name: "remote",
            runs: "",
            problem: "its entry disables it",
            pinned: undefined,
            folder: undefined,
            signIn: {},
            agents: [],
          },
        ]),
      remove: () => Promise.resolve(),
      signIn: () => Promise.resolve({ localOnly: undefined, issuer: "https://auth.example.com" }),
      signOut: () => Promise.resolve({ wasSignedIn: true, unrevoked: undefined }),
    });
}
