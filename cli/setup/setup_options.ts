// What `setup` may be told instead of being asked.

/** What may be given instead of an answer. */
export interface SetupOptions {
  yes?: true;
  provider?: string;
  model?: string;
  baseUrl?: string;
  apiKeyStdin?: true;
  test?: true;
  timeout?: string;
  maxToolCalls?: string;
  maxExecutionTokens?: string;
  maxCostUsd?: string;
  maxTokens?: string;
  temperature?: string;
}
