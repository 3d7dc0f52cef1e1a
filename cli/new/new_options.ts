// The options of `new`.

/** The options that replace answers to the questions of `new`. */
export interface NewOptions {
  template?: true;
  description?: string;
  provider?: string;
  model?: string;
  baseUrl?: string;
  every?: string;
  cron?: string;
  watch?: string[];
  after?: string[];
  path?: string[];
  prompt?: string;
}
