// The options of `inkling setup`, as the command line parser returns them.

/**
 * The options of `inkling setup`. A value answers the question of the same name, so the question is skipped. The limits are
 * texts.
 */
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
