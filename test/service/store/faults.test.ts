/** Tests which database errors are faults, their public sentences, and whether a write may have happened. */
import { expect, test } from 'vitest';
import { toProblem } from '../../../src/service/http/api/error-handler.ts';
import { asFault, DatabaseFault } from '../../../src/service/store/errors.ts';

const coded = (code: string, more: object = {}) => Object.assign(new Error('raw words'), { code, ...more });

test.each([
  ['08006', 'the database cannot be reached', true],
  ['57P01', 'the database is starting or stopping', true],
  ['57P03', 'the database is starting or stopping', true],
  ['57P05', 'the database ended the connection', true],
  ['57014', 'the database did not respond in time', false],
  ['55P03', 'the database did not respond in time', false],
  ['53100', 'the disk of the database is full', false],
  ['53200', 'the database lacks resources', false],
  ['53300', 'the database accepts no more connections', false],
  ['25006', 'the database is read-only', false],
  ['ECONNREFUSED', 'the database cannot be reached', true],
  ['EPIPE', 'the database cannot be reached', true],
  ['ETIMEDOUT', 'the database did not respond in time', true],
  ['SQLITE_BUSY', 'the database is locked by another process', false],
  ['SQLITE_BUSY_SNAPSHOT', 'the database is locked by another process', false],
  ['SQLITE_FULL', 'the disk of the database is full', false],
  ['SQLITE_READONLY', 'the database is read-only', false],
  ['SQLITE_IOERR_FSYNC', 'the disk of the database failed', true],
])('%s is a fault: %s', (code, sentence, mayHaveActed) => {
  expect(asFault(coded(code), true)).toMatchObject({ message: sentence, code, mayHaveActed, exitCode: 6 });
  // Reads and statements that did not start have stored nothing.
  expect(asFault(coded(code), false)).toMatchObject({ mayHaveActed: false });
});

test.each([
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
])('the driver says "%s" without a code: a fault whose outcome is unknown', (message) => {
  expect(asFault(new Error(message), true)).toMatchObject({ mayHaveActed: true });
});

test.each([coded('23505'), coded('42P01'), coded('ENOENT'), new Error('a bug'), 'text', undefined])(
  '%s is none',
  (error) => {
    expect(asFault(error, true)).toBe(error);
  },
);

test('a missing socket file means that the server is not running', () => {
  expect(asFault(coded('ENOENT', { syscall: 'connect' }), false)).toBeInstanceOf(DatabaseFault);
});

test('only requests that cannot have stored anything may be retried', () => {
  const surely = toProblem(new DatabaseFault('the database is read-only', false, undefined));
  expect(surely).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(surely.message).toBe('The database is read-only. Nothing was stored. Try again');
  const unknown = toProblem(new DatabaseFault('the database cannot be reached', true, coded('08006')));
  expect(unknown).toMatchObject({ status: 503, headers: {} });
  expect(unknown.message).toContain('may have been stored');
  expect(unknown.message).not.toContain('raw words');
});
