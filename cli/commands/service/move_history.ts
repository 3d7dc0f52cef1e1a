// move-history: the history copied between the state directory and PostgreSQL, and what to write into config.yaml then.
import { performs } from "../../command_line/command.ts";
import type { moveHistory } from "../../declarations/service_commands.ts";
import type { MovedHistory } from "../../app.ts";
import { CommandFailure, EXIT, workspaceOf } from "../../context.ts";
import { formatCount, formatPlural } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

/** Copies the history one way. */
export const perform = performs<typeof moveHistory>(async (context, { to, from, json }) => {
  const { app, output } = context;
  const address = to ?? from;
  // Whatever was typed may hold a password: no complaint repeats it.
  if (address === undefined || !/^postgres(ql)?:\/\//.test(address)) {
    throw new CommandFailure(
      EXIT.usage,
      "--to and --from take the address of a PostgreSQL database, such as postgres://user@host:5432/name, and one of them is needed",
    );
  }
  using interrupts = listenToInterrupts(app);
  const { live } = output;
  let moved: MovedHistory;
  try {
    moved = await app.moveHistory({
      ...workspaceOf(context),
      direction: to === undefined ? "from" : "to",
      address,
      signal: interrupts.first,
      onProgress({ table, rows, step }) {
        const verb = step === "copying" ? "Copying" : "Comparing";
        live?.draw([`${verb} ${table}: ${formatPlural(rows, "row")}`]);
      },
    });
  } finally {
    live?.draw([]);
  }
  if (json) output.json(toJson(moved));
  else show(output, moved, to === undefined ? "from" : "to");
});

function toJson(moved: MovedHistory): unknown {
  const { from, to, tables, changedTexts, configFile, setting } = moved;
  return { from, to, tables, changed_texts: changedTexts, config_file: configFile, setting };
}

function show(output: Output, moved: MovedHistory, direction: "to" | "from"): void {
  const { from, to, tables, changedTexts, setting } = moved;
  const configFile = toOneLine(moved.configFile);
  const filled = tables.filter(({ rows }) => rows > 0);
  if (!output.quiet && filled.length > 0) {
    output.table(filled, [
      { header: "Table", cell: ({ name }) => name },
      { header: "Rows", cell: ({ rows }) => formatCount(rows), align: "right" },
    ]);
    output.line();
  }
  const total = filled.reduce((sum, { rows }) => sum + rows, 0);
  output.sentence(`${formatPlural(total, "row")} copied, read back and compared: all are equal`);
  output.fields([["From", from], ["To", to]]);
  if (changedTexts > 0) {
    output.sentence(
      `${formatPlural(changedTexts, "text")} had NUL characters, which PostgreSQL cannot store: ` +
        "each of these is the character U+FFFD there",
    );
  }
  output.detail("The source is unchanged; delete it when you no longer need it");
  if (!output.quiet) output.line();
  if (direction === "to") {
    output.sentence(`To use the copy, write this line into ${configFile}:`);
    output.line(`database: ${toOneLine(setting)}`);
  } else {
    output.sentence(
      `To use the copy, take "database" out of ${configFile}, and unset INKLING_DATABASE_URL`,
    );
  }
}
