// The port to the service's settings that outlive a restart.

/** Settings by name, as texts. */
export interface SettingsStore {
  /** Returns undefined for a setting that was never set. */
  readSetting(name: string): Promise<string | undefined>;
  /** Stores a value. Returns true when it differs from the stored one; a setting that was never set counts as `fallback`. */
  changeSetting(name: string, value: string, options: { fallback: string }): Promise<boolean>;
}
