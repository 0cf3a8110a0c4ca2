/** A list to choose one or several from, under headings, in which typing looks for what is meant. */
import {
  createPrompt,
  isBackspaceKey,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useEffect,
  useKeypress,
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
/** Where the cursor is until it is moved: at the first row. */
const NOWHERE = -1;
/** Columns that what was chosen gets in any case. */
const MIN_ROOM = 12;

/** What is computed of an item once: there may be ten thousand, and each key looks at all of them. */
const known = new WeakMap<Item, { readonly text: string; readonly width: number }>();

function knownOf(item: Item): { readonly text: string; readonly width: number } {
  const { name, description, group, search = '' } = item;
  const before = known.get(item);
  if (before) return before;
  const now = { text: `${name} ${description} ${group} ${search}`.toLowerCase(), width: wide.width(name) };
  known.set(item, now);
  return now;
}

/** Items of which each word typed is in the name, the description, the heading or what else finds them; the one of that name first. */
function found(items: readonly Item[], typed: string): readonly number[] {
  const words = typed
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const all = items.flatMap((item, index) =>
    words.every((word) => knownOf(item).text.includes(word)) ? [index] : [],
  );
  const name = typed.trim().toLowerCase();
  const isNamed = (index: number): boolean => items[index]?.name.toLowerCase() === name;
  return name === '' ? all : [...all.filter(isNamed), ...all.filter((index) => !isNamed(index))];
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

/** The rows that are drawn: so many, with the active one in their middle where it can be. */
function around(rows: readonly Row[], active: number, most: number): readonly Row[] {
  const first = Math.min(Math.max(0, active - Math.floor(most / 2)), Math.max(0, rows.length - most));
  return rows.slice(first, first + most);
}

/** Asks; gives the indexes of what was chosen. */
export const pick = createPrompt<readonly number[], Config>((config, done) => {
  const { many, message, styles, rows: height } = config;
  // The last column stays free: what stands there is about to break the line.
  const columns = config.columns() - 1;
  const theme = makeTheme(config.theme);
  const [status, setStatus] = useState<'idle' | 'loading' | 'done'>('idle');
  const [items, setItems] = useState(config.items);
  const [rest, setRest] = useState<'none' | 'loading' | 'lost'>(config.more ? 'loading' : 'none');
  const [typed, setTyped] = useState('');
  const [marked, setMarked] = useState<readonly number[]>(config.marked);
  const [at, setAt] = useState(many ? 0 : (config.marked[0] ?? 0));
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const prefix = usePrefix({ status, theme });
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      let all = config.items;
      for await (const some of config.more ?? []) {
        if (isOver) return;
        all = [...all, ...some];
        setItems(all);
      }
    };
    const end = (how: typeof rest) => (): void => {
      if (!isOver) setRest(how);
    };
    // What is there can be chosen all the same.
    load().then(end('none'), end('lost'));
    return () => {
      isOver = true;
    };
  }, []);

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
      const [isMarked, isShown] = [new Set(marked), new Set(shown)];
      const all = shown.every((index) => isMarked.has(index));
      setMarked(all ? marked.filter((index) => !isShown.has(index)) : inOrder([...marked, ...shown]));
    } else if (key.name === 'escape') {
      keep('');
    } else if (isBackspaceKey(key) || line.line !== typed) {
      setTyped(line.line);
      // The first that is found is the likeliest.
      if (line.line !== typed) setAt(NOWHERE);
    }
  });

  const names = (indexes: readonly number[], room: number) => {
    const most = Math.max(MIN_ROOM, room);
    // Of thousands only those are joined that may find room.
    const first = indexes.slice(0, most).map((index) => items[index]?.name ?? '');
    return wide.cut(first.join(', '), most);
  };
  const rows = rowsOf(items, shown);
  const widest = Math.min(
    Math.floor(columns / 2),
    items.reduce((most, item) => Math.max(most, knownOf(item).width), 0),
  );
  const lineOf = (row: Row): string => {
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
  };
  const active = rows.findIndex((row) => 'index' in row && row.index === current);
  const page = around(
    rows,
    active,
    Math.max(3, Math.min(MOST_ROWS, height - AROUND - Number(rest !== 'none'))),
  );

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
  const count = `  ${marked.length} selected: `;
  const chosenLine = count + styles.cyan(names(marked, columns - count.length));
  const below = [
    ...(shown.length === 0 ? [styles.dim(`  no match for "${typed}"`)] : page.map(lineOf)),
    ...(rest === 'loading' ? [styles.dim(`  loading more (${items.length} loaded)`)] : []),
    ...(rest === 'lost' ? [styles.dim('  could not load the rest')] : []),
    ...(many && marked.length > 0 ? [chosenLine] : []),
    ...(wrong === undefined ? [] : [theme.style.error(wrong)]),
    keysLine(keys, columns, styles),
  ];
  return [`${head} ${typed}`, below.join('\n')];
});
