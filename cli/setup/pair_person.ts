// Pairs a person with a chat: the service creates a code, and its sender becomes a person of the chat if the user agrees.
import type { Client } from "../../api/client/client.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import { toVisibleLine } from "../../present/visible_text.ts";
import { type ChatRight, RIGHTS } from "../../runtime/vocabulary/rights.ts";
import type { CommandContext } from "../context/context.ts";
import { commandFailed, misuse } from "../context/exit.ts";
import { Interview } from "../prompting/interview.ts";
import { listenToInterrupts } from "../prompting/interrupts.ts";
import { openService } from "../service/daemon.ts";

/**
 * Shows the code, waits for its sender, and writes the person into config.yaml. Returns false if the user declines the
 * sender. Throws CommandFailure for a chat that cannot work, and when the code expires.
 */
export async function pairPerson(
  context: CommandContext,
  chat: string,
  may: readonly ChatRight[],
): Promise<boolean> {
  const { app, output } = context;
  const interview = new Interview(context, "Write the person into config.yaml by hand.");
  await requireChat(context, chat);
  using interrupts = listenToInterrupts(app);
  const { first: signal } = interrupts;
  using client = await openService(context, { signal });
  const { code, expires_at: end } = await client.pairChat(chat, { signal });
  output.sentence(`Send this code to the bot, in a direct message, within five minutes: ${code}`);
  const sender = await waitForSender(client, { chat, until: Date.parse(end), signal, context });
  output.sentence(`${toVisibleLine(sender.name)} has sent it. The app's id is ${sender.id}.`);
  const rights = may.map((one) => RIGHTS[one].meaning).join("; ");
  const agreed = await app.input.prompter.confirm({
    message: `Add this person to ${chat}? Rights: ${rights}`,
    initial: false,
    signal,
  });
  if (agreed !== true) {
    output.note("Nobody was added");
    return false;
  }
  const name = await interview.text({
    message: "Name, which is stored with answers",
    initial: toVisibleLine(sender.name).replace(/ \(@\w+\)$/, ""),
  });
  const installation = await app.openInstallation();
  const path = await installation.addPerson(chat, { id: sender.id, name, may });
  output.note(`${name} was added to ${path}. Send /start to the bot`);
  return true;
}

/** Throws CommandFailure if config.yaml has no such chat, or the chat cannot work. */
async function requireChat(context: CommandContext, name: string): Promise<void> {
  const channels = await context.app.openChannels(context);
  const chats = channels.report().filter(({ type }) => type === "chat");
  const chat = chats.find((one) => one.name === name);
  if (chat === undefined) {
    const known = chats.map((one) => one.name).join(", ");
    const hint = known === ""
      ? "Add one under chat: see docs/reference/chat-apps.md"
      : `Its chats: ${known}`;
    throw misuse(`config.yaml has no chat "${name}". ${hint}`);
  }
  // A wrong token is found now, and not by five minutes of silence.
  const problem = chat.problem ?? await channels.check(name);
  if (problem === null) return;
  throw commandFailed(`The chat ${name} cannot work: ${problem}`);
}

/** Returns the sender of the code. Throws CommandFailure when the code expires. */
async function waitForSender(
  client: Client,
  { chat, until, signal, context: { app } }: {
    chat: string;
    /** In milliseconds since 1970. */
    until: number;
    signal: AbortSignal;
    context: CommandContext;
  },
): Promise<{ id: string; name: string }> {
  while (app.clock.now() < until) {
    const { sender } = await client.pairing(chat, { signal });
    if (sender !== null) return sender;
    await app.clock.sleep(SECOND_MS, signal);
  }
  throw commandFailed(`Nobody has sent the code in time. "inkling pair ${chat}" shows another one`);
}
