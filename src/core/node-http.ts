/**
 * What is used of `node:http`. Imported as a module it would read every export of its own, and WebSocket among them
 * loads undici: 22 ms and some megabytes of each start, for a server that asks nobody anything yet.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
