// `inkling service`: installs, removes or shows the unit with which the service starts with the machine.
import { checkAction } from "../../command_line/actions.ts";
import { performs } from "../../command_line/command.ts";
import type { service } from "../../declarations/service_commands.ts";
import type { CommandContext } from "../../context/context.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { describeReadiness } from "../../../present/readiness.ts";
import { readReadiness } from "../../service/readiness.ts";
import { findUnitManager, installUnit, uninstallUnit } from "../../service/units/install_unit.ts";
import { scopeOf } from "../../service/units/installed_unit.ts";
import { managerOfSystem } from "../../service/units/print_unit.ts";
import { openUnitManager, type UnitManager } from "../../service/units/unit_manager.ts";

const ACTIONS = {
  install: { words: [], options: ["system"] },
  uninstall: { words: [], options: ["system"] },
  status: { words: [], options: ["json"] },
} as const;

/** Performs one action on the unit. */
export const perform = performs<typeof service>(async (context, options, { action }) => {
  checkAction("service", ACTIONS, { action }, options);
  if (action === "status") return await show(context, { json: options.json === true });
  const scope = options.system ? "system" : "user";
  const manager = await findUnitManager(context, { scope, action });
  if (action === "uninstall") return await uninstall(context, manager);
  await installUnit(context, manager);
  context.output.detail(describeReadiness(await readReadiness(context)));
});

async function uninstall({ output }: CommandContext, manager: UnitManager): Promise<void> {
  const file = toOneLine(manager.file);
  if (!await uninstallUnit(manager)) return output.note(`There is no unit ${file}`);
  output.detail(`${output.style.green("✔")} ${file} removed, and the service stopped`);
}

/** Shows the unit in the words of its manager, and the missing conditions for unattended runs. */
async function show(context: CommandContext, { json }: { json: boolean }): Promise<void> {
  const { app, output } = context;
  const unit = app.findUnit();
  const kind = managerOfSystem();
  const scope = scopeOf(unit?.file ?? "");
  const state = unit === undefined || kind === undefined
    ? undefined
    : await openUnitManager(app, { kind, scope }).describe();
  const missing = await readReadiness(context);
  const { file = null, isLingering = null } = unit ?? {};
  const { active = null, enabled = null } = state ?? {};
  if (json) {
    const unattended = { ready: missing.length === 0, missing };
    return output.json({ unit: file, active, enabled, lingering: isLingering, unattended });
  }
  output.fields([
    ["Unit", file ?? "not installed"],
    active !== null && ["State", `${active}, ${enabled}`],
    isLingering !== null && ["Lingering", isLingering ? "yes" : "no"],
  ]);
  output.sentence(describeReadiness(missing));
}
