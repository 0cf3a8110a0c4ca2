/** Exports the public parts of the client. */
export type { Answer } from './attempt.ts';
export { createClient } from './client.ts';
export type { ClientConfig, WaitNotice } from './config.ts';
export { prepareProcess } from './dispatcher.ts';
export type { CallOptions, Client, EntryOf, Page, PagesOptions } from './interface.ts';
export { readCursor } from './pages.ts';
export { createRateLimiter, DOCUMENTED_RATES, type RateLimiter } from './rate-limiter.ts';
export { redact } from './redact.ts';
export { RefusedError } from './refused-error.ts';
export {
  type DescribedRequest,
  describeRaw,
  describeRequest,
  type RawInput,
  type RequestConfig,
} from './request.ts';
