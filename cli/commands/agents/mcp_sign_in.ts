// `login` and `logout` of `inkling mcp` and `inkling mail`: signs a person in to a remote MCP server or a mail account, or
// forgets the sign-in.
import { type Client, orMissing } from "../../../api/client/client.ts";
import type { PendingBody } from "../../../api/schemas/request_schemas.ts";
import { signInServerOf } from "../../../present/asked_sign_in.ts";
import { AnsweredElsewhere, giveAnswer } from "../../runs/ask_while_open.ts";
import { readPages } from "../../runs/find_execution.ts";
import { openReader } from "../../service/connection.ts";
import { openService } from "../../service/daemon.ts";
import type { CommandContext } from "../../context/context.ts";
import { describePlace, mailAccountOf } from "../../../runtime/vocabulary/sign_in_names.ts";
import { misuse } from "../../context/exit.ts";
import { formatPlural } from "../../output/figures.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

/** Prints the address of the sign-in, opens it in a browser, and waits until the person has signed in. */
export async function logIn(
  context: CommandContext,
  name: string,
  { noBrowser }: { noBrowser?: true },
): Promise<void> {
  const { app, output } = context;
  const installer = await app.openServerInstaller(context);
  using interrupts = listenToInterrupts(app);
  const signal = interrupts.first;
  const place = describePlace(name, toOneLine(name));
  const account = mailAccountOf(name);
  const { issuer, localOnly } = await installer.signIn(name, {
    async open(address) {
      output.note(`To sign in to ${place}, open this address:`);
      output.line(address);
      if (noBrowser) return;
      if (!await app.openBrowser(address)) {
        output.notice(
          "No browser could be opened here. For one on another machine: " +
            `inkling ${account === undefined ? "mcp" : "mail"} login ${
              account ?? name
            } --no-browser`,
        );
      }
      output.note("Waits for the sign-in. Ctrl+C ends it");
    },
    paste: noBrowser && (async () => {
      output.note(
        "After the sign-in, the browser cannot open a page at http://127.0.0.1. Copy its address",
      );
      await using lines = await app.input.openLines({ edited: true, endsInLine: true });
      const text = await lines.read("Paste the address: ", { signal });
      if (text === undefined) throw misuse("No address was pasted");
      return text;
    }),
  }, signal);
  output.line(`${output.style.green("✔")} Signed in to ${place} at ${toOneLine(issuer)}`);
  if (localOnly !== undefined) output.warning(`${localOnly.problem}. Remedy: ${localOnly.remedy}`);
  if (account === undefined) await continueRuns(context, name, signal);
}

/** Continues the runs that wait for the sign-in to a server. Starts the service only if there are any. */
async function continueRuns(
  context: CommandContext,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  let pending: PendingBody | undefined;
  {
    await using reader = await openReader(context.app, context.workspace);
    pending = await findWaiting(reader.client, name);
  }
  if (pending === undefined) return;
  using client = await openService(context, { signal });
  const { output } = context;
  await giveAnswer(pending, { approved: true }, { client, output }).catch((error) => {
    if (!(error instanceof AnsweredElsewhere)) throw error;
  });
  output.note(`Continues ${formatPlural(pending.waiting_runs, "run")} that waited for the sign-in`);
}

/** Returns the question of the runs that wait for the sign-in to a server, or undefined. */
async function findWaiting(client: Client, name: string): Promise<PendingBody | undefined> {
  const waiting = await readPages((page) => client.executions({ status: ["waiting"], ...page }));
  for (const { id } of waiting) {
    const pending = await orMissing(client.pending(id));
    if (pending !== undefined && signInServerOf(pending) === name) return pending;
  }
  return undefined;
}

/** Revokes the tokens of a server or a mail account and removes them from this machine. */
export async function logOut(context: CommandContext, name: string): Promise<void> {
  const { app, output } = context;
  const installer = await app.openServerInstaller(context);
  using interrupts = listenToInterrupts(app);
  const place = describePlace(name, toOneLine(name));
  const { wasSignedIn, unrevoked } = await installer.signOut(name, interrupts.first);
  if (!wasSignedIn) {
    output.note(`There is no sign-in to ${place}`);
    return;
  }
  if (unrevoked !== undefined) {
    output.warning(
      `The tokens may still be valid, because ${toOneLine(unrevoked)}. ` +
        "Revoke them in your account at the server",
    );
  }
  output.line(`${output.style.green("✔")} Signed out of ${place}`);
}
