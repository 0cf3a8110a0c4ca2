/** The Markdown report as a renderer shows it: what went wrong first, and no name that is read as markup. */
import fc from 'fast-check';
import { lexer, marked, type Token, type Tokens } from 'marked';
import { describe, expect, test } from 'vitest';
import type { GateSnapshot } from '../../../src/gate/report/data.ts';
import { toMarkdown } from '../../../src/gate/report/markdown.ts';
import { idOf, left, refused } from '../outcomes.ts';
import { anyTold, endedAs, factsOfTold, resultOf, sessionOf, toldOf } from './snapshots.ts';

const markdownOf = (gate: GateSnapshot): string => toMarkdown(factsOfTold(gate));
const htmlOf = (gate: GateSnapshot): string => marked.parse(markdownOf(gate), { async: false, gfm: true });

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** What a reader sees of a piece of HTML. */
const shown = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:#(\d+)|([a-z]+));/g, (_, code: string | undefined, name: string) =>
      code === undefined ? (ENTITIES[name] ?? '') : String.fromCharCode(Number(code)),
    )
    .replaceAll('\u200b', '');

/** The cells of the table, row by row. */
const rowsOf = (gate: GateSnapshot): readonly (readonly string[])[] =>
  [...htmlOf(gate).matchAll(/<tr>([\s\S]*?)<\/tr>/g)]
    .slice(1)
    .map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => shown(cell)),
    );

function* every(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token;
    if ('tokens' in token && token.tokens) yield* every(token.tokens);
    if (token.type !== 'table') continue;
    const { header, rows } = token as Tokens.Table;
    for (const cell of [header, ...rows].flat()) yield* every(cell.tokens);
  }
}
const tokensOf = (gate: GateSnapshot): readonly Token[] => [...every(lexer(markdownOf(gate), { gfm: true }))];

describe('the report', () => {
  test('says the verdict in its headline, and then what went wrong first', () => {
    const results = [resultOf('PASSED', 'eu-west-1'), resultOf('FAILED', 'us-east-1')];
    const gate = toldOf(
      [
        endedAs(1, 'passed'),
        endedAs(2, 'degraded', { name: 'CDN' }),
        endedAs(3, 'failed', { results, name: 'Mail', checkSessionLink: 'https://sonde.example/3' }),
        refused(4, 404, 'no such session'),
      ],
      { sentence: 'Of 4 check sessions: 1 failed' },
    );
    expect(markdownOf(gate)).toMatch(/^## ❌ Of 4 check sessions: 1 failed\n/);
    expect(rowsOf(gate)).toEqual([
      ['❌ FAILED', 'Mail', 'us-east-1', '', '1.2s', '0b5b2c1e'],
      ['❔ NOT_FOUND', idOf(4), '', 'no such session', '', '0b5b2c1e'],
      ['⚠️ DEGRADED', 'CDN', '', '', '1.2s', '0b5b2c1e'],
      ['✅ PASSED', 'Apex record', '', '', '1.2s', '0b5b2c1e'],
    ]);
    expect(htmlOf(gate)).toContain('<a href="https://sonde.example/3"><code>0b5b2c1e</code></a>');
    expect(shown(htmlOf(gate))).toContain('Waited 12.3s from 2026-11-21 08:00:00 UTC, exit code 1.');
  });

  test('says of a gate that is still held, or started nothing, that the verdict is unknown', () => {
    const held = toldOf([], { isOver: false, exitCode: 7, sentence: 'The gate is still held' });
    expect(markdownOf(held)).toMatch(/^## ❔ The gate is still held\n/);
    expect(markdownOf(toldOf([endedAs(1, 'passed')], { unstarted: ['c1'] }))).toContain(
      'The service started no session for the check <code>c1</code>',
    );
  });

  test('shows sessions that were left as left', () => {
    const gate = toldOf([endedAs(1, 'failed'), left(2, sessionOf(2, 'PROGRESS'))]);
    expect(rowsOf(gate)[1]).toEqual([
      '⏭️ PROGRESS',
      'Apex record',
      '',
      'not awaited after the first failure',
      '',
      '0b5b2c1e',
    ]);
  });

  test.each([
    'a | b || c',
    '`code` ``more`` \\`',
    '<img src=x onerror=alert(1)> <!-- x',
    '@octocat and @org/team',
    '![x](http://evil.test/x.png) [y](javascript:alert(1)) [z]: http://evil.test',
    'https://evil.test www.evil.test a@evil.test',
    '*a* _b_ __c__ ~~d~~ #12 $x$ :tada: \\| \\\\|',
    '&lt;b&gt; &#64;',
  ])('shows the name %j as it is', (name) => {
    const gate = toldOf([endedAs(1, 'failed', { name })], { sentence: name });
    expect(rowsOf(gate)[0]?.[1]).toBe(name);
    const [, headline = ''] = /<h2>([\s\S]*?)<\/h2>/.exec(htmlOf(gate)) ?? [];
    expect(shown(headline)).toBe(`❌ ${name}`);
  });

  test('over any gate: nothing of a name is markup, and no link leads but to a session', () => {
    fc.assert(
      fc.property(anyTold(), (gate) => {
        for (const token of tokensOf(gate)) {
          expect([
            'image',
            'codespan',
            'em',
            'strong',
            'del',
            'def',
            'code',
            'list',
            'blockquote',
          ]).not.toContain(token.type);
          if (token.type === 'html')
            expect(token.raw.trim()).toMatch(/^<\/?(?:code|sub)>$|^<sub>[^<]*<\/sub>$/);
          if (token.type === 'link') expect(token.href).toMatch(/^https?:\/\//);
        }
        // Who looks for names in what was rendered finds none in prose, and does not look into code.
        const prose = htmlOf(gate)
          .replaceAll(/<code>.*?<\/code>/g, '')
          .replaceAll(/href="[^"]*"/g, '');
        expect(prose).not.toMatch(/(?:@|&#64;|#(?!\d+;)|&#35;)(?!\u200b|&#8203;)/);
        expect(markdownOf(gate).startsWith('## ✅')).toBe(gate.exitCode === 0);
        for (const row of rowsOf(gate)) expect(row).toHaveLength(6);
      }),
    );
  });

  test('of ten thousand sessions stays short, and counts the bad ones that it does not show', () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
      endedAs(n, n % 2 === 0 ? 'failed' : 'passed', { name: '|'.repeat(200) }),
    );
    const text = markdownOf(toldOf(many));
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    const shownRows = rowsOf(toldOf(many)).length;
    expect(text).toContain(`${5000 - shownRows} ❌ FAILED, 5000 ✅ PASSED`);
  });
});
