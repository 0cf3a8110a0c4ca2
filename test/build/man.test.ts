/** The man pages: each is well formed, and reads in `man` as the help of its command does. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../scripts/build.mjs';
import { commandFiles } from '../../scripts/manifest.mjs';
import { needs } from '../support/needs.ts';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '../../dist/man');

beforeAll(async () => void (await build()));

/** The paths of all pages, from `dist/man` on. */
const pages = async (): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true })).filter((path) => /\.\d$/.test(path));

/** A page such as `sonde.1` as `man` shows it in a terminal of 80 columns, without its bold and underlined letters. */
async function shown(page: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    LC_ALL: 'C.UTF-8',
    MANWIDTH: '80',
    MANPAGER: 'cat',
    MAN_KEEP_FORMATTING: '',
  };
  const [, name = '', section = ''] = /^(.*)\.(\d)$/.exec(page) ?? [];
  const { stdout } = await run('man', ['-M', folder, section, name], { env });
  return stdout;
}

/** The first lines of sections, as they stand at the left edge. */
const headingsOf = (text: string): readonly string[] => text.match(/^[A-Z][A-Z ]+$/gm) ?? [];

describe('man pages', () => {
  it('are there for every command', async () => {
    const wanted = (await commandFiles()).map(({ name }) => `man1/sonde-${name.replace(' ', '-')}.1`);
    expect(await pages()).toEqual(
      expect.arrayContaining(['man1/sonde.1', 'man7/sonde-exit-codes.7', ...wanted]),
    );
  });

  describe('as mandoc judges them', () => {
    beforeEach(needs('mandoc'));

    it('hold nothing to complain about', async () => {
      for (const page of await pages()) {
        const { stdout } = await run('mandoc', ['-Tlint', '-W', 'style,stop', join(folder, page)]).catch(
          (error: { stdout: string }) => error,
        );
        // A line to be copied may be long.
        const complaints = stdout
          .split('\n')
          .filter((line) => line !== '' && !line.includes('longer than 80 bytes'));
        expect(complaints).toEqual([]);
      }
    });
  });

  describe('as man shows them', () => {
    beforeEach(needs('man', 'man-db'));

    it('tell of a command what its help does', async () => {
      const text = await shown('sonde-checks-create-dns.1');
      expect(headingsOf(text)).toEqual([
        'NAME',
        'SYNOPSIS',
        'DESCRIPTION',
        'OPTIONS',
        'EXIT STATUS',
        'EXAMPLES',
        'SEE ALSO',
      ]);
      expect(text).toContain('sonde-checks-create-dns - Create a DNS check');
      expect(text).toMatch(/^ {3}Schedule and locations$/m);
      expect(text).toMatch(/^ {3}Required flags$/m);
      expect(text).toMatch(/^ {7}--degraded-response-time number$/m);
      // What is copied from a page can be typed: no typeset hyphen, quote or caret, and no broken name.
      expect(text).toContain("sonde checks create-dns -f check.yaml --assert 'RESPONSE_CODE EQUALS NOERROR'");
      expect(text).toContain('eu-central-1');
      expect(text).not.toMatch(/[\u2010\u2018\u2019\u201c\u201d\u00ad]/);
    });

    it('keep prose within the width', async () => {
      const text = await shown('sonde.1');
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(headingsOf(text)).toEqual([
        'NAME',
        'SYNOPSIS',
        'DESCRIPTION',
        'COMMANDS',
        'OPTIONS',
        'ENVIRONMENT',
        'FILES',
        'EXIT STATUS',
        'SEE ALSO',
      ]);
    });

    it('name no file of the machine that built them', async () => {
      for (const page of await pages()) {
        expect(await readFile(join(folder, page), 'utf8')).not.toContain(process.env.HOME ?? '/root');
      }
      expect(await shown('sonde-files.7')).toContain('~/.config/sonde/config.yaml');
    });

    it('keep a backslash, a leading dot and a jq expression as they are', async () => {
      expect(await shown('sonde-formatting.7')).toContain(String.raw`--jq '.[] | "\(.status) \(.name)"'`);
      expect(await shown('sonde-files.7')).toMatch(/^ {7}\.sonderc, \.sonderc\.yaml, \.sonderc\.json$/m);
    });
  });
});
