/** Errors in logs. */
import { expect, it } from 'vitest';
import { errorForLog } from '../../src/base/serialize-error.ts';
import { ApiError, UsageError } from '../../src/base/errors.ts';

it('tells the kind of an error of ours, not the name that its class has in what is built, and no hint for the command line', () => {
  const cause = Object.assign(new TypeError('broken'), { code: 'ECONNRESET', secret: 'hunter2' });
  const error = new ApiError(
    'refused',
    { status: 401, endpoint: 'GET /v1/x' },
    { hint: 'sonde login', cause },
  );
  expect(errorForLog(error)).toEqual({
    ...{ type: 'api', message: 'refused', status: 401, endpoint: 'GET /v1/x' },
    stack: expect.stringContaining('refused'),
    cause: { type: 'TypeError', message: 'broken', code: 'ECONNRESET', stack: expect.any(String) },
  });
  expect(errorForLog(new UsageError('wrong'))).toMatchObject({ type: 'usage' });
  expect(errorForLog('a text')).toEqual({ message: 'a text' });
});
