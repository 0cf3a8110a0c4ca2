/** `sonde delete`: what is asked first, what is sent, and what is told of each id. */
import { describe, expect, it } from 'vitest';
import { command as dashboard } from '../../../commands/dashboards/delete.ts';
import { command as checkTrigger } from '../../../commands/delete/check-trigger.ts';
import { command as groupTrigger } from '../../../commands/delete/group-trigger.ts';
import { command as privateLocation } from '../../../commands/private-locations/delete.ts';
import { command as snippet } from '../../../commands/snippets/delete.ts';
import { command as variable } from '../../../commands/variables/delete.ts';
import { CancelledError } from '../../../src/base/errors.ts';
import { createManualClock } from '../../support/clock.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, serve, serveWith } from '../../support/http.ts';
import { askedLine, type Reply } from '../../support/person.ts';

const GONE = { status: 204 };
const ID = '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d';
const MISSING = { status: 404, body: { message: 'There is no such snippet' } };

/** A service in which some snippets exist; a group uses the first of them. */
async function snippets(...ids: readonly string[]) {
  const server = await serveWith(({ method, url }, response) => {
    const id = url.slice(13);
    if (method === 'DELETE') answer(response, ids.includes(id) ? GONE : MISSING);
    else if (url.startsWith('/v1/snippets/')) {
      answer(
        response,
        ids.includes(id) ? { body: { id: Number(id), name: `Snippet ${id}\x1b[31m` } } : MISSING,
      );
    } else {
      const group = { id: 1, name: 'Shop', setupSnippetId: Number(ids[0]) };
      answer(response, { body: url.startsWith('/v1/check-groups') ? [group] : [] });
    }
  });
  const deleted = () => server.requests.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
  return { ...server, deleted };
}

describe('deleting', () => {
  it.each([
    [groupTrigger, '12', '/v1/triggers/check-groups/12', 'trigger of group'],
    [checkTrigger, ID, `/v1/triggers/checks/${ID}`, 'trigger of check'],
    [dashboard, ID, `/v1/dashboards/${ID}`, 'dashboard'],
    [privateLocation, ID, `/v1/private-locations/${ID}`, 'private location'],
    [variable, 'SHOP/URL', '/v1/variables/SHOP%2FURL', 'variable'],
    [snippet, '7', '/v1/snippets/7', 'snippet'],
  ])('%#: sends one DELETE for the id, and says so on stderr', async (command, id, path, noun) => {
    const server = await serve(GONE);
    const { code, stdout, stderr } = await runLine(command, [id, '--yes'], { env: serviceAt(server.url) });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: `Deleted the ${noun} ${id}.\n` });
    expect(server.requests).toMatchObject([{ method: 'DELETE', url: path, body: '' }]);
  });

  it('needs --yes where nobody can be asked, and sends nothing without', async () => {
    const server = await serve();
    const { code, stderr } = await runLine(snippet, ['7'], { env: serviceAt(server.url) });
    expect(code).toBe(2);
    expect(stderr).toContain('Delete the snippet 7?');
    expect(stderr).toContain('--yes');
    expect(server.requests).toEqual([]);
  });

  it('asks a person once, after showing all that goes and what hangs on it', async () => {
    const server = await snippets('7', '8');
    const { code, stderr } = await askedLine(snippet, ['7', '8', '9'], { env: serviceAt(server.url) }, [
      'Delete 3 snippets? You cannot undo this.',
      'y\n',
    ]);
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /^ {2}7 {2}Snippet 7 +used by group Shop\n {2}8 {2}Snippet 8\n {2}9 {2}not found\n/,
    );
    expect([...server.deleted()].sort()).toEqual(['/v1/snippets/7', '/v1/snippets/8', '/v1/snippets/9']);
  });

  it('looks up nothing where nobody is asked', async () => {
    const server = await snippets('7', '8');
    const { code } = await askedLine(snippet, ['7', '8', '--yes'], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(2);
  });

  it('reads and shows the first twenty and counts the others', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => String(index + 1));
    const server = await snippets(...ids);
    const { code, stderr } = await askedLine(snippet, ids, { env: serviceAt(server.url) }, [
      'Delete 50 snippets? You cannot undo this.',
      'n\n',
    ]);
    expect(code).toBe(9);
    expect(stderr).toContain('  20  Snippet 20\n  and 30 more\n');
    expect(server.requests.filter(({ url }) => url.startsWith('/v1/snippets/'))).toHaveLength(20);
  });

  it('asks by the ids alone where they cannot be looked up, or not in time', async () => {
    const failing = await serveWith((_request, response) => answer(response, { status: 500, body: 'no' }));
    const question: Reply = ['Delete 2 snippets (7, 8)? You cannot undo this.', 'n\n'];
    const failed = await askedLine(snippet, ['7', '8'], { env: serviceAt(failing.url) }, question);
    expect(failed.code).toBe(9);
    expect(failed.stderr).not.toContain('trying again');
    const silent = await serveWith(() => {});
    const clock = createManualClock();
    const waiting = askedLine(snippet, ['7', '8'], { env: serviceAt(silent.url), clock }, question);
    await eventually(() => expect(silent.requests.length).toBe(4));
    await clock.advance(3000);
    expect((await waiting).code).toBe(9);
  });

  it('sends nothing and exits 9 where the person says no', async () => {
    const server = await snippets('7');
    const { code, stderr } = await askedLine(snippet, ['7'], { env: serviceAt(server.url) }, [
      'Delete the snippet 7? You cannot undo this.',
      'n\n',
    ]);
    expect(code).toBe(9);
    expect(stderr).toContain('Nothing was changed.');
    expect(server.deleted()).toEqual([]);
  });

  it('says what went and what did not where it is stopped half way', async () => {
    const stop = new AbortController();
    const server = await serveWith(({ url }, response) => {
      if (url.endsWith('/1')) answer(response, GONE);
      else if (url.endsWith('/2')) answer(response, { status: 409, body: { message: 'in use' } });
      else if (url.endsWith('/6')) stop.abort(new CancelledError('SIGINT'));
    });
    const { code, stdout, stderr } = await runLine(snippet, ['1', '2', '3', '4', '5', '6', '7', '--yes'], {
      env: serviceAt(server.url),
      signal: stop.signal,
    });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain('Warning: interrupted: 1 of 7 snippets deleted\n');
    expect(stderr).toContain('  Unknown, no response: 3, 4, 5, 6.\n');
    expect(stderr).toContain('  Failed: 2.\n  Not deleted: 7.\n');
    expect(stderr).toContain('To continue, run the same command again with --ignore-missing.');
  });

  it('tries every one, shows each outcome, and exits by precedence', async () => {
    const server = await serveWith(({ url }, response) => {
      const status = { '/v1/snippets/2': 404, '/v1/snippets/3': 409 }[url];
      answer(response, status ? { status, body: { message: `refused with ${status}` } } : GONE);
    });
    const { code, stderr } = await runLine(snippet, ['1', '2', '3', '4', '--yes'], {
      env: serviceAt(server.url),
    });
    expect(code).toBe(5);
    expect(server.requests).toHaveLength(4);
    expect(stderr).toContain('Deleted the snippet 1.');
    expect(stderr).toContain('Deleted the snippet 4.');
    expect(stderr).toContain('2 of 4 could not be deleted');
    expect(stderr).toContain('snippet 2 refused with 404');
    expect(stderr).toContain('snippet 3 refused with 409');
  });

  it('prints {id, deleted} as JSON: an object for one id, an array in the order given for more', async () => {
    const server = await snippets('7', '8');
    const env = serviceAt(server.url);
    const one = await runLine(snippet, ['7', '--yes', '--json'], { env });
    expect(one.stdout).toBe('{"id":7,"deleted":true}\n');
    const more = await runLine(snippet, ['8', '5', '7', '--yes', '--json'], { env });
    expect(JSON.parse(more.stdout)).toEqual([
      { id: 8, deleted: true },
      { id: 5, deleted: false },
      { id: 7, deleted: true },
    ]);
    expect(more.code).toBe(5);
    const error = JSON.parse(more.stderr.trim().split('\n').at(-1) ?? '');
    expect(error.error).toMatchObject({ kind: 'partial', details: [{ place: 'snippet 5' }] });
    const stdin = await runLine(snippet, ['-', '--yes', '--json'], { env, input: '7\n' });
    expect(stdin.stdout).toBe('[{"id":7,"deleted":true}]\n');
  });

  it('leaves stdout empty where the one id fails, with the error as it was', async () => {
    const server = await snippets();
    const { code, stdout, stderr } = await runLine(snippet, ['7', '--yes', '--json'], {
      env: serviceAt(server.url),
    });
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({ kind: 'api', status: 404 });
  });

  it('counts a 404 as done with --ignore-missing', async () => {
    const server = await snippets('7');
    const { code, stdout, stderr } = await runLine(
      snippet,
      ['7', '5', '--yes', '--ignore-missing', '--json'],
      {
        env: serviceAt(server.url),
      },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { id: 7, deleted: true },
      { id: 5, deleted: false },
    ]);
    expect(stderr).toContain('snippet 5 not found.');
  });

  it('counts a 404 as deleted where the first answer was lost', async () => {
    const server = await serve((_request, response) => response.destroy(), MISSING);
    const { code, stdout } = await runLine(snippet, ['7', '--yes', '--json'], { env: serviceAt(server.url) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"id":7,"deleted":true}\n' });
  });

  it('takes ids from stdin, one a line, and refuses to start with none', async () => {
    const server = await snippets('7', '8');
    const env = serviceAt(server.url);
    expect(await runLine(snippet, ['-', '--yes'], { env, input: '7\n\n 8 \n' })).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(2);
    const none = await runLine(snippet, ['-', '--yes'], { env, input: '\n' });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('stdin was empty');
    expect(server.requests).toHaveLength(2);
  });

  it('refuses all where one id cannot be one, before anything is sent', async () => {
    const server = await serve();
    const env = serviceAt(server.url);
    const dots = await runLine(variable, ['A', '..', '', '--yes'], { env });
    expect(dots.code).toBe(2);
    expect(dots.stderr).toContain('<key> must not be ".."');
    expect(dots.stderr).toContain('must not be empty');
  });

  it('prints the requests and sends nothing with --dry-run', async () => {
    const server = await serve();
    const { code, stdout } = await runLine(snippet, ['7', '8', '--dry-run'], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(stdout).toContain(`DELETE ${server.url}/v1/snippets/7`);
    expect(stdout).toContain(`DELETE ${server.url}/v1/snippets/8`);
    expect(stdout).not.toContain('key-of-the-test');
  });

  it('deletes an id that was given twice once', async () => {
    const server = await serve(GONE);
    const { code } = await runLine(snippet, ['7', '7', '--yes'], { env: serviceAt(server.url) });
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(1);
  });
});

describe('deleting what is in use', () => {
  const refused = {
    status: 409,
    body: { message: 'The snippet 3 is used by check "Checkout" (5a2f8c1e). Change them first' },
  };

  it('says who uses it and what detaches them, and sends the force that is asked for', async () => {
    const server = await serve(refused, GONE);
    const env = serviceAt(server.url);
    const { code, stderr } = await runLine(snippet, ['3', '--yes'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('used by check "Checkout"');
    expect(stderr).toContain('to detach and delete it, pass --force');
    expect((await runLine(snippet, ['3', '--yes', '--force'], { env })).code).toBe(0);
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1/snippets/3', '/v1/snippets/3?force=true']);
  });

  it('offers no force for what nobody uses', async () => {
    const { code, stderr } = await runLine(dashboard, ['3', '--yes', '--force']);
    expect(code).toBe(2);
    expect(stderr).toContain('--force');
  });
});
