/** The level in force, and why no stronger one is: as results, logs and /health say it. */
import { expect, it } from 'vitest';
import { describeIsolation } from '../../src/sandbox/cell/sandbox.ts';
import { sandboxFor } from './support.ts';

const isRoot = process.getuid?.() === 0;

it('names each stronger level with the reason why it is not available', async () => {
  const sandbox = await sandboxFor({ level: 'auto' });
  const found = sandbox.describe();
  const reasons = found.unavailable.map(({ level, reason }) => `${level}: ${reason}`);
  if (isRoot) expect(found).toMatchObject({ level: 'uid', unavailable: [] });
  else expect(reasons[0]).toBe('uid: the service does not run as root');
  const { network, protects, lacks } = found;
  const given = { level: 'process', network, protects, lacks } as const;
  expect(describeIsolation({ ...given, unavailable: [] })).toEqual({ level: 'process' });
  const unavailable = [
    { level: 'uid', reason: 'the service does not run as root' },
    { level: 'namespace', reason: 'cannot create a cell: unshare failed' },
  ] as const;
  expect(describeIsolation({ ...given, unavailable })).toEqual({
    level: 'process',
    reason: 'uid: the service does not run as root; namespace: cannot create a cell: unshare failed',
  });
  expect(describeIsolation({ ...given, level: 'uid', caution: 'no mounts', unavailable: [] })).toEqual({
    level: 'uid',
    reason: 'no mounts',
  });
});

it('names no other level where one was demanded', async () => {
  const sandbox = await sandboxFor({ level: 'process' });
  expect(sandbox.describe().unavailable).toEqual([]);
});

it('names the way out where other services hold all user IDs', async () => {
  const uids = { first: 1_950_000_000, last: 1_950_000_255 };
  await sandboxFor({ level: 'auto', uids });
  const reason = isRoot
    ? 'all user IDs from 1950000000 to 1950000255 are used by other services of this machine: stop one, or choose another level with --isolation'
    : 'the service does not run as root';
  await expect(sandboxFor({ level: 'uid', uids })).rejects.toThrow(
    `The isolation level "uid" is not available: ${reason}`,
  );
  const { unavailable } = (await sandboxFor({ level: 'auto', uids })).describe();
  expect(unavailable[0]).toEqual({ level: 'uid', reason });
});
