// A cron that is reckoned in another zone than the machine's owner believes.
import { diagnose, type DiagnosedFile } from "../../config/files/diagnosed_file.ts";
import { showValue } from "../../config/shown_value.ts";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import type { Agent } from "../agent.ts";
import { type MachineTimeZone, TIME_ZONE_HINT } from "../machine_time_zone.ts";

/** Whose clock counts for an agent that names no zone. */
export interface ClockSurroundings {
  machineTimeZone: MachineTimeZone;
}

/** A warning where the agent's cron leaves its zone to the machine, and the machine's is unknown. */
export function diagnoseTimeZone(
  { trigger }: Agent,
  file: DiagnosedFile,
  { machineTimeZone: { name, unknown } }: ClockSurroundings,
): Diagnostic[] {
  if (unknown === undefined || trigger.type !== "schedule") return [];
  if (trigger.cron === undefined || trigger.timezone !== undefined) return [];
  return [diagnose(file, ["trigger", "cron"], {
    severity: "warning",
    message: `The times of trigger.cron are ${name}: TZ is ${
      showValue(unknown)
    }, which is not a time zone`,
    hint: `${TIME_ZONE_HINT}, or trigger.timezone`,
  })];
}
