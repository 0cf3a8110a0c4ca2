/** Names at services that search otherwise than ours, list badly, or do not list at all. */
import { describe, expect, it } from 'vitest';
import { command as deleteCheck } from '../../../commands/checks/delete.ts';
import { command as getCheck } from '../../../commands/checks/get.ts';
import { command as runChecks } from '../../../commands/checks/run.ts';
import { command as listErrorGroups } from '../../../commands/error-groups/list.ts';
import { command as getSession } from '../../../commands/sessions/get.ts';
import { command as waitForSessions } from '../../../commands/sessions/wait.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serve, serveWith } from '../../support/http.ts';
import { askedLine } from '../../support/person.ts';
import { PROOF } from '../../support/proof.ts';

/** A UUID whose first eight characters are these. */
const idOf = (start: string): string => `${start}-6a3f-4f6c-9d3e-2f1a7c9e8d10`;
const hex = (number: number): string => number.toString(16).padStart(8, '0');

type Entry = Readonly<Record<string, unknown>>;

interface Behaviour {
  /** What a search leaves; by default it is ignored. */
  readonly search?: (entries: readonly Entry[], text: string) => readonly Entry[] | 'refused';
  /** The page that repeats the first, so that a list never ends. */
  readonly repeatsFrom?: number;
}

/** A service with these checks, which answers any one of them by its ID and deletes it. */
async function deployment(entries: readonly Entry[], { search, repeatsFrom = 1e9 }: Behaviour = {}) {
  const server = await serveWith(({ url, method }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const id = pathname.split('/')[3];
    const text = searchParams.get('search');
    const listed = text === null || !search ? entries : search(entries, text);
    if (method === 'DELETE') answer(response, { status: 204 });
    else if (id !== undefined) answer(response, { body: entries.find((each) => each.id === id) ?? {} });
    else if (listed === 'refused')
      answer(response, { status: 400, body: { message: '"search" is not allowed' } });
    else {
      const page = Math.min(Number(searchParams.get('page') ?? 1), repeatsFrom);
      answer(response, { body: listed.slice((page - 1) * 100, page * 100) });
    }
  });
  const requests = () => server.requests.map(({ method, url }) => `${method} ${url}`);
  return { env: serviceAt(server.url), requests };
}

const check = (number: number, name: string): Entry => ({ id: idOf(hex(number)), name, checkType: 'DNS' });
const many = Array.from({ length: 250 }, (_, index) => check(index * 4096, `Check ${index}`));

describe('a whole ID', () => {
  it('is used as it stands: no request is made for it, also where many come from stdin', async () => {
    const server = await serve({ body: check(1, 'Apex') });
    expect((await runLine(getCheck, [idOf(hex(1))], { env: serviceAt(server.url) })).code).toBe(0);
    const { env, requests } = await deployment(many);
    const input = many.map(({ id }) => `${id}\n`).join('');
    expect((await runLine(deleteCheck, ['-', '--yes', '--quiet'], { env, input })).code).toBe(0);
    expect(requests()).toHaveLength(many.length);
    expect(requests().every((line) => line.startsWith('DELETE '))).toBe(true);
  });
});

describe('a name', () => {
  it('costs one request where the service searches', async () => {
    const { env, requests } = await deployment(many, {
      search: (entries, text) => entries.filter(({ name }) => String(name).includes(text)),
    });
    const { code, stdout } = await runLine(getCheck, ['Check 24', '--jq', '.name'], { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Check 24\n' });
    expect(requests()).toEqual([
      'GET /v1/checks?limit=100&search=Check%2024',
      `GET /v1/checks/${idOf(hex(24 * 4096))}`,
    ]);
  });

  it.each<readonly [string, Behaviour]>([
    ['ignores a search', {}],
    ['refuses a search', { search: () => 'refused' }],
    [
      'searches by exact names in one case alone',
      { search: (entries, text) => entries.filter(({ name }) => name === text) },
    ],
    ['finds nothing by any search', { search: () => [] }],
  ])('is found on any page of a service that %s, and so is the beginning of an ID', async (_, behaviour) => {
    const { env } = await deployment([...many, check(0xfeed_beef, 'CHECK 7')], behaviour);
    const found = async (word: string) => (await runLine(getCheck, [word, '--jq', '.name'], { env })).stdout;
    expect(await found('Check 249')).toBe('Check 249\n');
    expect(await found('check 248')).toBe('Check 248\n');
    expect(await found('FeedBeef')).toBe('CHECK 7\n');
    expect(await found('Check 7')).toBe('Check 7\n');
    expect((await runLine(deleteCheck, ['check 7', '--yes'], { env })).stderr).toContain(
      'Error: "check 7" is ambiguous: 2 checks have this name\n',
    );
  });

  it('is looked up for many words with one list', async () => {
    const { env, requests } = await deployment(many);
    const input = many.map(({ name }) => `${name}\n`).join('');
    expect((await runLine(deleteCheck, ['-', '--yes', '--quiet'], { env, input })).code).toBe(0);
    const [lists, deletions] = ['GET', 'DELETE'].map((verb) =>
      requests().filter((line) => line.startsWith(verb)),
    );
    expect(lists).toHaveLength(3);
    expect(deletions).toHaveLength(many.length);
  });

  it('is no other because the list holds it twice', async () => {
    const { env } = await deployment([check(1, 'Apex'), ...many.slice(0, 120), check(1, 'Apex')]);
    expect((await runLine(getCheck, ['apex'], { env })).code).toBe(0);
  });

  it('is refused where the service does not list all: another may have it', async () => {
    const { env, requests } = await deployment(many, { repeatsFrom: 2 });
    const { code, stderr } = await runLine(deleteCheck, ['check 7', '--yes'], { env });
    expect(code).toBe(6);
    expect(stderr).toContain('cannot read the whole list: the service repeats a page after 3 pages');
    expect(requests().some((line) => line.startsWith('DELETE'))).toBe(false);
  });

  it('is not looked up for a line that cannot be used anyway, which does not call it wrong', async () => {
    const { env, requests } = await deployment(many);
    const { code, stderr } = await runLine(getCheck, ['Check 7', '--naem', 'x'], { env });
    expect(code).toBe(2);
    expect(stderr).not.toContain('<id>');
    expect(requests()).toEqual([]);
    for (const word of ['', '.', '..']) {
      expect((await runLine(getCheck, [word], { env })).stderr).toMatch(/<id> (?:must|cannot) /);
    }
    expect(requests()).toEqual([]);
  });

  it.each([403, 404, 405, 501])(
    'is refused where checks cannot be listed (%i): only whole IDs are understood',
    async (status) => {
      const server = await serveWith((_request, response) =>
        answer(response, { status, body: { message: 'no' } }),
      );
      const { code, stderr } = await runLine(runChecks, ['Apex record'], { env: serviceAt(server.url) });
      expect(code).toBe(2);
      expect(stderr).toContain('sonde cannot list checks, so only full IDs work');
      expect(server.requests.some(({ method }) => method === 'POST')).toBe(false);
    },
  );

  it('is used as an ID where checks cannot be listed and their IDs may have any form', async () => {
    const server = await serveWith(({ url }, response) => {
      if (url.startsWith('/v1/checks?')) answer(response, { status: 405, body: { message: 'no' } });
      else answer(response, { body: [] });
    });
    expect((await runLine(listErrorGroups, ['check 7'], { env: serviceAt(server.url) })).code).toBe(0);
    expect(server.requests.at(-1)?.url).toContain('/checks/check%207');
  });

  it('is nothing that can be known where the service fails', async () => {
    const server = await serveWith((_request, response) => answer(response, { status: 500, body: 'no' }));
    const line = ['Apex', '--retry-budget', '0s'];
    expect((await runLine(getCheck, line, { env: serviceAt(server.url) })).code).toBe(6);
  });
});

describe('a choice', () => {
  it('has all that there are, beyond the first page, and is made by name or by the whole ID', async () => {
    const { env, requests } = await deployment(many);
    const choose = (typed: string, shown: string) =>
      askedLine(getCheck, ['--jq', '.name'], { env }, ['Select a check:', typed], [`> ${shown}`, '\r']);
    const byName = await choose('check 249', 'Check 249');
    expect(byName).toMatchObject({ code: 0, stdout: 'Check 249\n' });
    expect(requests().filter((line) => line.includes('?limit='))).toHaveLength(3);
    const byId = await choose(idOf(hex(123 * 4096)), 'Check 123');
    expect(byId.stdout).toBe('Check 123\n');
  });
});

describe('the beginning of the ID of a session', () => {
  /** A service with so many sessions, the newest first, that knows no search. */
  async function withSessions(count: number, newest: readonly string[] = []) {
    const ids = [
      ...newest.map((each) => (each.length > 8 ? each : idOf(each))),
      ...Array.from({ length: count }, (_, index) => idOf(hex(index * 65_536 + index))),
    ];
    const server = await serveWith(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      const [, , , id] = pathname.split('/');
      if (id !== undefined)
        return answer(response, { body: { checkSessionId: id, status: 'PASSED', ...PROOF } });
      if (searchParams.has('search'))
        return answer(response, { status: 400, body: { message: 'unknown field' } });
      const from = Number(searchParams.get('nextId') ?? 0);
      const entries = ids
        .slice(from, from + 100)
        .map((checkSessionId) => ({ checkSessionId, status: 'PASSED' }));
      const nextId = from + 100 < ids.length ? String(from + 100) : null;
      return answer(response, { body: { length: entries.length, entries, nextId } });
    });
    return { env: serviceAt(server.url), server };
  }

  it('is found among all of them', async () => {
    const { env } = await withSessions(300, ['feedbeef']);
    const { stdout } = await runLine(waitForSessions, ['feed', '--jq', '.checkSessionId'], { env });
    expect(stdout).toBe(`${idOf('feedbeef')}\n`);
  });

  it('is refused where it begins several, and no session is waited for', async () => {
    const { env, server } = await withSessions(10, ['feedbeef', 'feed0000']);
    const { code, stdout, stderr } = await runLine(waitForSessions, ['feed'], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('"feed" is ambiguous: 2 check sessions have an ID with this prefix');
    expect(server.requests.some(({ url }) => url.includes('completion'))).toBe(false);
  });

  it('must be eight characters long where not all were looked through, and those are a thousand', async () => {
    const { env, server } = await withSessions(5000, ['feedbeef']);
    const short = await runLine(waitForSessions, ['feed'], { env });
    expect(short).toMatchObject({ code: 2, stdout: '' });
    expect(short.stderr).toContain('"feed" may be ambiguous');
    expect(server.requests).toHaveLength(11);
    expect((await runLine(getSession, ['feedbeef', '--jq', '.status'], { env })).stdout).toBe('PASSED\n');
    const far = await runLine(getSession, [hex(4000 * 65_536 + 4000)], { env });
    expect(far).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('not found among the newest 1000'),
    });
    // Those of one moment begin alike: what was not listed may, too.
    const timed = '01a2094c-c4ae-7abc-8def-000000000001';
    const { env: later } = await withSessions(5000, [timed]);
    for (const [length, code] of [
      [17, 2],
      [18, 0],
    ] as const) {
      expect((await runLine(getSession, [timed.slice(0, length)], { env: later })).code).toBe(code);
    }
  });
});
