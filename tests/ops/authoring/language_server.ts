// Speaks with the YAML language server over its standard streams, as an editor does.
import assert from "node:assert/strict";
import { REPOSITORY } from "../../support/repository.ts";
import { join } from "node:path";

/** A diagnostic of an open document. Lines and characters count from 0. */
export interface ShownProblem {
  range: { start: { line: number; character: number } };
  message: string;
}

type Fields = Record<string, unknown>;

/** A running language server. The dispose ends its process. */
export class LanguageServer implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<void>;
  readonly #answers = new Map<number, (answer: Fields) => void>();
  readonly #problems = new Map<string, (problems: ShownProblem[]) => void>();
  #requests = 0;

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#writer = process.stdin.getWriter();
    this.#reading = this.#read();
  }

  /** Starts the server. `settings` are those of the editor's section `yaml`. */
  static async start(settings: Fields): Promise<LanguageServer> {
    const process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        ...["--config", join(REPOSITORY, "tests", "deno.json")],
        ...["--allow-all", "--no-prompt", "npm:yaml-language-server@2.0.0", "--stdio"],
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const server = new LanguageServer(process);
    const capabilities = { textDocument: { completion: { completionItem: {} } } };
    await server.request("initialize", { processId: null, rootUri: null, capabilities });
    await server.#notify("initialized", {});
    await server.#notify("workspace/didChangeConfiguration", { settings: { yaml: settings } });
    return server;
  }

  /** Opens a document and returns its problems. */
  async open(uri: string, text: string): Promise<ShownProblem[]> {
    const { promise, resolve } = Promise.withResolvers<ShownProblem[]>();
    this.#problems.set(uri, resolve);
    const textDocument = { uri, languageId: "yaml", version: 1, text };
    await this.#notify("textDocument/didOpen", { textDocument });
    return await promise;
  }

  /** Sends a request and returns its result. */
  async request(method: string, params: Fields): Promise<unknown> {
    const id = ++this.#requests;
    const { promise, resolve } = Promise.withResolvers<Fields>();
    this.#answers.set(id, resolve);
    await this.#send({ id, method, params });
    const { result, error } = await promise;
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async #notify(method: string, params: Fields): Promise<void> {
    await this.#send({ method, params });
  }

  async #send(message: Fields): Promise<void> {
    const body = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const head = new TextEncoder().encode(`Content-Length: ${body.length}\r\n\r\n`);
    await this.#writer.write(head);
    await this.#writer.write(body);
  }

  async #read(): Promise<void> {
    let buffer = new Uint8Array();
    for await (const chunk of this.#process.stdout) {
      buffer = Uint8Array.from([...buffer, ...chunk]);
      for (;;) {
        const text = new TextDecoder("latin1").decode(buffer);
        const head = /^(?:.*\r\n)*?Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/i.exec(text);
        const end = head === null ? Infinity : head[0].length + Number(head[1]);
        if (head === null || buffer.length < end) break;
        const body = new TextDecoder().decode(buffer.subarray(head[0].length, end));
        buffer = buffer.slice(end);
        await this.#take(JSON.parse(body));
      }
    }
  }

  async #take({ id, method, params, ...answer }: Fields): Promise<void> {
    if (method === undefined) return this.#answers.get(Number(id))?.(answer);
    if (method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = params as { uri: string; diagnostics: ShownProblem[] };
      return this.#problems.get(uri)?.(diagnostics);
    }
    // The server asks for settings and registers capabilities.
    if (id !== undefined) await this.#send({ id, result: null });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // The process has ended.
    }
    await this.#process.status;
    await this.#reading;
  }
}
