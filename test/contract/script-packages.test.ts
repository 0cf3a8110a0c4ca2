/** The packages that scripts can import: each works, and a script that imports another one is not saved. */
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptPackages } from '../../src/contract/rules.ts';
import {
  listMissingPackages,
  mayImportPackage,
  SCRIPT_PACKAGES,
} from '../../src/contract/script-packages.ts';
import { BINARY } from '../support/binary.ts';
import { temporaryFolder } from '../support/folder.ts';

const messagesOf = (body: object) =>
  scriptPackages({ params: {}, query: {}, body }).map(({ path, message }) => [path.join('.'), message]);

it.each(Object.entries(SCRIPT_PACKAGES))(
  '%s %s is in the build, and needs nothing else',
  async (name, version) => {
    const folder = await temporaryFolder();
    await cp(join(BINARY, '../packages', name), join(folder, name), { recursive: true });
    const require = createRequire(join(folder, 'script.cjs'));
    expect(require(`./${name}/package.json`)).toMatchObject({ name, version });
    expect(Object.keys(require(`./${name}`)).length + require(`./${name}`).length).not.toBe(0);
  },
);

describe('a script', () => {
  it('lists the packages that it imports and no runtime has', () => {
    const code = `import a from 'axios'; import type { T } from 'types-only';
      import got from 'got'; export * from '@aws-sdk/client-s3/dist/x';
      const fp = require("lodash/fp"); const fs = require('fs/promises'); const os = await import('node:os');
      await import('puppeteer').catch(() => {}); import './near'; // require('left-pad')
      /* import 'request'; */`;
    expect(listMissingPackages(code)).toEqual(['got', '@aws-sdk/client-s3']);
  });

  it.each(Object.keys(SCRIPT_PACKAGES))('may import %s, in any way that Node knows', (name) => {
    for (const code of [`import a from "${name}"`, `require('${name}')`, `await import(\`${name}\`)`])
      expect(mayImportPackage(code)).toBe(true);
    expect(mayImportPackage(`import '${name}-2'; import './${name}'; // ${name}`)).toBe(false);
  });

  it('is refused with the names of the packages that exist, wherever it is', () => {
    const message = expect.stringMatching(
      /^imports got, which scripts do not have. They can import @playwright\/test, .*axios.*, the modules of Node.js/,
    );
    expect(messagesOf({ script: `require('got')` })).toEqual([['script', message]]);
    expect(messagesOf({ localSetupScript: `import 'got';`, localTearDownScript: `import 'axios';` })).toEqual(
      [['localSetupScript', message]],
    );
    const dependencies = [
      { path: 'a.md', content: `require('got')` },
      { path: 'a.ts', content: `require('got')` },
    ];
    expect(messagesOf({ script: '1', dependencies })).toEqual([['dependencies.1.content', message]]);
  });

  it('is saved if its check is inactive, or if its names may be paths', () => {
    const script = `import { url } from '@lib/urls';`;
    expect(messagesOf({ script, activated: false })).toEqual([]);
    expect(messagesOf({ script, dependencies: [{ path: 'tsconfig.json', content: '{}' }] })).toEqual([]);
    expect(messagesOf({ name: 'renamed' })).toEqual([]);
    expect(messagesOf({ script: null })).toEqual([]);
  });
});
