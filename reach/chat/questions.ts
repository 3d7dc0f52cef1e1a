// Shows questions of agents in a chat, and takes their answers: by buttons, or in words.
import { ApiError, orMissing } from "../../api/client/client.ts";
import type { PendingBody, RespondBody } from "../../api/schemas/request_schemas.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import { cutEnd } from "../../base/text/cut_text.ts";
import { describeAnswerPlace, isGiven } from "../../present/answer_place.ts";
import { signInServerOf } from "../../present/asked_sign_in.ts";
import { toVisibleLine } from "../../present/visible_text.ts";
import type { ChatPerson } from "../../runtime/config/chat_schema.ts";
import { readAnswer } from "../../base/text/answer_words.ts";
import { AppFailure, type ButtonPress, type ChatMessage, type Post } from "./chat_app.ts";
import { type ChatPorts, CLAIM_MS, findPerson, may, type QuestionNote } from "./chat_ports.ts";
import { describeQuestion } from "./question_text.ts";

type Answer = RespondBody["response"];

const PREFIX = "question:";
const APPROVE = "approve";
const DENY = "deny";
const DONE = "done";
const OPTION = "option";
const MAX_LABEL = 60;
const CLOSED = "This question is no longer open.";

/** A place in which a question is shown. */
export interface QuestionPlace {
  place: string;
  /** The person of a direct conversation. Null for a group. */
  personId: string | null;
  /** The message that the question belongs to. */
  replyTo?: string;
  /** True to remind the person if the question is shown already. */
  isReminder?: boolean;
}

/** The questions that one chat shows. */
export class Questions {
  readonly #ports: ChatPorts;
  /** Questions are shown and closed one at a time, so that two causes do not show the same question twice. */
  readonly #changes = new SerialQueue();
  #changing = 0;

  constructor(ports: ChatPorts) {
    this.#ports = ports;
  }

  /** Returns true if the execution has an open question that the person may answer. */
  async isFor(person: ChatPerson, executionId: number, signal: AbortSignal): Promise<boolean> {
    const pending = await orMissing(this.#ports.clientOf(person).pending(executionId, { signal }));
    return pending !== undefined && pending.may_answer !== false;
  }

  /** Shows the open question of an execution in a place, unless it is shown there. */
  show(executionId: number, at: QuestionPlace, signal: AbortSignal): Promise<void> {
    return this.#change(async () => {
      const { notes, holder } = this.#ports;
      const person = at.personId === null ? undefined : findPerson(this.#ports, at.personId);
      const client = person === undefined ? this.#ports.client : this.#ports.clientOf(person);
      const pending = await orMissing(client.pending(executionId, { signal }));
      if (pending === undefined) return;
      const name = `${PREFIX}${pending.request_id}:${at.place}`;
      const known = await notes.readNote<QuestionNote>(name);
      if (known !== undefined) {
        if (at.isReminder && !known.isReminded) await this.#remind(known, name, signal);
        return;
      }
      if (holder === undefined) return await this.#show(pending, { ...at, name }, signal);
      const claim = `show:${name}`;
      if (!await notes.claim(claim, holder, CLAIM_MS)) {
        throw new AppFailure("another node shows this question", { retryAfterMs: CLAIM_MS });
      }
      try {
        // The other node may have shown the question before the claim.
        if (await notes.readNote(name) === undefined) {
          await this.#show(pending, { ...at, name }, signal);
        }
      } finally {
        await notes.release(claim, holder);
      }
    });
  }

  #change(work: () => Promise<void>): Promise<void> {
    this.#changing++;
    return this.#changes.run(work).finally(() => void this.#changing--);
  }

  async #show(
    pending: PendingBody,
    { name, place, personId, replyTo, isReminder = false }: QuestionPlace & { name: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { app, notes } = this.#ports;
    const { post, whole } = describeQuestion(pending, app.maxText);
    const mayAnswer = personId === null ||
      (may(findPerson(this.#ports, personId), "answer") && pending.may_answer !== false);
    // The file goes first: nobody may approve what was not shown completely.
    if (whole !== undefined) {
      const bytes = new TextEncoder().encode(whole);
      const file = { name: `question-${pending.execution_id}.txt`, bytes, replyTo };
      await app.sendFile(place, file, signal);
    }
    const { kind, options, multi, request_id: requestId, execution_id: id } = pending;
    const note: Omit<QuestionNote, "messageId"> = {
      ...{ place, executionId: id, requestId, personId, kind, multi, post, chosen: [] },
      options: options ?? [],
      isReminded: isReminder,
      thread: replyTo,
    };
    const isSignIn = signInServerOf(pending) !== undefined;
    const shown = mayAnswer && !isSignIn ? toOpenPost(note) : {
      ...post,
      text: isSignIn
        ? post.text
        : `${post.text}\nSomebody with the right to answer must answer it.`,
    };
    const messageId = await app.send(place, { ...shown, replyTo }, signal);
    await notes.write(name, { ...note, messageId });
    // The question may have been answered since it was read.
    const shownNote = { ...note, messageId };
    if (!await this.#isOpen(shownNote, signal)) await this.#close(shownNote, signal);
  }

  async #remind(note: QuestionNote, name: string, signal: AbortSignal): Promise<void> {
    const { app, notes } = this.#ports;
    const { place, messageId: replyTo, executionId: id } = note;
    const text = `Reminder: execution ${id} still waits for your answer.`;
    await app.send(place, { text, replyTo }, signal);
    await notes.write(name, { ...note, isReminded: true });
  }

  /** Returns the questions that the chat shows. */
  async list(): Promise<QuestionNote[]> {
    return (await this.#ports.notes.listNotes<QuestionNote>(PREFIX)).map(({ value }) => value);
  }

  /** Removes the buttons of a question that is no longer open, and shows its answer. */
  async settle(note: QuestionNote, signal: AbortSignal): Promise<void> {
    if (await this.#isOpen(note, signal)) return;
    await this.#change(() => this.#close(note, signal));
  }

  async #isOpen({ executionId, requestId }: QuestionNote, signal?: AbortSignal): Promise<boolean> {
    const pending = await orMissing(this.#ports.client.pending(executionId, signal && { signal }));
    return pending?.request_id === requestId;
  }

  async #close(note: QuestionNote, signal: AbortSignal): Promise<void> {
    const { app, notes } = this.#ports;
    const { place, messageId, post, requestId } = note;
    const verdict = await this.#describeEnd(note);
    await app.edit(place, messageId, { ...post, text: `${post.text}\n\n${verdict}` }, signal);
    await notes.remove(`${PREFIX}${requestId}:${place}`);
  }

  /** Handles a pressed button. Returns the text for the person who pressed it. */
  async press(press: ButtonPress, person: ChatPerson, signal: AbortSignal): Promise<string> {
    const { place, messageId, data } = press;
    const note = await this.#findShown((notes) =>
      notes.find((one) => one.place === place && one.messageId === messageId)
    );
    if (note === undefined) return CLOSED;
    // The button is bound to its person: nobody else answers, not even with the right.
    if (!may(person, "answer") || (note.personId ?? person.id) !== person.id) {
      return "You may not answer this question.";
    }
    const [action, index] = data.split(":");
    const option = action === OPTION ? note.options[Number(index)] : undefined;
    if (note.kind === "choice" && note.multi && option !== undefined) {
      const chosen = toggle(note.chosen, Number(index));
      const changed = { ...note, chosen };
      await this.#ports.notes.write(`${PREFIX}${note.requestId}:${place}`, changed);
      await this.#ports.app.edit(place, messageId, toOpenPost(changed), signal);
      return "";
    }
    const answer = toPressed(note, { action, option });
    return answer === undefined ? CLOSED : await this.#respond(note, answer, person);
  }

  /**
   * Returns the question that a text answers: the one that it replies to, or the only open question for a text in a direct
   * conversation or in the thread. Undefined if the text is no answer.
   */
  async findAnswered(message: ChatMessage): Promise<QuestionNote | undefined> {
    const { place, replyTo, sender } = message;
    // In Slack, a message of a thread names only the first message of the thread.
    const mayAnswer = message.isAddressed && may(findPerson(this.#ports, sender.id), "answer");
    return await this.#findShown((notes) => {
      const own = notes.filter((note) =>
        note.place === place && (note.personId ?? sender.id) === sender.id
      );
      const texts = own.filter(({ kind, thread }) =>
        kind === "input" &&
        (!message.isGroup || mayAnswer && replyTo !== null && thread === replyTo)
      );
      return own.find(({ messageId }) => messageId === replyTo) ??
        (texts.length === 1 ? texts[0] : undefined);
    });
  }

  /** Finds a shown question. Reads the notes again if this process was about to write or remove one. */
  async #findShown(find: (notes: QuestionNote[]) => QuestionNote | undefined) {
    const isChanging = this.#changing > 0;
    const found = find(await this.list());
    if (found !== undefined || !isChanging) return found;
    await this.#changes.settled();
    return find(await this.list());
  }

  /** Answers a question in words. Returns the reply for the person. */
  async answer(note: QuestionNote, text: string, person: ChatPerson): Promise<string> {
    if (!may(person, "answer")) return "You may not answer this question.";
    if (note.kind === "confirm") return "Use the buttons: words do not approve or deny.";
    const response = readAnswer(note, text);
    if (response === undefined) {
      return `Use the buttons, or write one of: ${note.options.join(", ")}`;
    }
    return await this.#respond(note, response, person);
  }

  async #respond(note: QuestionNote, response: Answer, person: ChatPerson): Promise<string> {
    const { executionId, requestId } = note;
    try {
      const body = { request_id: requestId, response };
      const { status, approvals, needed } = await this.#ports.clientOf(person)
        .respond(executionId, body);
      return status === "waiting" ? `Approved: ${approvals} of ${needed} approvals.` : "Answered.";
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      if (error.status === 422 || error.status === 403) return error.message;
      // The question may be open, and the person has approved it before.
      return await this.#isOpen(note) ? error.message : CLOSED;
    }
  }

  async #describeEnd({ executionId: id, requestId }: QuestionNote): Promise<string> {
    const rows = await orMissing(this.#ports.client.messages(id)) ?? [];
    for (const { event_type: type, message, metadata } of rows.toReversed()) {
      const fields = JSON.parse(metadata ?? "{}");
      if (type !== "human" || fields["request_id"] !== requestId) continue;
      const place = isGiven(fields) ? ` (${describeAnswerPlace(fields)})` : "";
      return `➜ ${cutEnd(toVisibleLine(message), 200)}${place}`;
    }
    return "➜ No longer open: the run has ended.";
  }
}

function toggle(chosen: readonly number[], index: number): number[] {
  return chosen.includes(index) ? chosen.filter((one) => one !== index) : [...chosen, index];
}

function toPressed(
  { kind, options, chosen, multi }: QuestionNote,
  { action, option }: { action: string | undefined; option: string | undefined },
): Answer | undefined {
  if (kind === "confirm" && (action === APPROVE || action === DENY)) {
    return { approved: action === APPROVE };
  }
  if (kind !== "choice") return undefined;
  if (multi && action === DONE) {
    return { selected: chosen.flatMap((index) => options[index] ?? []) };
  }
  return option === undefined ? undefined : { selected: [option] };
}

/** Returns the message of an open question, with its buttons. */
function toOpenPost({ kind, options, chosen, multi, post }: Omit<QuestionNote, "messageId">): Post {
  if (kind === "input") return { ...post, text: `${post.text}\n\nReply with your answer.` };
  if (kind === "confirm") {
    return {
      ...post,
      buttons: [[{ label: "Approve", data: APPROVE }, { label: "Deny", data: DENY }]],
    };
  }
  const buttons = options.map((option, index) => [{
    label: cutEnd(`${chosen.includes(index) ? "☑ " : ""}${toVisibleLine(option)}`, MAX_LABEL),
    data: `${OPTION}:${index}`,
  }]);
  return { ...post, buttons: multi ? [...buttons, [{ label: "Done", data: DONE }]] : buttons };
}
