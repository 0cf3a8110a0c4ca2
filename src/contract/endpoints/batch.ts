/** Endpoint that runs several requests as one (docs/gaps.md). */
import { batchAnswer, batchBody } from '../resources/batch.ts';
import { define } from './define.ts';

export const runBatch = define({
  name: 'runBatch',
  method: 'POST',
  path: '/v1/batch',
  summary: 'Create, update and delete several resources in one transaction',
  resource: 'batches',
  body: batchBody,
  response: batchAnswer,
  bodyBytes: 32 * 1024 * 1024,
  bodyValues: 300_000,
});
