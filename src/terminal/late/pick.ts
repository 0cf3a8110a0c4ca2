/** A list to choose one or several from, under headings, in which typing looks for what is meant. */
import {
  createPrompt,
  isBackspaceKey,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from '@inquirer/core';
import type { Styles } from '../color.ts';
import type { Item, Picking } from '../prompts/types.ts';
import { keysLine, type themeOf } from './prompt-theme.ts';
import { wide } from './width.ts';

interface Config extends Picking {
  readonly styles: Styles;
  readonly theme: ReturnType<typeof themeOf>;
  readonly rows: number;
  readonly columns: () => number;
}

/** What is drawn: a heading, or an item by its index. */
type Row = { readonly heading: string } | { readonly index: number };

/** Rows that the question itself, what is wrong and the keys need. */
const AROUND = 5;
const MOST_ROWS = 14;
/** Columns that what was chosen gets in any case. */
const MIN_ROOM = 12;

/** Items of which each word typed is in the name, the description or the heading. */
function found(items: readonly Item[], typed: string): readonly number[] {
  const words = typed
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return items.flatMap(({ name, description, group }, index) => {
    const text = `${name} ${description} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? [index] : [];
  });
}

/** The items with the headings that they stand under. */
function rowsOf(items: readonly Item[], indexes: readonly number[]): readonly Row[] {
  let last = '';
  return indexes.flatMap((index): Row[] => {
    const group = items[index]?.group ?? '';
    const heading = group !== '' && group !== last ? [{ heading: group }] : [];
    last = group;
    return [...heading, { index }];
  });
}

/** Asks; gives the indexes of what was chosen. */
export const pick = createPrompt<readonly number[], Config>((config, done) => {
  const { items, many, message, styles, rows: height } = config;
  // The last column stays free: what stands there is about to break the line.
  const columns = config.columns() - 1;
  const theme = makeTheme(config.theme);
  const [status, setStatus] = useState<'idle' | 'loading' | 'done'>('idle');
  const [typed, setTyped] = useState('');
  const [marked, setMarked] = useState<readonly number[]>(config.marked);
  const [at, setAt] = useState(many ? 0 : (config.marked[0] ?? 0));
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const prefix = usePrefix({ status, theme });

  const shown = found(items, typed);
  const current = shown.includes(at) ? at : shown[0];
  const inOrder = (indexes: readonly number[]) => [...new Set(indexes)].sort((a, b) => a - b);
  const toggle = (index: number) =>
    setMarked(marked.includes(index) ? marked.filter((one) => one !== index) : inOrder([...marked, index]));

  const finish = async (answer: readonly number[]) => {
    setStatus('loading');
    const problem = await config.check(answer);
    if (problem === undefined) {
      setMarked(answer);
      setStatus('done');
      done(answer);
    } else {
      setWrong(problem);
      setStatus('idle');
    }
  };

  useKeypress(async (key, line) => {
    if (status !== 'idle') return;
    const keep = (text: string) => {
      line.clearLine(0);
      line.write(text);
      setTyped(text);
    };
    setWrong(undefined);
    if (isEnterKey(key)) {
      if (many && typed === '') return finish(marked);
      if (current === undefined) return keep(typed);
      if (!many) return finish([current]);
      // What was looked for and is taken needs no second key.
      setMarked(inOrder([...marked, current]));
      setAt(current);
      keep('');
    } else if (isUpKey(key) || isDownKey(key)) {
      keep(typed);
      const step = isUpKey(key) ? -1 : 1;
      const next = (current === undefined ? 0 : shown.indexOf(current)) + step;
      setAt(shown[(next + shown.length) % Math.max(1, shown.length)] ?? at);
    } else if (many && key.name === 'space') {
      keep(typed);
      if (current !== undefined) toggle(current);
    } else if (isTabKey(key)) {
      keep(typed);
      if (!many) return;
      const all = shown.every((index) => marked.includes(index));
      setMarked(all ? marked.filter((index) => !shown.includes(index)) : inOrder([...marked, ...shown]));
    } else if (key.name === 'escape') {
      keep('');
    } else if (isBackspaceKey(key) || line.line !== typed) {
      setTyped(line.line);
    }
  });

  const names = (indexes: readonly number[], room: number) =>
    wide.cut(indexes.map((index) => items[index]?.name ?? '').join(', '), Math.max(MIN_ROOM, room));
  const rows = rowsOf(items, shown);
  const widest = Math.min(Math.floor(columns / 2), Math.max(0, ...items.map(({ name }) => wide.width(name))));
  const page = usePagination({
    items: rows,
    active: Math.max(
      0,
      rows.findIndex((row) => 'index' in row && row.index === current),
    ),
    pageSize: Math.max(3, Math.min(MOST_ROWS, height - AROUND)),
    loop: false,
    renderItem({ item: row }) {
      if ('heading' in row) return `  ${styles.bold(row.heading)}`;
      const { name, description } = items[row.index] as Item;
      const isCurrent = row.index === current;
      const box = many ? `${marked.includes(row.index) ? styles.green('[x]') : '[ ]'} ` : '';
      const start = many ? 6 : 2;
      const shownName = wide.cut(name, columns - start);
      const gap = ' '.repeat(Math.max(0, widest - wide.width(name)) + 2);
      const room = columns - start - Math.max(widest, wide.width(name)) - 2;
      const beside = description === '' || room < 4 ? '' : gap + styles.dim(wide.cut(description, room));
      return `${isCurrent ? styles.cyan('>') : ' '} ${box}${isCurrent ? styles.cyan(shownName) : shownName}${beside}`;
    },
  });

  const head = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done') {
    const answer = names(marked, columns - wide.width(message) - 3);
    return `${head} ${theme.style.answer(answer || 'none')}`;
  }
  // What finds no room is left out from the end.
  const keys: [string, string][] = !many
    ? [
        ['type', 'to search'],
        ['Enter', 'choose'],
      ]
    : typed === ''
      ? [
          ['type', 'to search'],
          ['Space', 'choose'],
          ['Enter', 'done'],
          ['Tab', 'all'],
        ]
      : [
          ['Enter', 'choose'],
          ['Esc', 'show all'],
          ['Tab', 'all shown'],
        ];
  const count = `  ${marked.length} chosen: `;
  const chosenLine = count + styles.cyan(names(marked, columns - count.length));
  const below = [
    shown.length === 0 ? styles.dim(`  nothing has "${typed}" in it`) : page,
    ...(many && marked.length > 0 ? [chosenLine] : []),
    ...(wrong === undefined ? [] : [theme.style.error(wrong)]),
    keysLine(keys, columns, styles),
  ];
  return [`${head} ${typed}`, below.join('\n')];
});
