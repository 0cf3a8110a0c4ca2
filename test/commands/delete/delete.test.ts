/** `sonde delete`: what is asked first, what is sent, and what is told of each id. */
import { describe, expect, it } from 'vitest';
import { command as checkTrigger } from '../../../commands/delete/check-trigger.ts';
import { command as dashboard } from '../../../commands/delete/dashboard.ts';
import { command as groupTrigger } from '../../../commands/delete/group-trigger.ts';
import { command as privateLocation } from '../../../commands/delete/private-location.ts';
import { command as snippet } from '../../../commands/delete/snippet.ts';
import { command as variable } from '../../../commands/delete/variable.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serve, serveWith } from '../../support/http.ts';
import { askedLine } from '../../support/person.ts';

const GONE = { status: 204 };
const MISSING = { status: 404, body: { message: 'There is no such snippet' } };

/** A service in which some snippets exist. */
const snippets = (...ids: readonly string[]) =>
  serveWith(({ url }, response) => answer(response, ids.includes(url.slice(13)) ? GONE : MISSING));

describe('deleting', () => {
  it.each([
    [groupTrigger, '12', '/v1/triggers/check-groups/12', 'trigger of group'],
    [checkTrigger, 'a b', '/v1/triggers/checks/a%20b', 'trigger of check'],
    [dashboard, 'd/1', '/v1/dashboards/d%2F1', 'dashboard'],
    [privateLocation, 'p1', '/v1/private-locations/p1', 'private location'],
    [variable, 'SHOP_URL', '/v1/variables/SHOP_URL', 'variable'],
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

  it('asks a person once, naming all that goes', async () => {
    const server = await snippets('7', '8', '9');
    const { code } = await askedLine(snippet, ['7', '8', '9'], { env: serviceAt(server.url) }, [
      'Delete 3 snippets (7, 8, 9)?',
      'y\n',
    ]);
    expect(code).toBe(0);
    expect(server.requests.map(({ url }) => url).sort()).toEqual([
      '/v1/snippets/7',
      '/v1/snippets/8',
      '/v1/snippets/9',
    ]);
  });

  it('sends nothing and exits 9 where the person says no', async () => {
    const server = await serve();
    const { code, stderr } = await askedLine(snippet, ['7'], { env: serviceAt(server.url) }, [
      'Delete the',
      'n\n',
    ]);
    expect(code).toBe(9);
    expect(stderr).toContain('nothing was changed');
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
    expect(stderr).toContain('There was no snippet 5.');
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
    expect(none.stderr).toContain('stdin held none');
    expect(server.requests).toHaveLength(2);
  });

  it('refuses all where one id cannot be one, before anything is sent', async () => {
    const server = await serve();
    const env = serviceAt(server.url);
    const word = await runLine(snippet, ['7', 'seven', '--yes'], { env });
    expect(word).toMatchObject({ code: 2, stdout: '' });
    expect(word.stderr).toContain('<id> must be a whole number, not "seven"');
    const dots = await runLine(variable, ['A', '..', '', '--yes'], { env });
    expect(dots.code).toBe(2);
    expect(dots.stderr).toContain('<key> cannot be ".."');
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
