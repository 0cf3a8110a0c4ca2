/** Names the headers that a webhook cannot set. */

/** Headers of the HTTP connection, which channels cannot set. */
export const RESERVED_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;
