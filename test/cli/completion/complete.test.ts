/** What is offered at each place of a command line, read off the commands there are. */
import { describe, expect, it } from 'vitest';
import { complete } from '../../../src/cli/completion/complete.ts';
import type { CompletionSources } from '../../../src/cli/completion/shells/completion.ts';
import { reference } from '../../../src/cli/generated/reference.ts';

const SESSION = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10';
const sources: CompletionSources = {
  serviceKeys: async (options) => [{ value: 'key-1', description: options.get('data')?.[0] ?? 'first key' }],
  profiles: async () => [{ value: 'local', description: 'http://127.0.0.1:4100' }, { value: 'staging' }],
  variables: () => ['SHOP_URL', 'SHOP_USER', 'HOME'],
  recent: async (of, options) => [
    { value: SESSION, description: `${of} of ${options.get('profile')?.join() ?? 'nobody'}` },
    { value: '12' },
  ],
};

/** `|` stands for the cursor; spaces part words. */
async function at(line: string) {
  const [head = '', tail = ''] = line.split('|');
  const before = head.split(' ');
  const current = before.pop() ?? '';
  const after = tail.split(' ').slice(1);
  return complete(reference, { before, current, after }, sources);
}
const values = async (line: string) => {
  const { prefix, words } = await at(line);
  return words.map(({ value }) => `${prefix}${value}`);
};

describe('completion', () => {
  it('offers nouns and commands of one word, and after a noun its verbs', async () => {
    expect(await values('|')).toEqual(expect.arrayContaining(['checks', 'login', 'sessions', 'completion']));
    expect(await values('ses|')).toEqual(['sessions']);
    const { words } = await at('sessions |');
    expect(words).toContainEqual({ value: 'get', description: 'Show a check session' });
    expect(await values('sessions l|')).toEqual(['list', 'logs']);
    expect(await values('nonsense |')).toEqual([]);
  });

  it('offers topics behind help, and commands as well', async () => {
    expect(await values('he|')).toEqual(['help']);
    expect(await values('help exit|')).toEqual(['exit-codes']);
    expect(await values('help |')).toEqual(expect.arrayContaining(['sessions', 'login', 'locations']));
    expect(await values('help sessions l|')).toEqual(['list', 'logs']);
    expect(await values('help sessions list |')).toEqual([]);
  });

  it('finds the command behind options that stand before it', async () => {
    expect(await values('--profile staging sessions l|')).toEqual(['list', 'logs']);
    expect(await values('--profile=staging --json ses|')).toEqual(['sessions']);
  });

  it('offers the options of the command, and none twice but those that repeat', async () => {
    expect(await values('sessions list --st|')).toEqual(['--status']);
    expect(await values('sessions list --status FAILED --st|')).toEqual([]);
    expect(await values('sessions list --st| --status FAILED')).toEqual([]);
    expect(await values('sessions wait --report junit:a --rep|')).toEqual(['--report']);
    expect(await values('sessions list -o json --outp|')).toEqual([]);
    expect(await values('sessions list -qy --q|')).toEqual([]);
    expect(await values('sessions list -ojson --outp|')).toEqual([]);
  });

  it('offers what is off by default only as that, and the opposite of a switch where it is begun', async () => {
    expect(await values('sessions list --no-c|')).toEqual(['--no-color']);
    expect(await values('checks create-dns --act|')).toEqual(['--activated']);
    expect(await values('checks create-dns --no-act|')).toEqual(['--no-activated']);
    expect(await values('checks create-dns --no-activated --act|')).toEqual([]);
  });

  it('offers no deprecated option', async () => {
    expect(await values('checks create-dns --double|')).toEqual([]);
  });

  it('offers options where a command takes no further argument', async () => {
    expect(await values('static-ips |')).toContain('--json');
    expect(await values(`sessions get ${SESSION} |`)).toContain('--json');
  });

  it('offers the values that an option may have', async () => {
    expect(await values('sessions list --status F|')).toEqual(['FAILED']);
    expect(await values('sessions list --status=F|')).toEqual(['--status=FAILED']);
    expect(await values('sessions list --status f|')).toEqual(['FAILED']);
    expect(await values('checks create-dns --record-type A|')).toEqual(['A', 'AAAA']);
    expect(await values('checks create-dns --frequency 1|')).toEqual(['1', '10', '15', '120', '180', '1440']);
    expect(await values('maintenance list -o i|')).toEqual(['ical']);
    expect(await values('maintenance list -oi|')).toEqual(['-oical']);
    expect(await values('sessions list -o i|')).toEqual([]);
    expect(await values('completion z|')).toEqual(['zsh']);
    expect(await values('sessions list --limit |')).toEqual([]);
  });

  it('tells where a location is', async () => {
    const { words } = await at('test-sessions run --run-location eu-c|');
    expect(words).toEqual([{ value: 'eu-central-1', description: 'Frankfurt' }]);
  });

  it('offers one more of a list between commas, and none that is in it', async () => {
    expect(await values('checks create-dns --locations eu-west-1,eu-w|')).toEqual([
      'eu-west-1,eu-west-2',
      'eu-west-1,eu-west-3',
    ]);
    expect(await values('checks create-dns --locations eu-west-1 --locations=eu-w|')).toEqual([
      '--locations=eu-west-2',
      '--locations=eu-west-3',
    ]);
    expect(await values('sessions list --fields status,na|')).toEqual(['status,name']);
  });

  it('offers keys of the service over the folder that the line names', async () => {
    expect((await at('service keys --revoke |')).words).toEqual([
      { value: 'key-1', description: 'first key' },
    ]);
    expect((await at('service keys --data ./copy --revoke |')).words).toMatchObject([
      { description: './copy' },
    ]);
    expect(await values('service keys --create |')).toEqual([]);
  });

  it('offers source and comparison of an assertion', async () => {
    const words = async (current: string) =>
      (
        await complete(
          reference,
          { before: ['checks', 'create-dns', '--assert'], current, after: [] },
          sources,
        )
      ).words;
    expect((await words('RESP')).map(({ value }) => value)).toEqual(['RESPONSE_TIME', 'RESPONSE_CODE']);
    expect(await words('RESPONSE_CODE EQ')).toEqual([{ value: 'RESPONSE_CODE EQUALS ' }]);
    expect(await words('JSON_ANSWER($.a b) NOT_C')).toEqual([{ value: 'JSON_ANSWER($.a b) NOT_CONTAINS ' }]);
  });

  it('offers names, then values, where an option takes pairs', async () => {
    expect(await values('checks create-dns --retry-strategy ty|')).toEqual(['type=']);
    expect(await values('checks create-dns --retry-strategy maxRetries=2,type=E|')).toEqual([
      'maxRetries=2,type=EXPONENTIAL',
    ]);
    expect(await values('maintenance list --starts-at=g|')).toEqual(['--starts-at=gt=', '--starts-at=gte=']);
  });

  it('leaves files to the shell, behind what stays', async () => {
    expect(await at('checks create-dns -f |')).toMatchObject({ kind: 'files', prefix: '' });
    expect(await at('checks create-dns --script-file=a|')).toMatchObject({
      kind: 'files',
      prefix: '--script-file=',
    });
    expect(await at('checks create-dns --env-file |')).toMatchObject({ kind: 'files' });
    expect(await values('sessions wait --report ju|')).toEqual(['junit:']);
    expect(await at('sessions wait --report=junit:re|')).toMatchObject({
      kind: 'files',
      prefix: '--report=junit:',
    });
    expect(await at('service start --data |')).toMatchObject({ kind: 'folders' });
  });

  it('offers profiles, and variables of the environment', async () => {
    expect(await values('profiles use l|')).toEqual(['local']);
    expect(await values('sessions list --profile s|')).toEqual(['staging']);
    expect(await values('checks create-dns --env SHOP|')).toEqual(['SHOP_URL', 'SHOP_USER']);
    expect(await values('checks create-dns --env SHOP_URL=|')).toEqual([]);
  });

  it('offers ids of what the argument names, in the profile that is given', async () => {
    expect((await at('sessions get --profile staging |')).words[0]).toEqual({
      value: SESSION,
      description: 'session of staging',
    });
    expect((await at('checks create-dns --group-id |')).words[0]?.description).toBe('group of nobody');
    expect(await values(`sessions wait ${SESSION} |`)).toEqual(['12']);
  });

  it('takes what follows -- for arguments', async () => {
    expect(await values('sessions get -- --st|')).toEqual([]);
    expect(await values('sessions get -- |')).toEqual([SESSION, '12']);
  });
});
