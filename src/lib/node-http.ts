/**
 * node:http for what is needed of it at run time. Not imported: an import's namespace reads every
 * export, and one of them loads a whole WebSocket client, 45 ms of each start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");
