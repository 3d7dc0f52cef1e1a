// The options of `setup`.

/** The options that replace answers to the questions of `setup`. */
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
