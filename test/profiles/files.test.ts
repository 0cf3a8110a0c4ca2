/** The files as they are found: damaged ones, loose ones, and those of a project that means harm. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { loadProfiles } from '../../src/profiles/resolve.ts';
import { makeHome, rejection } from './support/home.ts';

const USER_FILE = 'current: p\nprofiles:\n  p:\n    baseUrl: https://api.example.com\n    apiKey: hunter2\n';

test.each([0o644, 0o640, 0o604, 0o620])(
  'a user file of mode %o gets a warning that names chmod',
  async (mode) => {
    const { context, writeUserFile, warnings } = makeHome();
    const path = writeUserFile(USER_FILE);
    chmodSync(path, mode);
    await loadProfiles(context());
    expect(warnings).toEqual([expect.stringContaining(`chmod 600 ${path}`)]);
  },
);

test.each([
  ['profiles:\n  p:\n    apiKey: "hunter2\n', /:\d+:\d+: YAML: the closing " is missing/],
  ['current: p\nprofiles:\n  p:\n  baseUrl: x\n   apiKey: hunter2\n', /:4:\d+: YAML: wrong indentation/],
  ['profiles:\n  p:\n    apiKey: *hunter2\n', /:3:\d+: YAML: unresolved alias$/],
  ['profiles:\n  p:\n    apiKey: !hunter2 x\n', /:3:\d+: YAML: unknown tag$/],
  ['profiles:\n  p:\n    apiKey: a\n    apiKey: hunter2\n', /:4:\d+: duplicate key$/],
  ['%hunter2\n---\ncurrent: p\n', /:1:\d+: YAML: bad directive$/],
  ['profiles:\n  p:\n    apiKey: !!int 12\n', /:3:\d+: YAML: unknown tag$/],
  ['current: p\nprofiles: [hunter2]\n', /:2: profiles must map names/],
  ['current: p\nprofiles:\n  p: hunter2\n', /:3: profile "p" must contain settings/],
  ['profiles:\n  p:\n    apiKey: hunter2\n', /:2: profile "p" has no baseUrl/],
  ['profiles:\n  p:\n    baseUrl: https://x:hunter2@example.com\n', /:3: baseUrl must not contain a user/],
  [
    'profiles:\n  p:\n    baseUrl: https://example.com\n    apiKey: [hunter2]\n',
    /:4: apiKey must be a string/,
  ],
  [
    'profiles:\n  p:\n    baseUrl: https://e.com\n    accountHeader: Authorization\n',
    /:4: accountHeader is a reserved header/,
  ],
  [
    'profiles:\n  p:\n    baseUrl: https://e.com\n    insecure: hunter2\n',
    /:4: insecure must be true or false/,
  ],
  [
    'profiles:\n  p: {baseUrl: "https://e.com",\n    apiKey: hunter2,\n    apiKeyCommand: x}\n',
    /:4: .*are mutually exclusive/,
  ],
  ['profiles:\n  "a b":\n    baseUrl: https://e.com\n', /:2: a key of profiles is not a valid profile name/],
  ['- hunter2\n', /must contain the keys/],
])(
  'the damaged user file %j is told by file, line and rule, and nothing of it is shown',
  async (text, rule) => {
    const { context, writeUserFile } = makeHome();
    const path = writeUserFile(text);
    const error = await rejection(loadProfiles(context()));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toMatch(rule);
    expect((error as UsageError).message).toContain(path);
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  },
);

test('all that is wrong with a file is told at once', async () => {
  const { context, writeUserFile } = makeHome();
  const path = writeUserFile('profiles:\n  a:\n    baseUrl: nowhere\n  b:\n    accountId: x\n');
  const error = (await rejection(loadProfiles(context()))) as UsageError;
  expect(error.details.map(({ place }) => place)).toEqual([`${path}:3`, `${path}:4`]);
});

test('a key that this version does not know earns a warning with the nearest one', async () => {
  const { context, writeUserFile, warnings } = makeHome();
  const path = writeUserFile(`${USER_FILE}    acountId: a\n`);
  await loadProfiles(context());
  expect(warnings).toEqual([`${path}:6: unknown key "acountId"; did you mean accountId?`]);
});

test('a key of digits stays the text that it was', async () => {
  const { context, writeUserFile } = makeHome();
  writeUserFile(USER_FILE.replace('hunter2', '0123456789'));
  const key = await (await loadProfiles(context())).apiKey?.();
  expect(key?.reveal()).toBe('0123456789');
});

test.each(['', '# nothing yet\n', '---\n', 'profiles:\n', '\ufeffcurrent:\n'])(
  'the empty user file %j holds no profile',
  async (text) => {
    const { context, writeUserFile } = makeHome();
    writeUserFile(text);
    expect((await loadProfiles(context())).profileName).toBeUndefined();
  },
);

test.each([
  ['.sonderc', 'accountId: found'],
  ['.sonderc', '{"accountId": "found"}'],
  ['.sonderc.yaml', 'accountId: found'],
  ['.sonderc.json', '\ufeff{\n\t"accountId":\t"found"\n}'],
  ['package.json', '{\n\t"name": "x", "name": "y",\n\t"sonde": {"accountId": "found"}\n}'],
])('a project file %s is found from a folder below it', async (name, text) => {
  const home = makeHome();
  const path = home.write(join(home.project, name), text);
  const below = join(home.project, 'a', 'b');
  mkdirSync(below, { recursive: true });
  home.write(join(home.project, 'a', 'package.json'), '{"name": "sonde", "dependencies": {"sonde": "1"}}');
  const { accountId, sources } = await loadProfiles(home.context({}, {}, below));
  expect(accountId).toBe('found');
  expect(sources.accountId).toEqual({ from: 'project file', path });
});

test('the nearest project file counts alone, and none above the home folder counts', async () => {
  const home = makeHome();
  home.write(join(home.home, '.sonderc'), 'accountId: outer');
  const inner = home.write(join(home.project, '.sonderc'), 'profile: p');
  home.writeUserFile(USER_FILE);
  const resolution = await loadProfiles(home.context());
  expect(resolution.accountId).toBeUndefined();
  expect(resolution.sources.profileName).toEqual({ from: 'project file', path: inner });

  const inWork = { ...home.context(), home: join(home.home, 'work'), cwd: join(home.home, 'work') };
  expect((await loadProfiles(inWork)).accountId).toBeUndefined();
});

test.each(['baseUrl', 'apiKey', 'apiKeyCommand', 'insecure', 'accountHeader', 'current', 'profiles'])(
  'a project file that brings %s is refused, naming file, line and key',
  async (key) => {
    const home = makeHome();
    home.writeUserFile(USER_FILE);
    for (const [name, text, line] of [
      ['.sonderc.yaml', `accountId: a\n${key}: touch ran\n`, 2],
      ['package.json', `{\n  "name": "x",\n  "sonde": {\n    "${key}": "touch ran"\n  }\n}`, 4],
    ] as const) {
      const folder = join(home.project, name.replaceAll('.', '-'));
      const path = home.write(join(folder, name), text);
      const error = (await rejection(loadProfiles(home.context({}, {}, folder)))) as UsageError;
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).toContain(`${path}:${line}: a project file must not contain ${key}`);
      expect(inspect(error)).not.toContain('touch ran');
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    }
  },
);

test.each([{}, { SONDE_BASE_URL: 'https://api.example.com' }])(
  'a cloned project cannot lead the key of the environment elsewhere, whatever else is set: %j',
  async (env) => {
    const home = makeHome();
    const path = home.write(
      join(home.project, '.sonderc'),
      'accountId: a\nbaseUrl: https://evil.example.com\n',
    );
    const error = (await rejection(
      loadProfiles(home.context({ ...(env as Record<string, string>), SONDE_API_KEY: 'hunter2' })),
    )) as UsageError;
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(`${path}:2: a project file must not contain baseUrl`);
    expect(error.hint).toMatch(/SONDE_BASE_URL.*--base-url.*profile/);
  },
);

test('an unknown key in a project file is refused with the nearest one', async () => {
  const home = makeHome();
  home.write(join(home.project, '.sonderc'), 'profil: x');
  const error = (await rejection(loadProfiles(home.context()))) as UsageError;
  expect(error.details).toEqual([expect.objectContaining({ nearest: 'profile' })]);
});

test.each([
  ['.sonderc.json', '{"profile": hunter2}'],
  ['.sonderc.json', '{"profile": "p", // hunter2\n}'],
  ['package.json', '{"sonde": {"profile": hunter2'],
  ['.sonderc', 'profile: "hunter2'],
  ['.sonderc', '- hunter2'],
  ['.sonderc', 'profile: ../../hunter2'],
])('the damaged project file %s %j is refused, naming it', async (name, text) => {
  const home = makeHome();
  const path = home.write(join(home.project, name), text);
  const error = (await rejection(loadProfiles(home.context()))) as UsageError;
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toContain(path);
  expect(inspect(error)).not.toContain('hunter2');
});

test('a project file pulls in no other file', async () => {
  const home = makeHome();
  home.writeUserFile(USER_FILE);
  home.write(join(home.project, '.sonderc'), `$import: ${home.userFile}`);
  const error = await rejection(loadProfiles(home.context()));
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain('unknown key "$import"');
});

test('no code of a project runs, wherever configuration tools look for it', async () => {
  const home = makeHome();
  const ran = join(home.home, 'ran');
  const code = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, ''); module.exports = {accountId: 'evil'};`;
  const outer = dirname(home.project);
  for (const place of ['.config/config', '.sonderc', 'sonde.config', '.config/sonderc']) {
    for (const extension of ['js', 'cjs', 'mjs', 'ts']) {
      for (const folder of [home.project, outer]) home.write(join(folder, `${place}.${extension}`), code);
    }
  }
  home.write(join(home.project, '.config', 'sonderc'), 'accountId: evil');
  home.write(join(outer, '.sonderc'), 'accountId: good');
  const before = process.cwd();
  process.chdir(home.project);
  try {
    expect((await loadProfiles(home.context())).accountId).toBe('good');
  } finally {
    process.chdir(before);
  }
  expect(existsSync(ran)).toBe(false);
});

/** Code that leaves a trace if it runs, and files that cosmiconfig reads as its configuration. */
const traceOf = (path: string): string =>
  `require('node:fs').writeFileSync(${JSON.stringify(path)}, ''); module.exports = { accountId: 'evil' };`;

test.each<[string, Readonly<Record<string, string>>]>([
  ['.config/config.js', { '.config/config.js': 'CODE' }],
  ['.config/config.cjs', { '.config/config.cjs': 'CODE' }],
  ['.config/config.mjs', { '.config/config.mjs': "import 'node:fs'; CODE" }],
  ['.config/config.ts', { '.config/config.ts': 'CODE' }],
  [
    'a package.json that names code',
    {
      'package.json': '{"cosmiconfig": {"searchPlaces": ["evil.js"], "mergeSearchPlaces": false}}',
      'evil.js': 'CODE',
    },
  ],
  [
    'a package.json that spells its key otherwise',
    { 'package.json': '{"cosmi\\u0063onfig": {"searchPlaces": ["evil.cjs"]}}', 'evil.cjs': 'CODE' },
  ],
  ['a package.json with loaders', { 'package.json': '{"cosmiconfig": {"loaders": {"noExt": "./evil.js"}}}' }],
  ['a package.json with a transform', { 'package.json': '{"cosmiconfig": {"transform": "x"}}' }],
  ['a damaged package.json', { 'package.json': '{' }],
  ['an empty package.json', { 'package.json': '' }],
  ['a package.json without keys', { 'package.json': 'null' }],
  ['package.yaml', { 'package.yaml': 'cosmiconfig:\n  searchPlaces: [evil.ts]\n', 'evil.ts': 'CODE' }],
  ['.config/config.json', { '.config/config.json': '{"searchPlaces": ["evil.mjs"]}', 'evil.mjs': 'CODE' }],
  ['.config/config.yaml', { '.config/config.yaml': '$import: ../evil.js', 'evil.js': 'CODE' }],
  ['.config/config.yml', { '.config/config.yml': 'a: !!js/function "CODE"' }],
])('%s in the working folder neither runs nor changes what is read', async (_what, files) => {
  const home = makeHome();
  const ran = join(home.home, 'ran');
  for (const [name, text] of Object.entries(files)) {
    home.write(
      join(home.project, name),
      text.replace('CODE', () => traceOf(ran)),
    );
  }
  home.write(join(home.project, '.sonderc'), 'accountId: good');
  const before = process.cwd();
  process.chdir(home.project);
  try {
    expect((await loadProfiles(home.context())).accountId).toBe('good');
  } finally {
    process.chdir(before);
  }
  expect(existsSync(ran)).toBe(false);
});

const MAKE_PIPE = 'mkfifo';
const makePipe = (path: string) => execFileSync(MAKE_PIPE, [path]);

test.runIf(existsSync('/dev/zero'))(
  'what would be read for ever is refused, whatever leads there',
  async () => {
    const { context, project, writeUserFile } = makeHome();
    const asked = () => loadProfiles(context({ SONDE_API_KEY: 'k', SONDE_BASE_URL: 'https://e.com' }));
    const file = join(project, '.sonderc');
    symlinkSync('/dev/zero', file);
    expect(await rejection(asked())).toMatchObject({ exitCode: 2, message: `${file}: is no regular file` });
    rmSync(file);
    makePipe(file);
    expect(await rejection(asked())).toMatchObject({ message: `${file}: is no regular file` });
    rmSync(file);
    writeFileSync(file, '');
    truncateSync(file, 5_000_000_000);
    expect(await rejection(asked())).toMatchObject({ message: `${file}: is larger than 1 MB` });
    rmSync(file);
    // Of a package.json nobody expects that it has anything of ours.
    symlinkSync('/dev/zero', join(project, 'package.json'));
    expect(await asked()).toMatchObject({ baseUrl: 'https://e.com' });
    writeFileSync(file, '');
    expect(await asked()).toMatchObject({ baseUrl: 'https://e.com' });
    const config = writeUserFile('');
    rmSync(config);
    makePipe(config);
    expect(await rejection(asked())).toMatchObject({
      message: `cannot read ${config} (is no regular file)`,
    });
  },
);
