// The last test message of each channel and its result, in a file of the state folder. A test message may have a link with
// which its receiver confirms the arrival.
import { z } from "zod";
import { toTimestamp } from "../../base/clock.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { sha256Of } from "../../base/sha256.ts";
import { mayAnybodyAnswer } from "../config/chat_schema.ts";
import type { ChannelSettings, NotifySettings } from "../config/notify_schema.ts";
import { LINK_MS } from "./answer_links.ts";
import type { Context } from "../config/context.ts";

/** The result of a channel's last test: `none` also after a change of the channel's settings. */
export type TestResult = "accepted" | "failed" | "none";

/** A channel and the result of its last test message. */
export interface TestedChannel {
  name: string;
  test: TestResult;
}

/** The state of a test message's link. */
export type TestLinkState = "open" | "confirmed" | "expired";

const storedTest = z.object({
  at: z.string(),
  isAccepted: z.boolean(),
  /** The digest of the channel's settings. */
  settings: z.string(),
  /** The hash of the link's token. */
  link: z.string().optional(),
  isConfirmed: z.boolean().optional(),
});
const storedTests = z.record(z.string(), storedTest).catch({});
type StoredTest = z.infer<typeof storedTest>;

type Ports = Pick<Context, "clock"> & {
  settings: Pick<Context["settings"], "config"> & { directories: { stateDir: string } };
};

/** The test messages of a workspace. */
export class MessageTests {
  readonly #ports: Ports;
  readonly #file: string;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#file = `${ports.settings.directories.stateDir}/message_tests.json`;
  }

  /** Returns every channel with the result of its last test. Leaves out chats in which nobody may answer. */
  async list(): Promise<TestedChannel[]> {
    const channels = Object.entries(this.#channels)
      .filter(([, channel]) => channel.type !== "chat" || mayAnybodyAnswer(channel));
    if (channels.length === 0) return [];
    const stored = await this.#read();
    return await Promise.all(channels.map(async ([name, settings]) => {
      const last = stored[name];
      const isCurrent = last?.settings === await digest(settings);
      return { name, test: !last || !isCurrent ? "none" : last.isAccepted ? "accepted" : "failed" };
    }));
  }

  /** Stores the result of a test message, and the token of its link. The state folder must exist. */
  async record(
    name: string,
    { isAccepted, token }: { isAccepted: boolean; token?: string | undefined },
  ): Promise<void> {
    const settings = this.#channels[name];
    if (settings === undefined) return;
    const link = token === undefined ? undefined : await sha256Of(token);
    const last = (await this.#read())[name];
    await this.#change(name, {
      at: toTimestamp(this.#ports.clock.now()),
      isAccepted,
      settings: await digest(settings),
      ...(link !== undefined && { link, isConfirmed: last?.link === link && last.isConfirmed }),
    });
  }

  /** Returns the state of a link; undefined for an unknown token. */
  async findLink(token: string): Promise<TestLinkState | undefined> {
    return (await this.#find(token))?.state;
  }

  /** Stores that the receiver opened the link and confirmed the arrival. */
  async confirm(token: string): Promise<void> {
    const found = await this.#find(token);
    if (found?.state === "open") {
      await this.#change(found.name, { ...found.test, isConfirmed: true });
    }
  }

  get #channels(): NotifySettings["channels"] {
    return this.#ports.settings.config.notify.channels;
  }

  async #find(
    token: string,
  ): Promise<{ name: string; test: StoredTest; state: TestLinkState } | undefined> {
    const hash = await sha256Of(token);
    const [name, test] = Object.entries(await this.#read())
      .find(([, { link }]) => link === hash) ?? [];
    if (name === undefined || test === undefined) return undefined;
    const isOver = this.#ports.clock.now() - Date.parse(test.at) > LINK_MS;
    return { name, test, state: test.isConfirmed ? "confirmed" : isOver ? "expired" : "open" };
  }

  async #change(name: string, test: StoredTest): Promise<void> {
    const text = JSON.stringify({ ...await this.#read(), [name]: test });
    await writeFileAtomically(this.#file, `${text}\n`, { mode: 0o600 });
  }

  /** Returns the stored tests by channel. Returns no tests if the file is missing or is not JSON. */
  async #read(): Promise<Record<string, StoredTest>> {
    const text = await Deno.readTextFile(this.#file).catch(ignoreMissing) ?? "{}";
    try {
      return storedTests.parse(JSON.parse(text));
    } catch (error) {
      if (error instanceof SyntaxError) return {};
      throw error;
    }
  }
}

async function digest(settings: ChannelSettings): Promise<string> {
  return await sha256Of(JSON.stringify(settings));
}
