// The options of `inkling new`, as the command line parser returns them.

/** The options of `inkling new`. A value answers the question for the same field, so the question is skipped. */
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
