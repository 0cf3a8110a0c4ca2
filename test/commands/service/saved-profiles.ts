/** A home for tests of the profiles that `sonde service start` saves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { parse } from 'yaml';
import { openShell, type Shell } from '../../support/shell.ts';

export interface Saved {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Opens a shell with an empty home before each test, and closes it after the test. */
export function useHome() {
  let shell: Shell;
  beforeEach(() => {
    shell = openShell();
  });
  afterEach(() => shell.close());
  const configFile = () => join(shell.home, '.config/sonde/config.yaml');
  return {
    shell: () => shell,
    configFile,
    saved: () => parse(readFileSync(configFile(), 'utf8')) as Saved,
    /** Starts a service, runs `more`, and stops the service. Returns what all of them wrote. */
    async during(options: string, more = 'true') {
      const start = `sonde service start --detach --listen 127.0.0.1:0 ${options}`;
      const { code, stdout, stderr } = await shell.run(`${start}; ${more}; sonde service stop ${options}`);
      expect(code, stderr).toBe(0);
      return { stdout, stderr };
    },
  };
}
