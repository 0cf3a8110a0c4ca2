/** Imports of the npm client's projects, with a client that sends a recorded deployment, and of answers of the API. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command as apply } from '../../../../commands/apply.ts';
import { command } from '../../../../commands/import/checkly.ts';
import { readTar } from '../../../../src/cli/manifest/import/checkly/read-tar.ts';
import { runLine } from '../../../support/command.ts';
import { eventually } from '../../../support/eventually.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { startTestService } from '../../../support/service.ts';
import { envOf } from '../../resources/journey.ts';
import { expectAccepted, formatImport, importInto } from './imported.ts';

/** Sends the requests of `checkly deploy --preview`, and stores its environment. */
const CLIENT = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { gzipSync } = require('node:zlib');
const { CHECKLY_API_URL: url, CHECKLY_ACCOUNT_ID: account } = process.env;
const read = async (path, init) => (await fetch(url + path, init)).json();
const send = (path, body, headers) => read(path, { method: 'POST', body, headers });
(async () => {
  writeFileSync('env.json', JSON.stringify({ env: process.env, argv: process.argv.slice(2) }));
  if ((await read('/next/accounts/' + account)).id !== account) throw new Error('no account');
  const [runtime] = await read('/v1/runtimes');
  if (!('left-pad' in runtime.dependencies)) throw new Error('the runtime lacks left-pad');
  if (runtime.multiStepSupport !== true) throw new Error('the runtime does not run multi-step checks');
  const request = JSON.parse(readFileSync(join(__dirname, 'deploy.json')));
  const { key } = await send('/next/checkly-storage/upload-code-bundle', readFileSync(join(__dirname, 'bundle.tgz')));
  for (const { payload } of request.resources) if (payload?.codeBundlePath) payload.codeBundlePath = key;
  await send('/v1/projects/deploy?dryRun=true', gzipSync(JSON.stringify(request)), {
    'content-type': 'application/json', 'content-encoding': 'gzip',
  });
})().catch((error) => { console.error('✖ ' + error.message); process.exit(1); });
`;

/** A tar archive with a file of each kind of name. */
function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const header = Buffer.alloc(512);
    const [prefix, base] =
      name.length > 100
        ? [name.slice(0, name.lastIndexOf('/')), name.slice(name.lastIndexOf('/') + 1)]
        : ['', name];
    header.write(base, 0);
    header.write(Buffer.byteLength(text).toString(8).padStart(11, '0'), 124);
    header.write('0', 156);
    header.write(prefix, 345);
    return [header, Buffer.from(text), Buffer.alloc((512 - (Buffer.byteLength(text) % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const SUITE = {
  'playwright.config.js': 'export default {}\n',
  'package.json': '{}\n',
  'src/a.spec.js': 'one()\n',
};

/** Writes a project whose installed client sends the recorded deployment. */
async function writeProject(client = CLIENT): Promise<string> {
  const cwd = await temporaryFolder();
  const folder = join(cwd, 'project/node_modules/checkly');
  await mkdir(folder, { recursive: true });
  await mkdir(join(cwd, 'project/node_modules/left-pad'));
  await writeFile(join(cwd, 'project/checkly.config.ts'), '');
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'checkly', bin: { checkly: './run.js' } }),
  );
  await writeFile(join(folder, 'run.js'), client);
  await writeFile(
    join(folder, 'deploy.json'),
    await readFile(join(import.meta.dirname, 'fixtures/checkly/deploy.json')),
  );
  await writeFile(join(folder, 'bundle.tgz'), tarOf(SUITE));
  return cwd;
}

const KEYS = {
  CHECKLY_API_KEY: 'real-key',
  CHECKLY_TOKEN: 'real-key',
  SONDE_TOKEN: 'real-key',
  SONDE_API_KEY: 'real-key',
  HTTPS_PROXY: 'http://192.0.2.1:1',
  XDG_CONFIG_HOME: '/home/ada/.config',
  PATH: process.env.PATH ?? '',
};

const START = { env: KEYS, execPath: process.execPath };

describe('import checkly', () => {
  it('converts a project to files that a service accepts', async () => {
    const cwd = await writeProject();
    const imported = await importInto(cwd, command, ['project'], START);
    await expect(formatImport(imported)).toMatchFileSnapshot('fixtures/checkly.txt');
    expect(await readdir(join(cwd, 'monitoring/suites/suite'))).toEqual([
      'package.json',
      'playwright.config.js',
      'src',
    ]);
    await expectAccepted(imported);
  });

  it('gives the client neither a real key nor another server, and removes its files', async () => {
    const cwd = await writeProject();
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('sonde-import-'));
    await importInto(cwd, command, ['project'], START);
    const { env, argv } = JSON.parse(await readFile(join(cwd, 'project/env.json'), 'utf8')) as {
      readonly env: Readonly<Record<string, string>>;
      readonly argv: readonly string[];
    };
    expect(argv).toEqual(['deploy', '--preview']);
    expect(JSON.stringify(env)).not.toMatch(/real-key|192\.0\.2\.1/);
    expect(env.XDG_CONFIG_HOME).toMatch(/sonde-import-\w+$/);
    expect(env.CHECKLY_API_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(env.CHECKLY_MQTT_URL).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('sonde-import-'));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });

  it('says how to install the client, and shows why the client refuses the project', async () => {
    const failed = await runLine(command, ['project'], {
      cwd: await writeProject('console.log("✖ no such runtime"); process.exit(1)'),
      ...START,
    });
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('no such runtime') });
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'checkly.config.js'), '');
    const missing = await runLine(command, ['.'], { cwd, ...START });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('npm install') });
    const other = await runLine(command, ['a.json'], { files: { 'a.json': '{"colors": [1]}' } });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('sonde export --profile') });
  });

  it('stops the client at a signal', async () => {
    const cwd = await writeProject(
      'setInterval(() => {}, 1000); require("node:fs").writeFileSync("pid", String(process.pid))',
    );
    const abort = new AbortController();
    const running = runLine(command, ['project'], { cwd, ...START, signal: abort.signal });
    const pid = await eventually(() => readFile(join(cwd, 'project/pid'), 'utf8'));
    abort.abort(new Error('stopped'));
    await running;
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });

  it('converts answers of the API to the same resources', async () => {
    const cwd = await writeProject();
    const project = await importInto(cwd, command, ['project'], START);
    const service = await startTestService();
    try {
      const argv = ['monitoring', '--secrets', 'monitoring/secrets.env', '--yes'];
      const applied = await runLine(apply, argv, { cwd, env: envOf(service) });
      expect(applied.code, applied.stderr).toBe(0);
      const other = await temporaryFolder();
      await mkdir(join(other, 'answers'));
      for (const list of [
        'checks',
        'check-groups',
        'alert-channels',
        'status-pages',
        'status-pages/services',
        'private-locations',
        'maintenance-windows',
      ]) {
        const response = await fetch(`${service.url}/v1/${list}?limit=100`, {
          headers: { authorization: `Bearer ${service.apiKey}` },
        });
        await writeFile(join(other, 'answers', `${list.split('/').at(-1)}.json`), await response.text());
      }
      const answers = await importInto(other, command, ['answers'], {});
      const names = ({ manifest }: typeof answers) =>
        manifest.entries
          .filter(({ section }) => section !== 'codeBundles')
          .map(({ section, name }) => `${section} ${name}`)
          .sort();
      expect(names(answers)).toEqual(names(project));
      expect(answers.entry('checks', 'U2')).toMatchObject({ ...project.entry('checks', 'U2') });
      const { group, ...browser } = project.entry('checks', 'Browser');
      expect(answers.entry('checks', 'Browser')).toMatchObject(browser);
      // Two groups have the name Shop.
      expect([group, answers.entry('checks', 'Browser').group]).toEqual(['group', 'shop']);
      expect(answers.losses.map(({ field }) => field)).toEqual(
        expect.arrayContaining(['password', 'variable API_TOKEN']),
      );
    } finally {
      await service.close();
    }
  });

  it('reads archives with long names, and refuses half an archive', () => {
    const long = `${'folder/'.repeat(20)}a.js`;
    const archive = tarOf({ [long]: 'x', 'b.js': 'y'.repeat(600) });
    expect(Object.keys(readTar(archive))).toEqual([long, 'b.js']);
    expect(Buffer.from(readTar(archive)['b.js'] ?? '').toString()).toBe('y'.repeat(600));
    expect(() => readTar(archive.subarray(0, 1700))).toThrow('ends early');
  });
});
