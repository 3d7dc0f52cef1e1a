// `inkling mcp login` and `inkling mcp logout`: signs a person in to a remote MCP server, or forgets the sign-in.
import { type CommandContext, workspaceOf } from "../../context/context.ts";
import { CommandFailure, EXIT } from "../../context/exit.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

/** Prints the address of the sign-in, opens it in a browser, and waits until the person has signed in. */
export async function logIn(
  context: CommandContext,
  name: string,
  { noBrowser }: { noBrowser?: true },
): Promise<void> {
  const { app, output } = context;
  const installer = await app.openServerInstaller(workspaceOf(context));
  using interrupts = listenToInterrupts(app);
  const signal = interrupts.first;
  const { issuer } = await installer.signIn(name, {
    async open(address) {
      output.note(`To sign in to ${toOneLine(name)}, open this address:`);
      output.line(address);
      if (noBrowser) return;
      if (!await app.openBrowser(address)) {
        output.notice(
          `No browser could be opened here. For one on another machine: inkling mcp login ${name} --no-browser`,
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
      if (text === undefined) throw new CommandFailure(EXIT.usage, "No address was pasted");
      return text;
    }),
  }, signal);
  output.line(
    `${output.style.green("✔")} Signed in to ${toOneLine(name)} at ${toOneLine(issuer)}`,
  );
}

/** Revokes the tokens of a server and removes them from this machine. */
export async function logOut(context: CommandContext, name: string): Promise<void> {
  const { app, output } = context;
  const installer = await app.openServerInstaller(workspaceOf(context));
  using interrupts = listenToInterrupts(app);
  const { wasSignedIn, unrevoked } = await installer.signOut(name, interrupts.first);
  if (!wasSignedIn) {
    output.note(`There is no sign-in to ${toOneLine(name)}`);
    return;
  }
  if (unrevoked !== undefined) {
    output.warning(
      `The tokens may still be valid, because ${toOneLine(unrevoked)}. ` +
        "Revoke them in your account at the server",
    );
  }
  output.line(`${output.style.green("✔")} Signed out of ${toOneLine(name)}`);
}
