// A web server that a change trigger checks, and a service with a clock of its own.
import type { Runtime } from "../../../../runtime/interface/runtime.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { turnOf } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { LiveTriggers } from "../live_triggers.ts";

export const TEXT = { "content-type": "text/plain" };

/** A web server whose content a test changes, and a service with a clock of its own. */
export class Site implements AsyncDisposable {
  readonly clock = new TestClock("2026-03-01T00:00:00.000Z");
  readonly requests: Headers[] = [];
  answer: (request: Request) => Response = () => new Response("one", { headers: TEXT });
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(readonly live: LiveTriggers) {
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
      this.requests.push(new Headers(request.headers));
      return this.answer(request);
    });
  }

  /** Opens the web server. `config` is added to config.yaml. */
  static async open({ config = "" }: { config?: string } = {}): Promise<Site> {
    const live = await LiveTriggers.create();
    const { configDir, workspace } = live.place;
    await Deno.writeTextFile(`${configDir}/config.yaml`, `workspace: ${workspace}\n${config}`);
    return new Site(live);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/page`;
  }

  show(body: string, type = "text/plain", headers: Record<string, string> = {}): void {
    this.answer = () => new Response(body, { headers: { "content-type": type, ...headers } });
  }

  /** Writes an agent that checks the page every minute. `more` are further fields of its trigger. */
  async write(more = "", settings = "", steps: unknown[] = [{ say: "done" }]): Promise<void> {
    const fields = [
      "type: change",
      ...(/\b(url|command):/.test(more) ? [] : [`url: "${this.url}"`]),
      ...(more.includes("every:") ? [] : ["every: 1m"]),
      ...(more === "" ? [] : [more]),
    ];
    const trigger = `trigger: { ${fields.join(", ")} }`;
    await this.live.place.writeScript("news", steps, `${trigger}\n${settings}`.trim());
  }

  async start(): Promise<Runtime> {
    return await this.live.open({ clock: this.clock });
  }

  /** Lets the next check happen, and waits until its outcome is stored. */
  async check(): Promise<string | null> {
    const { runtime } = this.live;
    const next = (await runtime.getAgent("news")).nextRun ?? 0;
    const before = await this.#outcomes();
    this.clock.jump(Math.max(0, next - this.clock.now() - 1_000));
    await this.clock.advance(1_000);
    await until(async () => await this.#outcomes() > before, "the check has its outcome");
    await until(async () => await this.live.runningCount("news") === 0, "the runs have ended");
    return (await runtime.listSlots("news", { limit: 1, offset: 0 }))[0]?.reason ?? null;
  }

  /** Returns the user messages of the runs, oldest first. */
  async turns(): Promise<string[]> {
    const runs = await this.live.runs("news");
    return await Promise.all(runs.map(({ id }) => turnOf(this.live.runtime, id)));
  }

  async #outcomes(): Promise<number> {
    const slots = await this.live.runtime.listSlots("news", { limit: 500, offset: 0 });
    return slots.reduce((sum, { count }) => sum + count, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.live[Symbol.asyncDispose]();
    await this.#server.shutdown();
  }
}
