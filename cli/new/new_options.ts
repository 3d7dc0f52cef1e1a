// What `new` may be told instead of being asked.

/** What may be given instead of an answer. */
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
