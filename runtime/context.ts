// The values that every part of an open runtime shares, handed on as one object.
import type { Clock } from "../base/clock.ts";
import type { WorkspaceSettings } from "./config/settings.ts";
import type { Redactor } from "./secrets/redactor.ts";
import type { ServiceLog } from "./service_log/service_log.ts";

/** The surroundings of a part of the runtime. A part adds its own collaborators beside it, not copies of these fields. */
export interface Context {
  settings: WorkspaceSettings;
  clock: Clock;
  /** The service log, behind the redaction. */
  log: ServiceLog;
  /** Removes every secret from a text. */
  redactor: Redactor;
  /** Returns the machine's time zone, as its IANA name. */
  timeZone: () => string;
}
