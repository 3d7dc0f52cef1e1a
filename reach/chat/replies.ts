// Sends the answers of runs that messages started. What was sent is noted, so that a restart goes on after it.
import { orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import { basename } from "../../base/plain_path.ts";
import { beginningOf } from "../../base/text/cut_text.ts";
import { MINUTE_MS, SECOND_MS } from "../../base/time_units.ts";
import { toReadable } from "../../present/visible_text.ts";
import { AppFailure } from "./chat_app.ts";
import type { ChatPorts, RunNote } from "./chat_ports.ts";
import { MAX_BYTES } from "./received_files.ts";
import { writtenFilesIn } from "./written_files.ts";

const PREFIX = "run:";
/** The beginning of the name of a note about a run whose answer was sent. It is removed after some days. */
const DONE = "done:";
/** The maximum number of messages of one answer. A longer answer is sent as a file. */
const MOST_POSTS = 4;
/** The interval at which the app shows again that the bot writes. */
export const TYPING_MS = 4 * SECOND_MS;
const RETRY_MS = MINUTE_MS;

/** The runs that messages of one chat started. */
export class Replies {
  readonly #ports: ChatPorts;
  /** The times before which an answer is not sent again after a failure, by execution. */
  readonly #notBefore = new Map<number, number>();

  constructor(ports: ChatPorts) {
    this.#ports = ports;
  }

  /** Notes that the answer of a run goes to a place. A run that was noted before keeps its note. */
  async expect(executionId: number, note: Omit<RunNote, "sent">): Promise<void> {
    const { notes } = this.#ports;
    for (const prefix of [PREFIX, DONE]) {
      if (await notes.readNote(`${prefix}${executionId}`) !== undefined) return;
    }
    await notes.write(`${PREFIX}${executionId}`, { ...note, sent: 0 });
  }

  /** Returns the runs whose answers are not sent yet, newest first. */
  async list(): Promise<(RunNote & { id: number })[]> {
    const notes = await this.#ports.notes.listNotes<RunNote & { isDone?: boolean }>(PREFIX);
    // Earlier versions kept the notes of answers that were sent.
    return notes.filter(({ value }) => !value.isDone)
      .map(({ name, value }) => ({ ...value, id: Number(name.slice(PREFIX.length)) }))
      .sort((a, b) => b.id - a.id);
  }

  /**
   * Sends the answer of a run if it has ended, otherwise shows that the bot writes. Returns the run's status, and the
   * milliseconds until the next call is due; undefined if only the run's next event makes it due.
   */
  async advance(
    { id, ...note }: RunNote & { id: number },
    signal: AbortSignal,
  ): Promise<{ status?: string; dueMs?: number }> {
    const { app, client, clock, log, notes } = this.#ports;
    const wait = (this.#notBefore.get(id) ?? 0) - clock.now();
    if (wait > 0) return { dueMs: wait };
    const execution = await orMissing(client.execution(id, { signal }));
    try {
      if (execution?.finished_at === null) {
        const { status, rests_until: rests } = execution;
        if (status !== "running" || rests !== undefined || !app.showTyping) return { status };
        await app.showTyping(note.place, signal);
        return { status, dueMs: TYPING_MS };
      }
      if (execution !== undefined) await this.#send(execution, note, signal);
    } catch (error) {
      if (!(error instanceof AppFailure)) throw error;
      const { isFinal, message: reason } = error;
      log.write("warn", "An answer could not be sent to a chat", { execution: id, reason });
      if (!isFinal) {
        this.#notBefore.set(id, clock.now() + Math.max(error.retryAfterMs, RETRY_MS));
        return { dueMs: Math.max(error.retryAfterMs, RETRY_MS) };
      }
    }
    this.#notBefore.delete(id);
    await notes.write(`${DONE}${id}`, true);
    await notes.remove(`${PREFIX}${id}`);
    await notes.purge(DONE);
    return {};
  }

  async #send(execution: ExecutionDetail, note: RunNote, signal: AbortSignal): Promise<void> {
    const { app, client, notes } = this.#ports;
    const { id, agent_id: agentId, status, error, output_data: output } = execution;
    const text = toReadable(
      status === "success"
        ? output?.trim() || "(no text)"
        : [`${status}: ${error ?? "no answer"}`, output?.trim() ?? ""].join("\n\n").trim(),
    );
    const parts = splitText(text, app.maxText);
    const isLong = parts.length > MOST_POSTS;
    const posts = isLong ? [`${parts[0] ?? ""}\n…\nThe file has the whole answer.`] : parts;
    const files = writtenFilesIn(output ?? "", await client.messages(id));
    const replyTo = note.isGroup ? note.messageId : undefined;
    const steps = [
      ...posts.map((part, index) => async () => {
        await app.send(note.place, { text: part, replyTo, isFurther: index > 0 }, signal);
      }),
      ...(isLong ? [{ name: `answer-${id}.md`, bytes: new TextEncoder().encode(text) }] : [])
        .map((file) => () => app.sendFile(note.place, { ...file, replyTo }, signal)),
      ...files.map((path) => () =>
        this.#sendFile(path, { agentId, place: note.place, replyTo }, signal)
      ),
    ];
    for (const [index, step] of steps.entries()) {
      if (index < note.sent) continue;
      await step();
      note.sent = index + 1;
      await notes.write(`${PREFIX}${id}`, note);
    }
  }

  /** Sends a file that the run has written, or the reason why it cannot be sent. */
  async #sendFile(
    path: string,
    { agentId, place, replyTo }: { agentId: string; place: string; replyTo: string | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { app, readFile } = this.#ports;
    let bytes: Uint8Array;
    try {
      bytes = await readFile({ agentId, path, maxBytes: MAX_BYTES });
    } catch (error) {
      if (!(error instanceof AppFailure)) throw error;
      const text = toReadable(`Not sent: ${error.message}`);
      await app.send(place, { text, replyTo, isFurther: true }, signal);
      return;
    }
    await app.sendFile(place, { name: basename(path), bytes, replyTo }, signal);
  }
}

/** Returns the text in parts of at most `max` characters (UTF-16 code units), cut at the ends of paragraphs, lines or words. */
function splitText(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const fits = beginningOf(rest, max);
    // A cut in the first half would make too many parts.
    const cut = ["\n\n", "\n", " "].map((mark) => fits.lastIndexOf(mark))
      .find((at) => at > max / 2) ?? fits.length;
    parts.push(rest.slice(0, cut).trimEnd());
    rest = rest.slice(cut).trimStart();
  }
  return rest === "" ? parts : [...parts, rest];
}
