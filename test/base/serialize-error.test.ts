/** Errors in logs. */
import { expect, it } from 'vitest';
import { ApiError, UsageError } from '../../src/base/errors.ts';
import { serializeError } from '../../src/base/serialize-error.ts';

it('tells the kind of an error of ours, not the name that its class has in what is built, and no hint for the command line', () => {
  const cause = Object.assign(new TypeError('broken'), { code: 'ECONNRESET', secret: 'hunter2' });
  const error = new ApiError(
    'refused',
    { status: 401, endpoint: 'GET /v1/x' },
    { hint: 'sonde login', cause },
  );
  expect(serializeError(error)).toEqual({
    ...{ type: 'api', message: 'refused', status: 401, endpoint: 'GET /v1/x' },
    stack: expect.stringContaining('refused'),
    cause: { type: 'TypeError', message: 'broken', code: 'ECONNRESET', stack: expect.any(String) },
  });
  expect(serializeError(new UsageError('wrong'))).toMatchObject({ type: 'usage' });
  expect(serializeError('a text')).toEqual({ message: 'a text' });
});
