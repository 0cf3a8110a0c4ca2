/** Templates of webhooks: what they make stays what it is, and what reaches beyond the facts is refused with its place. */
import fc from 'fast-check';
import Handlebars from 'handlebars';
import { describe, expect, it } from 'vitest';
import type { BodyOf, createAlertChannel } from '../../../../src/contract/index.ts';
import { validateChannel } from '../../../../src/service/notify/channels/index.ts';
import { compileTemplate, validateRenderedBody } from '../../../../src/service/notify/channels/template.ts';
import type { AlertFacts } from '../../../../src/service/notify/facts/alert-facts.ts';
import { unicodeText } from '../../../support/characters.ts';

type Channel = BodyOf<typeof createAlertChannel>;
const JSON_TYPE = 'application/json';
const facts = (name: string, change: Partial<AlertFacts> = {}): AlertFacts => ({
  kind: 'ALERT_FAILURE',
  ...{ at: 1000, since: 0, groupName: null, tags: [], run: null, link: null },
  check: { id: 'id', name, type: 'DNS' },
  ...change,
});
const made = (template: string, about: AlertFacts, type = JSON_TYPE) =>
  compileTemplate(template, type)(about);

describe('a template', () => {
  it('makes JSON whatever a check is called, with two braces or three', () => {
    const template = '{"two": "{{CHECK_NAME}}", "three": "{{{CHECK_NAME}}}"}';
    fc.assert(
      fc.property(unicodeText(), (name) => {
        expect(JSON.parse(made(template, facts(name)))).toEqual({ two: name, three: name });
      }),
    );
  });

  it('lists, decides, and leaves out', () => {
    const template =
      '[{{#each TAGS}}"{{this}} {{@index}} {{../CHECK_ID}}"{{#unless @last}},{{/unless}}{{/each}}{{#if GROUP_NAME}},"{{GROUP_NAME}}"{{else}}{{/if}}]';
    expect(JSON.parse(made(template, facts('', { tags: ['a"', 'b'] })))).toEqual(['a" 0 id', 'b 1 id']);
    expect(JSON.parse(made('{"ms": {{RESPONSE_TIME}} }', facts('')))).toEqual({ ms: null });
  });

  it('escapes as the content type wants it', () => {
    expect(made('name={{CHECK_NAME}}', facts('a&b=c'), 'application/x-www-form-urlencoded')).toBe(
      'name=a%26b%3Dc',
    );
    expect(made('<n>{{CHECK_NAME}}</n>', facts('<x>'), 'text/xml')).toBe('<n>&lt;x&gt;</n>');
    expect(made('{{CHECK_NAME}}', facts('"<x>"'), 'text/plain')).toBe('"<x>"');
  });

  it.each([
    ['{"a": "{{CHECK_NAM}}"}', 'line 1, column 10: unknown variable "CHECK_NAM": did you mean CHECK_NAME?'],
    ['{\n  "a": {{constructor}} }', 'line 2, column 10: unknown variable "constructor"'],
    ['{{CHECK_NAME.constructor}}', 'unknown variable "CHECK_NAME.constructor"'],
    ['{{__proto__}}', 'unknown variable "__proto__"'],
    ['{{#with CHECK_NAME}}{{this}}{{/with}}', 'line 1, column 1: {{#with}} is not supported'],
    ['{{lookup this "constructor"}}', 'helpers are not supported'],
    ['{{#each TAGS}}{{this.constructor}}{{/each}}', '"this.constructor" is not available inside #each'],
    ['{{#each TAGS}}{{../constructor}}{{/each}}', 'unknown variable "../constructor"'],
    ['{{#each TAGS}}{{#each ../TAGS}}{{/each}}{{/each}}', '#each blocks cannot be nested'],
    ['{{> partial}}', 'partials and decorators are not supported'],
    ['{{* decorator}}', 'partials and decorators are not supported'],
    ['{{"CHECK_NAME"}}', 'must be a variable'],
    ['{{#if CHECK_NAME}}', 'line 1: Expecting'],
    ['x'.repeat(16_385), 'at most 16384 characters'],
    ['{{CHECK_ID}}'.repeat(501), 'must have at most 500 expressions'],
  ])('%j is refused: %s', (template, said) => {
    expect(() => compileTemplate(template, JSON_TYPE)).toThrow(said);
  });

  it.each([
    ['long values, often', '{{CHECK_NAME}}'.repeat(400), ['t']],
    ['a list of long values', '{{#each TAGS}}{{../CHECK_NAME}}{{/each}}', Array(2000).fill('t')],
    [
      'steps that write nothing',
      '{{#each TAGS}}{{#if @first}}{{/if}}{{/each}}'.repeat(100),
      Array(5000).fill('t'),
    ],
  ])('that makes too much of some facts is no body: %s', (_, template, tags) => {
    const about = facts('n'.repeat(1000), { tags });
    const words = 'the rendered body is larger than 256 KB: use long variables less often';
    expect(() => made(template, about, 'text/plain')).toThrow(words);
    expect(made(template, facts('n', { tags: ['t'] }), 'text/plain').length).toBeLessThan(1000);
  });

  it('makes what Handlebars makes', () => {
    const block = fc.letrec<{ text: string; some: string; one: string }>((tie) => ({
      text: fc.constantFrom(
        'a',
        ' ',
        '\n',
        '{{CHECK_NAME}}',
        '{{{TAGS}}}',
        '{{~RESPONSE_TIME~}}',
        '{{! c }}',
      ),
      some: fc.array(tie('one'), { maxLength: 4 }).map((parts) => parts.join('')),
      one: fc.oneof(
        { maxDepth: 3 },
        tie('text'),
        fc
          .tuple(
            fc.constantFrom('if', 'unless'),
            fc.constantFrom('GROUP_NAME', 'TAGS', 'CHECK_NAME'),
            tie('some'),
            tie('some'),
          )
          .map(([name, of, then, other]) => `{{#${name} ${of}}}${then}{{else}}${other}{{/${name}}}`),
        fc
          .tuple(fc.constantFrom('TAGS', 'CHECK_NAME'), tie('text'))
          .map(
            ([of, other]) =>
              `{{#each ${of}}}{{this}}{{@index}}{{@first}}{{#if @last}}!{{/if}}{{../CHECK_ID}}\n{{else}}${other}{{/each}}`,
          ),
      ),
    }));
    fc.assert(
      fc.property(
        block.some,
        fc.array(fc.constantFrom('', 'x', 'y z'), { maxLength: 3 }),
        (template, tags) => {
          const about = facts('name', { tags });
          const data = { CHECK_NAME: 'name', CHECK_ID: 'id', TAGS: tags, GROUP_NAME: '', RESPONSE_TIME: '' };
          expect(made(template, about, 'text/plain')).toBe(
            Handlebars.compile(template, { noEscape: true })(data),
          );
        },
      ),
    );
  });

  it('that makes no JSON is refused, but for another content type', () => {
    const text = 'It is {{CHECK_NAME}}';
    expect(() => validateRenderedBody(compileTemplate(text, JSON_TYPE), JSON_TYPE)).toThrow(
      'does not render valid JSON',
    );
    validateRenderedBody(compileTemplate(text, 'text/plain'), 'text/plain');
  });
});

describe('a channel', () => {
  it.each<[Channel['type'], Channel['config'], string]>([
    ['EMAIL', { address: 'a@b.example, c@d.example' }, 'address'],
    ['EMAIL', { address: 'a@b.example\nBcc: c@d.example' }, 'address'],
    ['SMS', { number: 'call me' }, 'number'],
    ['SLACK', { url: 'file:///etc/passwd' }, 'url'],
    ['WEBHOOK', { name: 'x', url: 'ftp://x.example' }, 'url'],
    ['WEBHOOK', { name: 'x', url: 'http://x.example', method: 'CONNECT' }, 'method'],
    [
      'WEBHOOK',
      { name: 'x', url: 'http://x.example', headers: [{ key: 'host', value: 'x' }] },
      'headers.0.key',
    ],
    [
      'WEBHOOK',
      { name: 'x', url: 'http://x.example', headers: [{ key: 'a', value: 'x\r\ny' }] },
      'headers.0.value',
    ],
    ['WEBHOOK', { name: 'x', url: 'http://x.example', template: '{{NO}}' }, 'template'],
    ['WEBHOOK', { name: 'x', url: 'http://x.example', method: 'GET', template: '{"a":1}' }, 'template'],
  ])('%s %j is refused at %s', (type, config, place) => {
    expect(validateChannel({ type, config }).map(({ path }) => path.join('.'))).toEqual([place]);
  });
});
