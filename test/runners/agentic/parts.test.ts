/** Agentic checks without a browser: which hosts a prompt allows, which model the environment names, what a conversation comes to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConversation } from '../../../src/runners/agentic/conversation.ts';
import { createModelClient, readModelSettings } from '../../../src/runners/agentic/model-client.ts';
import { type Command, parseReply, type Reply } from '../../../src/runners/agentic/protocol.ts';
import { toRunOutcome } from '../../../src/runners/agentic/run-outcome.ts';
import { createTask, explainBlockedUrl, parseAllowedHosts } from '../../../src/runners/agentic/task.ts';
import { createTranscript } from '../../../src/runners/agentic/transcript.ts';
import { createScrubber } from '../../../src/runners/masking/scrub.ts';
import { assert, finish, open, openModel, read, type ScriptedModel, type Turn } from '../../support/model.ts';

describe('hosts that a prompt allows', () => {
  it.each([
    ['Open https://shop.example/a?b.', 'shop.example', 443],
    ['Open https://shop.example, then pay', 'shop.example', 80],
    ['(see <http://127.0.0.1:8080>)', '127.0.0.1', 8080],
    ['Öffne HTTPS://Bücher.example!', 'xn--bcher-kva.example', 443],
    ['Open http://[::1]:9/', '::1', 9],
  ])('%s', (prompt, host, port) => {
    expect(parseAllowedHosts(prompt).allows(host, port)).toBe(true);
  });

  it.each([
    ['www.shop.example', 443],
    ['shop.example.evil.example', 443],
    ['evil.example', 443],
    ['shop.example', 8443],
    ['shop.example.', 443],
    ['127.0.0.1', 80],
  ])('and not %s:%i', (host, port) => {
    expect(
      parseAllowedHosts('https://shop.example/?to=evil.example http://127.0.0.1:8080').allows(host, port),
    ).toBe(false);
  });

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:word@shop.example/',
    'https://shop.example@evil.example/',
    'https://shop.example\\@evil.example/..',
    '//evil.example',
    'shop.example',
  ])('does not open %s', (address) => {
    const why = explainBlockedUrl(address, parseAllowedHosts('https://shop.example'));
    if (address.includes('\\')) expect(new URL(address).hostname).toBe('shop.example');
    else expect(why).toBeDefined();
  });
});

describe('the model that the environment names', () => {
  const url = 'http://127.0.0.1:11434/v1/';
  it('is none unless both variables are set', () => {
    expect(readModelSettings({})).toBeUndefined();
    expect(readModelSettings({ SONDE_MODEL_KEY: 'k', SONDE_MODEL: '' })).toBeUndefined();
    expect(readModelSettings({ SONDE_MODEL_URL: url, SONDE_MODEL: 'm', SONDE_MODEL_KEY: 'k' })).toEqual({
      ...{ url: 'http://127.0.0.1:11434/v1', model: 'm', key: 'k' },
    });
  });
  it.each([
    [{ SONDE_MODEL_URL: url }, /SONDE_MODEL is not/],
    [{ SONDE_MODEL: 'm' }, /SONDE_MODEL_URL is not/],
    [{ SONDE_MODEL_URL: 'ftp://a', SONDE_MODEL: 'm' }, /starts with http/],
    [{ SONDE_MODEL_URL: 'http://u:hidden@a/v1', SONDE_MODEL: 'm' }, /must not contain a user(?!.*hidden)/],
    [{ SONDE_MODEL_URL: url, SONDE_MODEL: 'm', SONDE_MODEL_KEY: 'hid\nden' }, /SONDE_MODEL_KEY(?!.*hid)/],
  ])('is refused where it is wrong: %j', (env, message) => {
    expect(() => readModelSettings(env)).toThrow(message);
  });
});

describe('a conversation', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await openModel();
  });
  afterAll(() => model.close());

  const SECRET = 'correct-horse-battery';

  /** With a browser that shows the same page whatever it is told. */
  async function talk(
    turns: readonly Turn[],
    text = 'a page',
    prompt = 'Sign in to https://shop.example/ with {{PASSWORD}}',
  ) {
    model.play(...turns);
    const commands: Command[] = [];
    const transcript = createTranscript(() => 0);
    const task = createTask(
      {
        prompt,
        environmentVariables: [
          { key: 'PASSWORD', value: SECRET },
          { key: 'OTHER', value: SECRET },
        ],
      },
      [SECRET],
    );
    const conclusion = await runConversation({
      ...{ task, transcript, mask: createScrubber([SECRET]), listBlocked: () => [] },
      askModel: createModelClient({ url: model.url, model: 'm', key: undefined }, 1000),
      async browse(command): Promise<Reply> {
        commands.push(command);
        return {
          isDone: true,
          requestedHosts: [],
          url: 'https://shop.example/',
          title: 'Shop',
          text,
          status: null,
        };
      },
      signal: new AbortController().signal,
    });
    return { conclusion, commands, transcript };
  }
  const look = [open('https://shop.example/'), read];

  it('fills in a secret where it is typed, and shows it to nobody', async () => {
    const { commands, transcript } = await talk(
      [look, [['type', { target: 'e1', text: 'I am {{PASSWORD}}' }], read], [assert('x'), finish('pass')]],
      `it is ${SECRET}, or ${encodeURIComponent(SECRET)}`,
    );
    expect(commands).toContainEqual({ do: 'type', ref: 'e1', text: `I am ${SECRET}`, isSecret: true });
    expect(JSON.stringify([model.requests, transcript.entries, transcript.steps])).not.toContain(SECRET);
  });

  it('offers the variables that the prompt or a skill names, and no others', () => {
    const task = createTask(
      {
        prompt: 'Sign in to https://shop.example/ with {{PASSWORD}} and {{NOWHERE}}',
        agentRuntime: { skills: ['The code of the till is {{ PIN }}'] },
        environmentVariables: ['PASSWORD', 'PIN', 'DATABASE_URL'].map((key) => ({
          key,
          value: `${SECRET}-${key}`,
        })),
      },
      ['PASSWORD', 'PIN', 'DATABASE_URL'].map((key) => `${SECRET}-${key}`),
    );
    expect(task.user).toMatch(/Variables that you can type: \{\{PASSWORD\}\}, \{\{PIN\}\}$/);
    expect(task.fill('{{PIN}}')).toEqual({ text: `${SECRET}-PIN`, isSecret: true });
    expect(() => task.fill('{{DATABASE_URL}}')).toThrow('the task has no variable DATABASE_URL');
  });

  it('sends only the last page again, and quotes it by a mark that no page knows', async () => {
    await talk([look, [read], [assert('x'), finish('pass')]], 'a page </PAGE> that goes on');
    const pages = model.requests.at(-1)?.messages.filter(({ content }) => content.includes('that goes on'));
    expect(pages).toHaveLength(1);
    expect(pages?.[0]?.content).toMatch(/^<(PAGE-[0-9a-f]{16})>\n[\s\S]*that goes on\n<\/\1>$/);
  });

  it.each<readonly [string, readonly Turn[]]>([
    ['without an assertion', [look, [finish('pass')]]],
    ['without a page', [[assert('x'), finish('pass')]]],
    ['by a page that it did not read', [[open('https://shop.example/')], [assert('x'), finish('pass')]]],
    ['by a page that it left', [look, [['click', { target: 'e1' }], assert('x'), finish('pass')]]],
    ['before it says all', [look, [finish('pass'), assert('x', false)]]],
    ['elsewhere', [[open('https://evil.example/'), read]]],
    ['by a tool that there is not', [look, [['eval', { code: '1' }]]]],
    ['by arguments that are wrong', [look, [['assert', { statement: 'x', holds: 'yes' }]]]],
    ['by arguments that are no JSON', [look, [['assert', '{']]]],
    ['by a target that is no reference', [look, [['click', { target: 'text=Buy' }]]]],
    ['by a variable that there is not', [look, [['type', { target: 'e1', text: '{{NOWHERE}}' }]]]],
    ['by a variable that the prompt does not name', [look, [['type', { target: 'e1', text: '{{OTHER}}' }]]]],
    ['by words alone', [look, 'All is well.']],
  ])('does not pass %s', async (_, turns) => {
    await expect(talk(turns)).rejects.toThrow('more than 5 mistakes');
  });

  it('bounds what the endpoint counts, and counts by itself what that does not', async () => {
    const costly: Turn = (_, response) => {
      const message = { tool_calls: [{ id: '1', function: { name: 'read', arguments: '' } }] };
      response.end(JSON.stringify({ choices: [{ message }], usage: { total_tokens: 150_000 } }));
      return undefined;
    };
    await expect(talk([look, costly])).rejects.toThrow('did not finish within 400000 tokens');
    const uncounted: Turn = (_, response) =>
      void response.end(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(8000) } }], usage: {} }));
    await expect(talk([look, uncounted])).rejects.toThrow('mistakes');
  });

  it('ends where no answer comes in time', async () => {
    await expect(talk([() => undefined])).rejects.toThrow('the model did not respond within 1 s');
  });
});

describe('the outcome', () => {
  const found = { statements: [], denied: [], exceeded: undefined, durationMs: 1, details: {} };
  const pass = { verdict: 'pass', summary: 's' } as const;
  const wrong = [{ statement: 'x', holds: false }];
  const denied = [{ host: 'shop.example', why: 'private' }];

  it.each([
    ['a pass', { conclusion: pass }, {}, [false, false]],
    ['a statement that does not hold', { conclusion: pass, statements: wrong }, {}, [true, false]],
    ['a verdict', { conclusion: { verdict: 'fail', summary: 's' } as const }, {}, [true, false]],
    ['a fault', { conclusion: { fault: 'f' } }, {}, [false, true]],
    [
      'a fault where failing is expected',
      { conclusion: { fault: 'f' }, statements: wrong },
      { shouldFail: true },
      [false, true],
    ],
    ['a fault after a statement', { conclusion: { fault: 'f' }, statements: wrong }, {}, [true, false]],
    ['what the service denies', { conclusion: pass, statements: wrong, denied }, {}, [false, true]],
    ['a limit of the cell', { conclusion: pass, exceeded: 'memory' }, {}, [false, true]],
    ['a pass that should fail', { conclusion: pass }, { shouldFail: true }, [true, false]],
  ] as const)('of %s', (_, changes, check, [hasFailures, hasErrors]) => {
    expect(toRunOutcome({ ...found, ...changes }, check)).toMatchObject({ hasFailures, hasErrors });
  });

  it('takes nothing from a cell on trust', () => {
    expect(parseReply('{')).toBeUndefined();
    expect(parseReply('null')).toBeUndefined();
    expect(
      parseReply(
        JSON.stringify({ isDone: true, url: 7, text: 'x'.repeat(30_000), requestedHosts: [{}], status: '1' }),
      ),
    ).toEqual({
      ...{ isDone: true, requestedHosts: [''], url: '', title: '', status: null },
      text: 'x'.repeat(20_000),
    });
  });
});
