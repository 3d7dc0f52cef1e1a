// Offers the last steps of `inkling setup` at a terminal: a start with the machine, a channel for messages, and its test.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Installation } from "../../ops/setup/installation.ts";
import { type CommandContext, CommandFailure, Interrupted } from "../context/context.ts";
import type { Channels } from "../context/app.ts";
import { showTrial } from "../output/reports/channel_trial.ts";
import { toOneLine } from "../output/sanitize.ts";
import { Interview } from "../prompting/interview.ts";
import { installUnit } from "../service/units/install_unit.ts";
import { managerOfSystem } from "../service/units/print_unit.ts";
import { openUnitManager } from "../service/units/unit_manager.ts";
import type { ChannelChoice } from "../../ops/setup/setup_choices.ts";
import { CHAT_RIGHTS } from "../../runtime/vocabulary/rights.ts";
import { askChannel } from "./channel_questions.ts";
import { pairPerson } from "./pair_person.ts";

/** The interval of the checks whether the link of a test message was opened. */
const CHECK_MS = 1_000;

/** Offers the steps, each skipped by Enter. Throws Interrupted. */
export async function offerLastSteps(
  context: CommandContext,
  installation: Installation,
): Promise<void> {
  const interview = new Interview(context, "");
  await offerUnit(context, interview);
  await offerChannel(context, { interview, installation });
}

/** Offers to install the unit, if a service manager answers and no unit is in use. */
async function offerUnit(context: CommandContext, interview: Interview): Promise<void> {
  const { app, output } = context;
  const unit = app.findUnit();
  const kind = managerOfSystem();
  if (kind === undefined || unit?.isEnabled && unit.isLingering) return;
  const manager = openUnitManager(app, { kind, scope: "user" });
  if (await manager.findProblem() !== undefined) return;
  if (!await interview.confirm("Start Inkling with this machine?", { initial: false })) return;
  try {
    await installUnit(context, manager);
  } catch (error) {
    // Continue after a failed installation, because the other steps do not need the unit.
    if (!(error instanceof CommandFailure) || error instanceof Interrupted) throw error;
    output.error(error.message);
  }
}

/** Offers a channel if there is none, to pair a person with a chat in which nobody may answer, and a test of the channels. */
async function offerChannel(
  context: CommandContext,
  dialog: { interview: Interview; installation: Installation },
): Promise<void> {
  const { app, output } = context;
  const { interview, installation } = dialog;
  const reports = (await app.openChannels({})).report();
  let choice: ChannelChoice | undefined;
  if (reports.length === 0) {
    choice = await askChannel({ output, ...dialog, agentNames: await app.agentNames({}) });
    if (choice === undefined) return;
    for (const { path, change } of await installation.addChannel(choice)) {
      output.detail(`${output.style.green("✔")} ${toOneLine(path)} ${output.style.dim(change)}`);
    }
    if (choice.account !== undefined) await tryMail(context, installation);
  }
  const names = choice === undefined || choice.isChat === true ? [] : [choice.name];
  const empty = choice?.isChat === true ? [choice] : reports.filter(({ isEmpty }) => isEmpty);
  for (const { name } of empty) {
    if (await offerPairing(context, { name, interview, isNew: choice !== undefined })) {
      names.push(name);
    }
  }
  const others = reports.filter(({ isEmpty }) => isEmpty !== true).map(({ name }) => name);
  if (others.length > 0 && await interview.confirm("Send a test message?", { initial: false })) {
    names.push(...others);
  }
  const channels = await app.openChannels({});
  for (const name of names) await testChannel(context, channels, name);
}

/** Signs in to the mail account, and prints what is wrong with it. */
async function tryMail({ output }: CommandContext, installation: Installation): Promise<void> {
  const found = await installation.tryMail();
  for (const { severity, problem, remedy } of found) {
    const sentence = toOneLine(`${problem}: ${remedy}`);
    if (severity === "error") output.error(sentence);
    else output.note(sentence);
  }
  if (found.some(({ severity }) => severity === "error")) return;
  output.line(`${output.style.green("✔")} The account can be read, and its server accepts mail`);
}

/** Offers to pair the user with a chat in which nobody may answer. Returns true if a person was added. */
async function offerPairing(
  context: CommandContext,
  { name, interview, isNew }: { name: string; interview: Interview; isNew: boolean },
): Promise<boolean> {
  const { output } = context;
  const message = `Nobody in the chat ${name} may answer yet. Pair yourself with it now?`;
  try {
    if (
      await interview.confirm(message, { initial: isNew }) &&
      await pairPerson(context, name, CHAT_RIGHTS)
    ) return true;
  } catch (error) {
    if (!(error instanceof CommandFailure) || error instanceof Interrupted) throw error;
    output.error(error.message);
  }
  output.note(`"inkling pair ${name}" adds a person at any time`);
  return false;
}

/** Sends a test message. Asks whether the message arrived, unless the user opens its link first. */
async function testChannel(
  { app, output }: CommandContext,
  channels: Channels,
  name: string,
): Promise<void> {
  const trial = await channels.try(name, { isLinked: true });
  if (trial === undefined) return;
  showTrial(output, trial);
  if (!trial.delivered) return;
  const { token } = trial;
  const confirmed = new AbortController();
  const over = new AbortController();
  const watching = token === undefined ? undefined : (async () => {
    while (await sleepUnlessAborted(app.clock, CHECK_MS, over.signal)) {
      if (await channels.isConfirmed(token)) return confirmed.abort();
    }
  })();
  const how = token === undefined ? "" : " You can also open the link in it";
  try {
    const hasArrived = await app.input.prompter.confirm({
      message: `Did the message arrive?${how}`,
      initial: true,
      signal: confirmed.signal,
    });
    if (hasArrived !== false) return;
    await channels.reportLost(name);
    output.note(`Change the channel in config.yaml, then test it: inkling notify --test ${name}`);
  } catch (error) {
    if (!confirmed.signal.aborted) throw error;
    output.line(
      `${output.style.green("✔")} The link of the message was opened, so the message arrived`,
    );
  } finally {
    over.abort();
    await watching;
  }
}
