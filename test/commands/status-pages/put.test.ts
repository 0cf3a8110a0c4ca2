/** `sonde status-pages get` and `put`: a page read, changed and sent back. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { command as get } from '../../../commands/status-pages/get.ts';
import { command as put } from '../../../commands/status-pages/put.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { answer, serveWith } from '../../support/http.ts';
import { askedLine } from '../../support/person.ts';
import { page, request, servePage } from './support.ts';

/** The path of the restoring command that stderr names. */
const restoring = (stderr: string): { line: string; path: string } => {
  const [line = '', path = ''] =
    stderr.match(/sonde status-pages put 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f -f (\S+)/) ?? [];
  return { line, path };
};

describe('status-pages get', () => {
  it('shows the page in a pipe, one field a line', async () => {
    const server = await servePage();
    const { code, stdout } = await runLine(get, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f'], {
      env: serviceAt(server.url),
    });
    expect(code).toBe(0);
    expect(stdout).toContain('name\tShop status\n');
    expect(stdout).toContain('cards\tShop (Checkout)\n');
  });
});

describe('status-pages put', () => {
  it('takes what "get -o yaml" printed, says that it is so already, and sends nothing', async () => {
    const server = await servePage();
    const env = serviceAt(server.url);
    const printed = await runLine(get, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-o', 'yaml'], { env });
    const { code, stdout, stderr } = await runLine(
      put,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', '-', '--json'],
      {
        env,
        input: printed.stdout,
      },
    );
    expect(code).toBe(0);
    expect(server.bodies()).toEqual([]);
    expect(JSON.parse(stdout)).toEqual(page);
    expect(stderr).toMatch(/ignored in stdin, .*planTier/);
    expect(stderr).toContain('The status page 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f is up to date.');
  });

  it('sends exactly what a request may hold', async () => {
    const server = await servePage();
    const env = serviceAt(server.url);
    const printed = await runLine(get, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-o', 'yaml'], { env });
    const argv = ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', '-', '--description', 'new'];
    expect(await runLine(put, argv, { env, input: printed.stdout })).toMatchObject({ code: 0 });
    expect(server.bodies()).toEqual([{ ...request, description: 'new' }]);
  });

  it('sends what the service does not show, although nothing that it shows would change', async () => {
    const { defaultTheme: _, ...shown } = page;
    const server = await servePage(undefined, () => shown);
    const files = { 'page.json': JSON.stringify(page) };
    const { code, stderr } = await runLine(put, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', 'page.json'], {
      env: serviceAt(server.url),
      files,
    });
    expect(code).toBe(0);
    expect(stderr).toContain('No visible changes.');
    expect(server.bodies()).toEqual([request]);
  });

  it('shows the difference, keeps the page as it was, and names the command that restores it', async () => {
    let standing = page;
    const server = await servePage(
      (body) => {
        standing = { ...page, ...body };
        return { body: standing };
      },
      () => standing,
    );
    const home = await temporaryFolder();
    const env = serviceAt(server.url);
    const files = { 'page.json': JSON.stringify({ ...page, name: 'Shop' }) };
    const { code, stderr } = await runLine(put, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', 'page.json'], {
      env,
      files,
      home,
    });
    expect(code).toBe(0);
    expect(stderr).toContain('-name: Shop status\n+name: Shop\n');
    const { path } = restoring(stderr);
    expect(
      path.startsWith(
        join(home, '.local/state/sonde/previous/status-page-7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f-'),
      ),
    ).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    const kept = await readFile(path, 'utf8');
    expect(parse(kept)).toEqual(page);
    expect(kept).toMatch(
      new RegExp(
        `^# status page 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f of ${server.url} before the change on 2`,
      ),
    );

    await runLine(put, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', path], { env, home });
    expect(server.bodies()[1]).toEqual(request);
  });

  it('names the profile or address again in the command that restores', async () => {
    const server = await servePage();
    const argv = [
      '7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f',
      '--name',
      'B',
      '--url',
      'b',
      '--set',
      'cards=[]',
      '--base-url',
      server.url,
    ];
    const { stderr } = await runLine(put, argv, { env: { SONDE_API_KEY: 'k' } });
    expect(stderr).toMatch(
      new RegExp(`put 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f -f \\S+ --base-url ${server.url}`),
    );
  });

  it('asks a person after the difference, and changes nothing on a no', async () => {
    const server = await servePage();
    const home = await temporaryFolder();
    const files = { 'page.yaml': 'name: Shop\nurl: shop\ncards: []\n' };
    const options = { env: serviceAt(server.url), files, home };
    const { code, stderr } = await askedLine(
      put,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', 'page.yaml'],
      options,
      ['Apply this change?', 'n\n'],
    );
    expect(code).toBe(9);
    expect(stderr.indexOf('+name: Shop')).toBeLessThan(stderr.indexOf('Apply this change?'));
    expect(server.bodies()).toEqual([]);
    expect(await readdir(home)).not.toContain('.local');
  });

  it('writes colours in upper case, as deployments want them', async () => {
    const server = await servePage();
    const files = {
      'page.yaml': 'name: A\nurl: a\ncards: []\nthemeColors: {light: {linkFontColor: "#abc"}, dark: {}}\n',
    };
    const { code, stderr } = await runLine(put, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', 'page.yaml'], {
      env: serviceAt(server.url),
      files,
    });
    expect(code).toBe(0);
    expect(stderr).not.toContain('Warning');
    expect(server.bodies()[0]?.themeColors).toEqual({ light: { linkFontColor: '#ABC' }, dark: {} });
  });

  it('refuses a misspelt field at its line, also in what get printed', async () => {
    const server = await servePage();
    const files = {
      'page.yaml':
        'id: 7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f\nname: A\nurl: a\ncards: []\ndescripton: x\ncards2: 1\n',
    };
    const { code, stderr } = await runLine(put, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', 'page.yaml'], {
      env: serviceAt(server.url),
      files,
    });
    expect(code).toBe(2);
    expect(stderr).toContain('page.yaml:5');
    expect(stderr).toContain('did you mean description?');
    expect(server.requests).toEqual([]);
  });

  it('refuses an unknown field in a file that nobody printed', async () => {
    const files = { 'page.yaml': 'name: A\nurl: a\ncards: []\nplanTier: x\n' };
    const { code, stderr } = await runLine(put, ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '-f', 'page.yaml'], {
      files,
    });
    expect(code).toBe(2);
    expect(stderr).toContain('planTier');
  });

  it('forgets what it kept where the API refuses the page', async () => {
    const server = await servePage(() => ({ status: 400, body: { message: 'That url is taken' } }));
    const home = await temporaryFolder();
    const { code, stderr } = await runLine(
      put,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--name', 'A', '--url', 'a', '--set', 'cards=[]'],
      {
        env: serviceAt(server.url),
        home,
      },
    );
    expect(code).toBe(3);
    expect(stderr).toContain('That url is taken');
    expect(restoring(stderr).line).toBe('');
    expect(await readdir(join(home, '.local/state/sonde/previous'))).toEqual([]);
  });

  it('keeps it where an answer was lost before the API refused, and where the API timed out', async () => {
    let puts = 0;
    const server = await serveWith(({ method }, response) => {
      if (method !== 'PUT') return answer(response, { body: page });
      if (++puts === 1) return response.destroy();
      return answer(response, { status: puts === 2 ? 401 : 408, body: { message: 'No' } });
    });
    const home = await temporaryFolder();
    const change = ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--name', 'B', '--url', 'b', '--set', 'cards=[]'];
    const env = { ...serviceAt(server.url), XDG_STATE_HOME: home };
    const lost = await runLine(put, change, { env });
    const late = await runLine(put, [...change, '--retry-budget', '0'], { env });
    expect([lost.code, late.code, puts]).toEqual([4, 6, 3]);
    for (const { stderr } of [lost, late]) {
      expect(stderr).toContain('may have changed. To undo this, run:');
    }
    expect(await readdir(join(home, 'sonde/previous'))).toHaveLength(2);
  });

  it('says how to go back where nobody knows whether the page was changed', async () => {
    const server = await servePage(() => ({ status: 500, body: { message: 'Out of order' } }));
    const { code, stderr } = await runLine(
      put,
      [
        '7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f',
        '--name',
        'A',
        '--url',
        'a',
        '--set',
        'cards=[]',
        '--retry-budget',
        '0',
      ],
      { env: serviceAt(server.url) },
    );
    expect(code).toBe(6);
    expect(stderr).toContain('may have changed');
    expect(parse(await readFile(restoring(stderr).path, 'utf8'))).toEqual(page);
  });

  it('changes nothing where the page as it stands cannot be kept', async () => {
    const server = await servePage();
    const home = await temporaryFolder();
    await mkdir(join(home, '.local'));
    await writeFile(join(home, '.local/state'), 'a file where a folder should be');
    const { code, stderr } = await runLine(
      put,
      ['7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f', '--name', 'A', '--url', 'a', '--set', 'cards=[]'],
      {
        env: serviceAt(server.url),
        home,
      },
    );
    expect(code).toBe(74);
    expect(stderr).toContain('nothing was changed');
    expect(server.bodies()).toEqual([]);
  });

  it('prints one request and asks nothing with --dry-run', async () => {
    const server = await servePage();
    const { code, stdout } = await runLine(
      put,
      [
        '7c0f1d2e-0a1b-4c3d-8e5f-6a7b8c9d0e1f',
        '--name',
        'A',
        '--url',
        'a',
        '--set',
        'cards=[]',
        '--dry-run',
        '--json',
      ],
      { env: serviceAt(server.url) },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ method: 'PUT', body: { name: 'A', url: 'a', cards: [] } });
    expect(server.requests).toEqual([]);
  });
});
