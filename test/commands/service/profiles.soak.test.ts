/** The profiles of many services: each has one of its own, wherever sonde runs from. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../../support/binary.ts';
import { useHome } from './saved-profiles.ts';

const { shell, configFile, saved, during } = useHome();

test('each data folder has a profile of its own, which stays; that of a folder that is gone is used again', async () => {
  await during('');
  const first = saved().profiles.local;
  const one = await during('--data one', 'sonde --profile local-2 whoami');
  expect(one.stderr).toMatch(
    /^Profile "local-2" is for this service; to select it, run: sonde profiles use local-2$/m,
  );
  await during('--data two', 'sonde --profile local-3 whoami');
  const second = saved().profiles['local-2'];
  expect(Object.keys(saved().profiles)).toEqual(['local', 'local-2', 'local-3']);

  rmSync(join(shell().folder, 'two'), { recursive: true });
  await during('--data three', 'sonde --profile local-3 whoami');
  const again = await during('--data one', 'sonde --profile local-2 whoami');
  expect(again.stderr).toMatch(/^Profile "local-2" is for this service; /m);
  const { current, profiles } = saved();
  expect([current, Object.keys(profiles)]).toEqual(['local', ['local', 'local-2', 'local-3']]);
  expect(profiles.local).toEqual(first);
  expect(profiles['local-2']?.apiKey).toBe(second?.apiKey);
  expect(profiles['local-3']?.dataFolder).toBe(join(shell().folder, 'three'));
});

test('a clone, an installation for all and another port share the profile of a service', async () => {
  mkdirSync(join(shell().folder, 'bin'));
  symlinkSync(BINARY, join(shell().folder, 'bin/sonde'));
  const { code, stderr } = await shell().run(`
    root=${join(import.meta.dirname, '../../..')}
    (cd $root; npx --no-install sonde service start --detach --listen 127.0.0.1:0)
    sonde service stop
    unset -f sonde
    PATH=$PWD/bin:$PATH
    sonde service start --detach --listen 127.0.0.1:0
    sonde whoami
    sonde service stop`);
  expect(code, stderr).toBe(0);
  expect(Object.keys(saved().profiles)).toEqual(['local']);
});

test('a profile by which the user reaches the service from elsewhere stays as it is', async () => {
  await during('');
  const { profiles } = saved();
  const elsewhere = { ...profiles.local, baseUrl: 'https://monitoring.example.com', dataFolder: undefined };
  writeFileSync(configFile(), JSON.stringify({ current: 'prod', profiles: { prod: elsewhere } }), {
    mode: 0o600,
  });
  await during('', 'sonde --profile local whoami');
  const after = saved();
  expect(after.current).toBe('prod');
  expect(after.profiles.prod).toMatchObject({ baseUrl: 'https://monitoring.example.com' });
  expect(Object.keys(after.profiles)).toEqual(['prod', 'local']);
});
