// A client of a tmux server in tmux's control mode: it sends commands, and gets notified of output, without starting a
// program for each.

/** The client of one server. It ends with the server. */
export class TmuxClient {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #replies: PromiseWithResolvers<string>[] = [];
  readonly #ended: Promise<void>;
  #output = Promise.withResolvers<void>();

  /** Connects to the server of a socket. The server must have a session. */
  constructor(socket: string) {
    this.#child = new Deno.Command("tmux", {
      args: ["-S", socket, "-C", "attach"],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#ended = this.#read();
  }

  /** Resolves at the next output of a program, and at the end of the server. */
  get nextOutput(): Promise<void> {
    return this.#output.promise;
  }

  /** Runs a command, whose words contain no line break, and returns its output. */
  async run(...words: readonly string[]): Promise<string> {
    const reply = Promise.withResolvers<string>();
    this.#replies.push(reply);
    const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
    await this.#writer.write(new TextEncoder().encode(`${line}\n`));
    return await reply.promise;
  }

  /** Ends the server with its programs. */
  async end(): Promise<void> {
    await this.#writer.write(new TextEncoder().encode("kill-server\n"));
    await this.#ended;
    await this.#child.status;
    await this.#writer.close().catch(() => {});
  }

  async #read(): Promise<void> {
    let rest = "";
    let mark: string | undefined;
    let block: string[] = [];
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (mark === undefined) {
          if (line.startsWith("%output ")) this.#notify();
          // The last word is 1 in the reply to a command of this client.
          mark = /^%begin (\d+ \d+ 1)$/.exec(line)?.[1];
          block = [];
        } else if (line === `%end ${mark}` || line === `%error ${mark}`) {
          const reply = this.#replies.shift();
          if (line.startsWith("%end")) reply?.resolve(block.join("\n"));
          else reply?.reject(new Error(`tmux: ${block.join("\n")}`));
          mark = undefined;
        } else block.push(line);
      }
    }
    this.#notify();
    for (const reply of this.#replies) reply.reject(new Error("The tmux server has ended"));
  }

  #notify(): void {
    this.#output.resolve();
    this.#output = Promise.withResolvers();
  }
}
