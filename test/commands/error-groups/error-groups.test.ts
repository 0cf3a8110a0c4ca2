/** `sonde error-groups`: listed, archived and brought back. */
import { describe, expect, it } from 'vitest';
import { command as archive } from '../../../commands/error-groups/archive.ts';
import { command as list } from '../../../commands/error-groups/list.ts';
import { command as unarchive } from '../../../commands/error-groups/unarchive.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serve, serveWith } from '../../support/http.ts';
import { askedLine } from '../../support/person.ts';

const group = (id: string, more: object = {}) => ({
  id,
  checkId: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
  errorHash: 'f00d',
  rawErrorMessage: 'connect ECONNREFUSED 192.0.2.1:443',
  cleanedErrorMessage: 'connect ECONNREFUSED <ip>',
  firstSeen: '2026-11-01',
  lastSeen: '2026-11-21T07:00:00Z',
  archivedUntilNextEvent: false,
  ...more,
});

describe('error-groups list', () => {
  it('lists the groups of a check, and names the next page where this one is full', async () => {
    const server = await serve({ body: [group('a'), group('b')] });
    const { code, stdout, stderr } = await runLine(
      list,
      ['5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', '--limit', '2', '--page', '3'],
      {
        env: serviceAt(server.url),
      },
    );
    expect(code).toBe(0);
    expect(server.requests[0]?.url).toBe(
      '/v1/error-groups/checks/5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d?limit=2&page=3',
    );
    expect(stdout.split('\n')[0]).toBe(
      'a\tconnect ECONNREFUSED <ip>\t2026-11-21T07:00:00Z\t2026-11-01\tno\t0',
    );
    expect(stderr).toContain('--page 4');
  });

  it('says how many there are where the service tells', async () => {
    const server = await serve({ body: [group('a')], headers: { 'content-range': '0-0/7' } });
    const { stderr } = await runLine(list, ['5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', '--limit', '1'], {
      env: serviceAt(server.url),
    });
    expect(stderr).toContain('Showing 1 of 7 error groups');
  });
});

describe('error-groups archive', () => {
  it('archives until the next event, and prints the group as it is then', async () => {
    const archived = group('a', { archivedUntilNextEvent: true });
    const server = await serve({ body: archived });
    const { code, stdout, stderr } = await runLine(archive, ['a', '--json'], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(archived);
    expect(stderr).toBe(
      'The error group a is archived until the error recurs.\nTo undo this, run:\n  sonde error-groups unarchive a\n',
    );
    expect(server.requests).toMatchObject([{ method: 'PATCH', url: '/v1/error-groups/a' }]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ archivedUntilNextEvent: true });
  });

  it('archives for ever where asked to', async () => {
    const server = await serve({ body: group('a') });
    await runLine(archive, ['a', '--for-ever'], { env: serviceAt(server.url) });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ archiveForEver: true });
  });

  it('prints the groups that went well in the order given, and tells of the others', async () => {
    const server = await serveWith(({ url }, response) =>
      url.endsWith('/b')
        ? answer(response, { status: 404, body: { message: 'There is no such group' } })
        : answer(response, { body: group(url.slice(-1)) }),
    );
    const { code, stdout, stderr } = await runLine(archive, ['c', 'b', 'a', '--json'], {
      env: serviceAt(server.url),
    });
    expect(code).toBe(5);
    expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual(['c', 'a']);
    expect(stderr).toContain('There is no such group');
  });

  it('asks a person first; --yes skips it', async () => {
    const server = await serve({ body: group('a') });
    const env = serviceAt(server.url);
    const no = await askedLine(archive, ['a', '--for-ever'], { env }, [
      'Permanently archive the error group a?',
      'n\n',
    ]);
    expect(no.code).toBe(9);
    expect(server.requests).toEqual([]);
    expect((await askedLine(archive, ['a', '--yes'], { env })).code).toBe(0);
  });

  it('takes no body from a file, since it makes it itself', async () => {
    const { code, stderr } = await runLine(archive, ['a', '-f', 'x.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('unknown flag: -f');
  });
});

describe('error-groups unarchive', () => {
  it('takes back both kinds', async () => {
    const server = await serve({ body: group('a') });
    const { code } = await runLine(unarchive, ['a'], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      archiveForEver: false,
      archivedUntilNextEvent: false,
    });
  });
});
