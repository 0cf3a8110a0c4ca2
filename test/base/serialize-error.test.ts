/** Errors in logs. */
import { expect, it } from 'vitest';
import { ApiError, UsageError } from '../../src/base/errors.ts';
import { cutLogFields, serializeError } from '../../src/base/serialize-error.ts';

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

it('cuts every text of others, and keeps the frames of an error', () => {
  const long = 'x'.repeat(1_000_000);
  const error = serializeError(new Error(long, { cause: long }));
  expect(JSON.stringify(error).length).toBeLessThan(10_000);
  expect(error.message).toBe(`${'x'.repeat(2000)}… (1000000 characters)`);
  const short = serializeError(new Error('short'));
  expect(short.stack).toContain('serialize-error.test.ts');
  const fields = cutLogFields({ err: 1, body: long, list: [{ deep: long }], when: new Date(0) });
  expect(JSON.stringify(fields).length).toBeLessThan(5000);
  expect(fields).toMatchObject({ err: 1, when: new Date(0) });
});
