/** A shell in which `sonde` is the built binary, with a home of its own. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface ShellResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shell {
  /** The working folder, empty at first. */
  readonly folder: string;
  readonly home: string;
  /** Runs a script with `bash -euo pipefail`. */
  run(script: string, env?: Readonly<Record<string, string>>): Promise<ShellResult>;
  /** Stops what was started in the background and removes everything. */
  close(): Promise<void>;
}

/** Opens a shell. A service that a script starts listens on a free port instead of the default one. */
export function openShell(env: Readonly<Record<string, string>> = {}): Shell {
  const root = mkdtempSync(join(tmpdir(), 'sonde-shell-'));
  const [home, bin, folder] = ['home', 'bin', 'folder'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, bin, folder]) mkdirSync(path);
  const script = `#!/bin/sh
case "$1 $2 $*" in
  *--listen*) ;;
  "service start "*) set -- "$@" --listen 127.0.0.1:0 ;;
esac
exec ${process.execPath} ${resolve('dist/sonde.cjs')} "$@"
`;
  writeFileSync(join(bin, 'sonde'), script);
  chmodSync(join(bin, 'sonde'), 0o755);
  const shell: Shell = {
    folder,
    home,
    run: (text, more = {}) =>
      new Promise((done, fail) => {
        const { PATH = '', LANG = 'C.UTF-8' } = process.env;
        const child = spawn('bash', ['-euo', 'pipefail', '-c', text], {
          cwd: folder,
          env: { PATH: `${bin}:${PATH}`, LANG, HOME: home, ...env, ...more },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const out: Buffer[] = [];
        const err: Buffer[] = [];
        child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
        child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
        child.once('error', fail);
        child.once('close', (code) =>
          done({
            code: code ?? -1,
            stdout: Buffer.concat(out).toString(),
            stderr: Buffer.concat(err).toString(),
          }),
        );
      }),
    async close() {
      await shell.run('sonde service stop');
      rmSync(root, { recursive: true, force: true });
    },
  };
  return shell;
}
