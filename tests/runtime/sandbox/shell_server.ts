// An MCP server written in shell.

/**
 * A server with one tool, which runs the shell script in the variable SCRIPT and returns its output. SERVER is the process
 * id of the server.
 */
export const SHELL_SERVER = `export SERVER=$$; while read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\\n' "$id";;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","description":"Looks","inputSchema":{"type":"object"}}]}}\\n' "$id";;
    *'"tools/call"'*) text=$(sh -c "$SCRIPT" 2>&1 | tr -d '\\r\\033' | tr '\\n"' '; '); printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\\n' "$id" "$text";;
  esac
done`;
