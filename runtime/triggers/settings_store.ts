// The port to what the service remembers about itself across restarts: a few texts by name.

/** Settings by name, as texts. */
export interface SettingsStore {
  /** Undefined when it was never set. */
  readSetting(name: string): Promise<string | undefined>;
  /** Stores a value; whether that changed anything. A setting that was never set counts as `fallback`. */
  changeSetting(name: string, value: string, options: { fallback: string }): Promise<boolean>;
}
