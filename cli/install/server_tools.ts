// Starts a server that was just added, shows its tools, and asks which of them need a person's approval.
import type { ConnectedTool } from "../../ops/authoring/server_connections.ts";
import type { ServerInstaller } from "../../ops/install/server_installer.ts";
import type { CommandContext } from "../context/context.ts";
import { toOneLine } from "../output/sanitize.ts";
import { NOTHING } from "../output/table.ts";
import { Interview } from "../prompting/interview.ts";

/**
 * Shows the tools of an added server, and writes into its entry which of them need no approval. With `yes`, the tools that
 * the server declares read-only need none. A server that does not start stays added, with a warning.
 */
export async function chooseApprovals(
  context: CommandContext,
  installer: Pick<ServerInstaller, "connect" | "freeTools">,
  { name, yes }: { name: string; yes: boolean },
): Promise<void> {
  const { output } = context;
  output.note("The server starts once, to show its tools");
  const connection = await installer.connect(name);
  if ("problem" in connection) {
    return output.warning(
      `${connection.problem}\nThe entry stays. defaults.mcp_confirm decides which of its tools need approval`,
    );
  }
  const { tools } = connection;
  if (!output.quiet) {
    output.table(tools, [
      { header: "Tool", cell: (tool) => toOneLine(tool.name), paint: output.style.bold },
      { header: "Declared", cell: (tool) => tool.isReadOnly ? "read-only" : NOTHING },
      {
        header: "The server says",
        cell: (tool) => toOneLine(tool.description) || NOTHING,
        shrinks: true,
      },
    ]);
  }
  const freed = yes ? tools.filter((tool) => tool.isReadOnly) : await ask(context, tools);
  await installer.freeTools(name, freed.map((tool) => tool.name));
  output.note(
    `${tools.length - freed.length} of ${tools.length} tools need a person's approval ` +
      "(auto_approve in the entry lists the others)",
  );
}

/** Asks which tools need approval. Returns the tools that need none. */
async function ask(
  context: CommandContext,
  tools: readonly ConnectedTool[],
): Promise<readonly ConnectedTool[]> {
  const interview = new Interview(context, "Repeat the command with --yes");
  const reading = tools.filter((tool) => tool.isReadOnly);
  const answer = await interview.select({
    message: "Which tools need a person's approval?",
    choices: [
      { value: "writes", label: `Those not declared read-only (${tools.length - reading.length})` },
      { value: "all", label: `All (${tools.length})` },
      { value: "some", label: "Choose" },
      { value: "none", label: "None" },
    ],
    initial: "writes",
  });
  if (answer === "writes") return reading;
  if (answer === "all") return [];
  if (answer === "none") return tools;
  const chosen = await interview.multiselect({
    message: "The tools that need approval",
    choices: tools.map((tool) => ({ value: tool.name, label: toOneLine(tool.name) })),
  });
  return tools.filter((tool) => !chosen.includes(tool.name));
}
