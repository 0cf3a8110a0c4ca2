/** `sonde browser install` as its users run it: a browser that works is there in the end, or all is as it was. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { errorOf } from '../support/binary.ts';
import { serveDownloads } from '../support/browser-downloads.ts';
import { needs } from '../support/needs.ts';
import { installWorld, nothingInstalled } from './browser-install-world.ts';

it("takes Playwright's browser, and says what it did as JSON", async (context) => {
  // The script that is downloaded runs a browser that is a part of the system: a cell sees no other.
  needs('chromium')(context);
  const { home, data, installFromPlaywright: install, works, left, temporary } = await installWorld();
  const downloads = await serveDownloads({ playwright: works });
  const { code, stdout, stderr } = await install(downloads.env(home), '--json');
  expect(code, stderr).toBe(0);
  const told = JSON.parse(stdout);
  expect(told).toEqual({
    status: 'installed',
    version: expect.stringMatching(/^\d+(\.\d+){3}$/),
    from: expect.stringMatching(/^playwright-core@/),
    executablePath: expect.stringMatching(/chrome-headless-shell$/),
    folder: data,
  });
  expect(stderr).toContain(`Installed Chromium ${told.version} (${told.from}): ${told.executablePath}\n`);
  expect(left()).toEqual([expect.stringMatching(/^chromium-/), 'installed.json']);
  expect(readdirSync(temporary)).toEqual([]);
  // Runs under other user ids read and start it; the data folder stays its owner's.
  for (const path of [told.executablePath, dirname(told.executablePath)])
    expect(statSync(path).mode & 0o777).toBe(0o755);
  expect(statSync(data).mode & 0o777).toBe(0o700);
});

it('says why of each way, and what to do, where nothing can be had', async () => {
  const { home, installFromPlaywright: install, left, temporary } = await installWorld();
  const nothing = await serveDownloads({});
  const { code, stdout, stderr } = await install(nothing.env(home), '--json');
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(errorOf(stderr)).toMatchObject(
    nothingInstalled(expect.stringMatching(/^could not be downloaded from Playwright: .*404/)),
  );
  expect(left()).toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);
});

it.skipIf(platform() !== 'linux' || arch() !== 'x64').each([true, false])(
  'runs nothing of a package whose archive was changed, whether the registry says so (%s) or not',
  async (isHonest) => {
    const { home, installFromPlaywright: install, left, temporary } = await installWorld();
    const ran = join(home, 'ran');
    const changed = await serveDownloads({
      isHonest,
      npm: `touch ${ran}`,
      npmCode: `require('fs').writeFileSync(${JSON.stringify(ran)}, '')`,
    });
    const { code, stdout, stderr } = await install(changed.env(home), '--json');
    expect(changed.asked.includes('/chromium.tgz')).toBe(!isHonest);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(errorOf(stderr)).toMatchObject({
      details: [
        {},
        {
          place: 'Chromium (@sparticuz/chromium@147.0.0)',
          message: expect.stringContaining(
            'the checksum of @sparticuz/chromium@147.0.0 is not the expected one, so nothing of it was run',
          ),
        },
      ],
    });
    expect(existsSync(ran)).toBe(false);
    expect(left()).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

it('asks no mirror of Playwright, which could send anything', async () => {
  const { home, install, works, left } = await installWorld();
  const mirror = await serveDownloads({ playwright: works });
  const { code, stdout, stderr } = await install(mirror.env(home), '--json');
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(errorOf(stderr)).toMatchObject(
    nothingInstalled(
      'is not used, because Playwright publishes no checksums: pass --from-playwright to accept its download',
    ),
  );
  expect(mirror.asked.filter((path) => path.endsWith('.zip'))).toEqual([]);
  expect(left()).toEqual([]);
});

it('refuses a data folder that is none', async () => {
  const { home, installFromPlaywright: install } = await installWorld();
  const file = join(home, 'file');
  writeFileSync(file, '');
  const { code, stderr } = await install({}, '--data', file);
  expect(code).toBe(2);
  expect(stderr).toContain(`cannot install a browser in ${file}: `);
});
