// `inkling move-history`: copies the history between the state folder and PostgreSQL.
import { performs } from "../../command_line/command.ts";
import type { moveHistory } from "../../declarations/service_commands.ts";
import type { MovedHistory } from "../../context/app.ts";
import { misuse } from "../../context/context.ts";
import { formatCount, formatPlural } from "../../output/figures.ts";
import type { Output } from "../../output/output.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";

/** Copies the history, and prints the config.yaml setting that makes Inkling use the copy. */
export const perform = performs<typeof moveHistory>(async (context, { to, from, json }) => {
  const { app, output } = context;
  const address = to ?? from;
  // The message does not repeat the address, because the address may contain a password.
  if (address === undefined || !/^postgres(ql)?:\/\//.test(address)) {
    throw misuse(
      "Pass the address of a PostgreSQL database with --to or --from, such as postgres://user@host:5432/name",
    );
  }
  using interrupts = listenToInterrupts(app);
  const { live } = output;
  let moved: MovedHistory;
  try {
    moved = await app.moveHistory({
      workspace: context.workspace,
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
      `${formatPlural(changedTexts, "text")} contained NUL characters, which PostgreSQL cannot ` +
        "store: the copy has U+FFFD in their place",
    );
  }
  output.detail("The source is unchanged; delete it when you no longer need it");
  if (!output.quiet) output.line();
  if (direction === "to") {
    output.sentence(`To use the copy, write this line into ${configFile}:`);
    output.line(`database: ${toOneLine(setting)}`);
  } else {
    output.sentence(
      `To use the copy, remove "database" from ${configFile}, and unset INKLING_DATABASE_URL`,
    );
  }
}
