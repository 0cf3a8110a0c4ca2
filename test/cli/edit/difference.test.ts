/** What a difference shows of a change: every sign without colour, nothing that hides in it, and no secret. */
import { describe, expect, it } from 'vitest';
import { diffYaml, maskSecrets, renderDiff, toYaml } from '../../../src/cli/edit/lazy/changes.ts';
import { normalizeRequest } from '../../../src/cli/edit/to-request.ts';
import { updateCheckGroup, updateStatusPage } from '../../../src/contract/index.ts';
import { plainStyles } from '../../../src/terminal/index.ts';
import { colorStyles } from '../../../src/terminal/lazy/styles.ts';

const draw = (before: unknown, after: unknown, width?: number, plain = false): readonly string[] =>
  renderDiff(diffYaml(toYaml(before), toYaml(after)), { width, plain, styles: plainStyles })
    .trimEnd()
    .split('\n');

const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `item ${from + index}`);

describe('a difference', () => {
  it('shows each line with its sign, the lines around it, and where in the whole they stand', () => {
    const page = (theme: string, last: string) => ({
      name: 'Shop',
      cards: [
        { name: 'One', services: many(9) },
        { name: 'Two', services: [...many(9), last] },
      ],
      theme,
    });
    expect(draw(page('AUTO', 'old'), page('DARK', 'new'))).toEqual([
      '@@ cards[1].services @@',
      '       - item 6',
      '       - item 7',
      '       - item 8',
      '-      - old',
      '-theme: AUTO',
      '+      - new',
      '+theme: DARK',
    ]);
    const apart = draw({ a: 1, list: many(20), z: 1 }, { a: 2, list: many(20), z: 2 });
    expect(apart[0]).toBe('-a: 1');
    expect(apart).toContain('@@ list @@');
  });

  it('knows what a line in the middle of a long text belongs to', () => {
    const text = (word: string) => ({
      script: `${many(9).join('\n')}\nkey: ${word}\n${many(9).join('\n')}\n`,
    });
    expect(draw(text('old'), text('new'))[0]).toBe('@@ script @@');
  });

  it('lets no row of a long line pass for a line of its own', () => {
    const hostile = `${'x '.repeat(30)}${' '.repeat(18)}+admin: true ${'検索'.repeat(40)}`;
    for (const plain of [false, true]) {
      const rows = draw({ a: 'b' }, { a: hostile }, 80, plain);
      expect(rows.length).toBeGreaterThan(3);
      expect(rows[0]).toBe('-a: b');
      expect(rows[1]).toMatch(/^\+a: /);
      for (const row of rows.slice(2)) expect(row.startsWith(plain ? '+    ' : '+  ↳ ')).toBe(true);
      expect(rows.join('')).toContain('+admin: true');
    }
  });

  it('shows what would drive a terminal as the text that it is', () => {
    const rows = draw({ a: 'b' }, { a: '\x1b[2Kgone\u202eback\rover\x07' });
    expect(rows.join('\n')).not.toMatch(/[^\n -~]/);
    expect(rows.join('\n')).toContain('\\u202e');
  });

  it('folds long runs and long lines in a terminal, and shows all elsewhere', () => {
    const rows = draw({ list: [] }, { list: many(1500) }, 80);
    expect(rows.length).toBeLessThan(30);
    expect(rows).toContain('@@ 1,481 more lines added @@');
    expect(rows.at(-1)).toBe('+  - item 1499');
    expect(draw({ list: [] }, { list: many(1500) })).toHaveLength(1502);

    const long = `${'a'.repeat(5000)}OLD${'b'.repeat(5000)}`;
    const folded = draw({ text: long }, { text: long.replace('OLD', 'NEW') }, 140).join('\n');
    expect(folded.length).toBeLessThan(2000);
    expect(folded).toMatch(/\(4,800 characters\)/);
    expect(folded).toContain('OLD');
    expect(folded).toContain('NEW');
    const scattered = (word: string) =>
      Array.from({ length: 900 }, (_, index) => (index % 9 ? `${index}` : word));
    const bounded = draw({ list: scattered('a') }, { list: scattered('b') }, 80);
    expect(bounded).toHaveLength(401);
    expect(bounded.at(-1)).toMatch(/^@@ \d+ more lines of the difference @@$/);
  });

  it('marks what differs within a line where most of it stays, and only there', () => {
    const styles = colorStyles(16);
    const coloured = (before: object, after: object) =>
      renderDiff(diffYaml(toYaml(before), toYaml(after)), { width: 80, plain: false, styles });
    expect(coloured({ text: 'All about the shop and more' }, { text: 'All about the bar and more' })).toBe(
      [
        styles.red(`-text: All about the ${styles.underline('shop')} and more`),
        styles.green(`+text: All about the ${styles.underline('bar')} and more`),
        '',
      ].join('\n'),
    );
    expect(coloured({ name: 'Shop' }, { name: 'Else' })).not.toContain(styles.underline('x').slice(0, 4));
  });
});

describe('secrets in a difference', () => {
  const schema = updateCheckGroup.body ?? {};
  const variable = (value: string, key = 'TOKEN') => ({
    environmentVariables: [{ key, value, secret: true }],
  });
  const shown = (before: object, after: object) => {
    const concealed = maskSecrets(schema, before, after);
    return { text: draw(concealed.before, concealed.after).join('\n'), loses: concealed.losesSecret };
  };

  it('are said to differ, and never shown', () => {
    const { text, loses } = shown(variable('old-secret'), variable('new-secret'));
    expect(text).toContain('-    value: "***"\n+    value: "*** (another value)"');
    expect(text).not.toContain('-secret');
    expect(loses).toBe(false);
    expect(shown(variable('same'), variable('same')).text).toBe('');
  });

  it('are told to be lost where the service did not show the old one', () => {
    expect(shown(variable(''), variable('new')).loses).toBe(true);
    expect(shown(variable(''), { environmentVariables: [] }).loses).toBe(true);
    expect(shown({}, variable('new')).loses).toBe(false);
    const auth = (more: object) => ({ apiCheckDefaults: { basicAuth: { username: 'u', ...more } } });
    const password = shown(auth({}), auth({ password: 'hunter2' }));
    expect(password.loses).toBe(true);
    expect(password.text).not.toContain('hunter2');
  });

  it('are known by their key, wherever they stand in the list', () => {
    const both = [
      { key: 'A', value: 'one' },
      { key: 'B', value: 'two' },
    ];
    const { text } = shown({ environmentVariables: both }, { environmentVariables: [...both].reverse() });
    expect(text).not.toContain('another value');
  });

  it('are hidden in headers and in addresses, too', () => {
    const defaults = (key: string, value: string, url: string) => ({
      apiCheckDefaults: { url, headers: [{ key, value }] },
    });
    const { text } = shown(
      defaults('Authorization', 'Bearer old', 'https://u:pass-one@shop.example'),
      defaults('Authorization', 'Bearer new', 'https://u:pass-two@shop.example'),
    );
    expect(text).not.toMatch(/Bearer|pass-/);
    expect(text).toContain('https://u:***@shop.example (another value)');
    const other = shown(defaults('Accept', 'a/b', ''), defaults('Accept', 'c/d', ''));
    expect(other.text).toContain('*** (another value)');
  });
});

it('sees no difference between colors in upper and lower case', () => {
  const page = (borderColor: string) => ({
    ...{ name: 'Shop', url: 'shop', cards: [], themeColors: { dark: { borderColor } } },
  });
  const normalize = (color: string) => normalizeRequest(updateStatusPage.body ?? {}, page(color));
  expect(normalize('#ffaa00')).toEqual(normalize('#FFAA00'));
  expect(normalize('#ffaa00')).not.toEqual(normalize('#ffaa01'));
});
