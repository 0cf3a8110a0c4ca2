/** `sonde browser install` again and again: by each way, over a browser that works or does not, and twice at a time. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorOf, watchSonde } from '../support/binary.ts';
import { serveDownloads } from '../support/browser-downloads.ts';
import { npmEnv } from '../support/package.ts';
import { BROKEN, installedIn, installWorld, nothingInstalled } from './browser-install-world.ts';

it('takes the npm package where Playwright has none or its browser does not start, and says why', async () => {
  const { home, data, install: installVerified, installFromPlaywright: install } = await installWorld();
  // A package that is accepted by its checksum is the real one.
  const real = await npmEnv();
  const missing = await serveDownloads({});
  const verified = await installVerified({ ...missing.env(home), ...real });
  expect(verified.code, verified.stderr).toBe(0);
  expect(missing.asked).toEqual([]);
  const first = await install({ ...missing.env(home), ...real }, '--force', '--json');
  expect(first.code, first.stderr).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({
    version: '147.0.7727.0',
    from: '@sparticuz/chromium@147.0.0',
  });
  expect(readdirSync(join(data, 'browser', installedIn(data).folder ?? ''))).toContain('al2023');
  expect(first.stderr).toMatch(
    /^Chromium \(playwright-core@.*\) could not be downloaded from Playwright: .*404/m,
  );

  const broken = await serveDownloads({ playwright: BROKEN });
  const second = await install({ ...broken.env(home), ...real }, '--force');
  expect(second.code, second.stderr).toBe(0);
  expect(second.stderr).toMatch(/^Chromium \(playwright-core@.*\) does not work on this machine: .+$/m);
});

it('leaves a browser that works, and replaces one that does not', async () => {
  const { home, data, installFromPlaywright: install, works, left } = await installWorld();
  const downloads = await serveDownloads({ playwright: works });
  const env = downloads.env(home);
  await install(env);
  const { folder: first = '', program = '' } = installedIn(data);
  const again = await install({}, '--json');
  expect(again.code, again.stderr).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ status: 'already-installed' });
  expect(again.stderr).toContain('is already installed: ');
  expect(again.stderr).toContain('To install it again, run: sonde browser install --force\n');

  writeFileSync(join(data, 'browser', first, program), `#!/bin/sh\n${BROKEN}\n`);
  const repaired = await install(env, '--json');
  expect(JSON.parse(repaired.stdout)).toMatchObject({ status: 'installed' });
  const { folder: second } = installedIn(data);
  expect(second).not.toBe(first);
  // Runs that began with the former one end with it.
  expect(left()).toEqual([first, second, 'installed.json'].sort());
  await install(env, '--force');
  expect(left()).toEqual([second, installedIn(data).folder, 'installed.json'].sort());
});

it('leaves all as it was where nothing can be had, and names every reason and what to do', async () => {
  const { home, data, installFromPlaywright: install, works, left } = await installWorld();
  await install((await serveDownloads({ playwright: works })).env(home));
  const before = [installedIn(data), left()];
  const nothing = await serveDownloads({ playwright: BROKEN });
  const env = nothing.env(home);
  const { code, stdout, stderr } = await install(
    { ...env, npm_config_cache: join(home, 'other') },
    '--force',
    '--json',
  );
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(errorOf(stderr)).toMatchObject(
    nothingInstalled(expect.stringContaining('does not work on this machine: ')),
  );
  expect([installedIn(data), left()]).toEqual(before);

  const changed = await serveDownloads({ playwright: BROKEN, npm: works });
  expect((await install(changed.env(home), '--force')).code).toBe(6);
  expect([installedIn(data), left()]).toEqual(before);
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'leaves all as it was after %s, and ends what downloads',
  async (signal) => {
    const { home, data, envOf, left, temporary } = await installWorld();
    const record = {
      folder: 'chromium-former',
      program: 'shell',
      version: '1',
      from: 'other',
      previous: null,
    };
    mkdirSync(join(data, 'browser/chromium-former'), { recursive: true });
    writeFileSync(join(data, 'browser/installed.json'), JSON.stringify(record));
    const hanging = await serveDownloads({ npm: 'hang' });
    const env = envOf(hanging.env(home));
    const running = watchSonde(['browser', 'install'], { env });
    await hanging.isHanging;
    running.child.kill(signal);
    const { code } = await running.ended;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    await hanging.isLeft;
    expect(installedIn(data)).toEqual(record);
    expect(left()).toEqual(['chromium-former', 'installed.json']);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

it('can run twice at the same time: both end well, and one of the browsers is in use', async () => {
  const { home, data, installFromPlaywright: install, works } = await installWorld();
  const env = (await serveDownloads({ playwright: works })).env(home);
  const runs = await Promise.all([install(env, '--force'), install(env, '--force')]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  const { folder = '', program = '' } = installedIn(data);
  expect(existsSync(join(data, 'browser', folder, program))).toBe(true);
});

it('installs into another data folder', async () => {
  const { home, installFromPlaywright: install, works } = await installWorld();
  const downloads = await serveDownloads({ playwright: works });
  const elsewhere = join(home, 'else where');
  const env = downloads.env(home);
  const { code, stderr } = await install(env, '--data', elsewhere);
  expect(code, stderr).toBe(0);
  expect(installedIn(elsewhere)).toHaveProperty('version');
  const again = await install(env, '--data', elsewhere);
  expect(again.stderr).toContain(`run: sonde browser install --data '${elsewhere}' --force\n`);
});

it('warns that another browser is named', async () => {
  const { home, installFromPlaywright: install, works } = await installWorld();
  const downloads = await serveDownloads({ playwright: works });
  const { stderr } = await install({ ...downloads.env(home), SONDE_BROWSER: '/opt/chrome' });
  expect(stderr).toContain(
    'Warning: SONDE_BROWSER is set, so browser checks use another browser: /opt/chrome\n',
  );
});
