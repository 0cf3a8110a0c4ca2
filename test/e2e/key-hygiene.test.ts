/** Where a key could still be seen: other processes, loose modes, odd places of the file; and whom sonde speaks with. */
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { BINARY, bareEnv, shell, sonde, watchSonde } from '../support/binary.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { needs } from '../support/needs.ts';

const KEY = 'sk-hush-hush-1';
const URL_OF_NOBODY = 'https://api.example.com';

let service: E2eService;
beforeAll(async () => {
  service = await startE2eService();
});
afterAll(() => service.close());

const configOf = (home: string) => join(home, '.config/sonde/config.yaml');
const login = ['login', '--base-url', URL_OF_NOBODY, '--no-verify'];

describe.runIf(process.platform === 'linux')('no other process has the key', () => {
  /** What a program that sonde starts writes down of itself. */
  const SPY = 'cat /proc/self/environ /proc/$$/environ /proc/$$/cmdline /proc/$PPID/cmdline > "$HOME/seen"';

  it('neither the password manager of a profile', async () => {
    const home = await temporaryFolder();
    const env = bareEnv(home, { SONDE_API_KEY: KEY });
    const command = `${SPY}; echo ${'sk-of-the-manager'}`;
    const { code, stderr } = await sonde([...login.slice(0, 3), '--api-key-command', command], { env });
    // The address is nobody's; the command ran before that was found out.
    expect(code, stderr).not.toBe(0);
    const seen = await readFile(join(home, 'seen'), 'utf8');
    expect(seen).toContain(`HOME=${home}`);
    expect(seen).not.toContain(KEY);
  });

  it('nor the service in the background', async () => {
    const home = await temporaryFolder();
    const env = bareEnv(home, { SONDE_API_KEY: KEY });
    const data = join(home, 'data');
    const started = await sonde(['service', 'start', '--detach', '--listen', '127.0.0.1:0', '--data', data], {
      env,
    });
    expect(started.code, started.stderr).toBe(0);
    try {
      const { pid } = JSON.parse(await readFile(join(data, 'service.json'), 'utf8'));
      for (const what of ['environ', 'cmdline']) {
        const text = await readFile(`/proc/${pid}/${what}`, 'utf8');
        expect(text).not.toContain(KEY);
        expect(text).toContain(what === 'environ' ? `HOME=${home}` : 'service');
      }
    } finally {
      await sonde(['service', 'stop', '--data', data], { env });
    }
  });

  it('Ctrl-C while the password manager works ends with 130, and it with it', async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, '.config/sonde'), { recursive: true });
    const command = 'echo $$ > "$HOME/pid"; while :; do sleep 0.1; done';
    const profile = { baseUrl: service.url, apiKeyCommand: command };
    const text = JSON.stringify({ current: 'p', profiles: { p: profile } });
    await writeFile(configOf(home), text, { mode: 0o600 });
    const running = watchSonde(['static-ips'], { env: bareEnv(home) });
    await eventually(async () =>
      expect(await readFile(join(home, 'pid'), 'utf8').catch(() => '')).not.toBe(''),
    );
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    const pid = (await readFile(join(home, 'pid'), 'utf8')).trim();
    // A dead one whose parent is gone may still be listed, as a zombie.
    const state = () => readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tX');
    await eventually(async () => expect(await state()).toMatch(/^State:\t[XZ]/m));
  });
});

describe('the file', () => {
  it.each(['000', '077', '777'])("is its owner's alone under the mask %s, as is its folder", async (mask) => {
    const home = await temporaryFolder();
    const line = `umask ${mask}; echo ${KEY} | sonde ${login.join(' ')}`;
    const { code, stderr } = await shell(line, { env: bareEnv(home) });
    // Under 777 not even the owner may enter what is made: that is told, and nothing is loose.
    if (mask !== '777' || process.getuid?.() === 0) expect(code, stderr).toBe(0);
    const file = await stat(configOf(home));
    expect(file.mode & 0o077).toBe(0);
    expect((await stat(join(home, '.config/sonde'))).mode & 0o077).toBe(0);
    expect(await readdir(join(home, '.config/sonde'))).toEqual(['config.yaml']);
  });

  it('that others may read is told of, and closed by the next login', async () => {
    const home = await temporaryFolder();
    const env = bareEnv(home);
    await sonde(login, { env, stdin: KEY });
    await chmod(configOf(home), 0o644);
    expect((await sonde(['profiles', 'list'], { env })).stderr).toContain(`chmod 600 ${configOf(home)}`);
    await sonde(login, { env, stdin: KEY });
    expect((await stat(configOf(home))).mode & 0o777).toBe(0o600);
  });

  it('that is a link stays one, and loses its key where it lies', async () => {
    const home = await temporaryFolder();
    const env = bareEnv(home);
    const target = join(home, 'dotfiles.yaml');
    await writeFile(target, '# mine\n', { mode: 0o600 });
    await mkdir(join(home, '.config/sonde'), { recursive: true });
    await symlink(target, configOf(home));
    await sonde(login, { env, stdin: KEY });
    expect(await readFile(target, 'utf8')).toContain(KEY);
    expect((await sonde(['logout', '--yes'], { env })).code).toBe(0);
    expect((await lstat(configOf(home))).isSymbolicLink()).toBe(true);
    expect(await readFile(target, 'utf8')).not.toContain(KEY);
    expect((await readdir(home)).filter((name) => name !== '.config')).toEqual(['dotfiles.yaml']);
  });

  it.runIf(process.platform === 'linux')(
    'that cannot be written is named, and the key is nowhere',
    async () => {
      const home = await temporaryFolder();
      // Refuses writing also to the superuser.
      const { code, stderr } = await sonde(login, {
        env: bareEnv(home, { XDG_CONFIG_HOME: '/sys' }),
        stdin: KEY,
      });
      expect(code).toBe(74);
      expect(stderr).toContain('cannot write /sys/sonde/config.yaml');
      expect(stderr).not.toContain(KEY);
    },
  );

  it('has every profile of logins at the same time', async () => {
    const home = await temporaryFolder();
    const env = bareEnv(home);
    const names = ['a', 'b', 'c', 'd'];
    const ended = await Promise.all(
      names.map((name) =>
        sonde([...login, '--profile', name, '--account', name], { env, stdin: `${KEY}-${name}` }),
      ),
    );
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { profiles } = parse(await readFile(configOf(home), 'utf8'));
    for (const name of names)
      expect(profiles[name]).toEqual({ baseUrl: URL_OF_NOBODY, apiKey: `${KEY}-${name}`, accountId: name });
    expect(Object.keys(profiles).sort()).toEqual(names);
  });
});

describe('nobody but the service', () => {
  it('is spoken with: no telemetry', async (context) => {
    needs('strace')(context);
    const home = await temporaryFolder();
    const env = bareEnv(home);
    const log = join(home, 'connects');
    const traced = (line: string) =>
      `strace -f -qq -A -o "${log}" -e trace=connect,sendto,sendmsg,sendmmsg "${process.execPath}" "${BINARY}" ${line}`;
    const lines = [
      `printf %s "$KEY" | ${traced(`login --base-url ${service.url} --account ${service.accountId}`)}`,
      ...['whoami', 'profiles list', 'profiles show', 'static-ips', 'checks run --all', '--help'].map(traced),
      ...['nonsense', 'sessions get x', 'logout --yes'].map(traced),
    ];
    await shell(lines.map((line) => `${line} || true`).join('\n'), { env: { ...env, KEY: service.key } });
    const calls = (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes('AF_INET'));
    const { port } = new URL(service.url);
    expect(calls.length).toBeGreaterThan(3);
    const elsewhere = calls.filter(
      (line) => !line.includes(`sin_port=htons(${port}), sin_addr=inet_addr("127.0.0.1")`),
    );
    expect(elsewhere).toEqual([]);
  });
});
