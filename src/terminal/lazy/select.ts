/** Prompts for one or several items of a list with headings, which typing searches; and styles all prompts. */

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
import type { SelectItem, SelectQuestion } from '../prompts/types.ts';
import { wide } from './width.ts';

/** Returns the theme for the prompts library. */
export function createTheme({ bold, cyan, dim, red }: Styles) {
  const mark = cyan('?');
  return {
    prefix: { idle: mark, done: mark },
    style: {
      answer: (text: string) => cyan(text),
      // Chalk would join the further arguments of the library.
      message: (text: string) => bold(text),
      error: (text: string) => red(text),
      defaultAnswer: (text: string) => dim(`(${text})`),
      help: (text: string) => dim(text),
      highlight: (text: string) => cyan(text),
      key: (text: string) => bold(text),
      maskedText: '',
    },
  };
}

type Key = readonly [key: string, does: string];
const SEPARATOR = ' · ';

/** Formats the keys on one line: `Space choose · Enter done`. The last ones are omitted if there is no room. */
export function formatKeys(keys: readonly Key[], columns: number, styles: Styles): string {
  const fits = (some: readonly Key[]) => some.map((key) => key.join(' ')).join(SEPARATOR).length <= columns;
  const shown = keys.filter((_, index) => fits(keys.slice(0, index + 1)));
  return shown.map(([key, does]) => `${key} ${styles.dim(does)}`).join(styles.dim(SEPARATOR));
}

interface Config extends SelectQuestion {
  readonly styles: Styles;
  readonly theme: ReturnType<typeof createTheme>;
  readonly rows: number;
  readonly columns: () => number;
}

/** A heading, or an item by its index. */
type Row = { readonly heading: string } | { readonly index: number };

/** Rows for the question, the error and the keys. */
const RESERVED_ROWS = 5;
const MAX_ROWS = 14;
/** The cursor before it is moved, which means the first row. */
const NO_CURSOR = -1;
/** The minimum width of the list of selected names. */
const MIN_ROOM = 12;

/** Computed once per item: there may be ten thousand, and each key press searches all. */
const searchIndex = new WeakMap<SelectItem, { readonly text: string; readonly width: number }>();

function indexItem(item: SelectItem): { readonly text: string; readonly width: number } {
  const { name, description, group, search = '' } = item;
  const before = searchIndex.get(item);
  if (before) return before;
  const now = { text: `${name} ${description} ${group} ${search}`.toLowerCase(), width: wide.width(name) };
  searchIndex.set(item, now);
  return now;
}

/** Returns the items that contain every word of the query in their searched text, an exact name first. */
function searchItems(items: readonly SelectItem[], query: string): readonly number[] {
  const words = query
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const all = items.flatMap((item, index) =>
    words.every((word) => indexItem(item).text.includes(word)) ? [index] : [],
  );
  const name = query.trim().toLowerCase();
  const isNamed = (index: number): boolean => items[index]?.name.toLowerCase() === name;
  return name === '' ? all : [...all.filter(isNamed), ...all.filter((index) => !isNamed(index))];
}

/** Returns the items with their headings. */
function rowsOf(items: readonly SelectItem[], indexes: readonly number[]): readonly Row[] {
  let last = '';
  return indexes.flatMap((index): Row[] => {
    const group = items[index]?.group ?? '';
    const heading = group !== '' && group !== last ? [{ heading: group }] : [];
    last = group;
    return [...heading, { index }];
  });
}

/** Returns the rows to draw, with the active row in the middle if possible. */
function visibleRows(rows: readonly Row[], active: number, most: number): readonly Row[] {
  const first = Math.min(Math.max(0, active - Math.floor(most / 2)), Math.max(0, rows.length - most));
  return rows.slice(first, first + most);
}

/** Prompts, and returns the indexes of the selected items. */
export const select = createPrompt<readonly number[], Config>((config, done) => {
  const { isMultiple, message, styles, rows: height } = config;
  // The last column stays free: a terminal wraps the line after a character there.
  const columns = config.columns() - 1;
  const theme = makeTheme(config.theme);
  const [status, setStatus] = useState<'idle' | 'loading' | 'done'>('idle');
  const [items, setItems] = useState(config.items);
  const [loadState, setLoadState] = useState<'none' | 'loading' | 'lost'>(config.more ? 'loading' : 'none');
  const [query, setQuery] = useState('');
  const [selected, setSelected] = useState<readonly number[]>(config.selected);
  const [cursor, setCursor] = useState(isMultiple ? 0 : (config.selected[0] ?? 0));
  const [errorText, setErrorText] = useState<string | undefined>(undefined);
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
    const end = (how: typeof loadState) => (): void => {
      if (!isOver) setLoadState(how);
    };
    // Items that have loaded can be selected after a failure too.
    load().then(end('none'), end('lost'));
    return () => {
      isOver = true;
    };
  }, []);

  const shown = searchItems(items, query);
  const current = shown.includes(cursor) ? cursor : shown[0];
  const inOrder = (indexes: readonly number[]) => [...new Set(indexes)].sort((a, b) => a - b);
  const toggle = (index: number) =>
    setSelected(
      selected.includes(index) ? selected.filter((one) => one !== index) : inOrder([...selected, index]),
    );

  const finish = async (answer: readonly number[]) => {
    setStatus('loading');
    const problem = await config.validate(answer);
    if (problem === undefined) {
      setSelected(answer);
      setStatus('done');
      done(answer);
    } else {
      setErrorText(problem);
      setStatus('idle');
    }
  };

  useKeypress(async (key, line) => {
    if (status !== 'idle') return;
    const replaceInput = (text: string) => {
      line.clearLine(0);
      line.write(text);
      setQuery(text);
    };
    setErrorText(undefined);
    if (isEnterKey(key)) {
      if (isMultiple && query === '') return finish(selected);
      if (current === undefined) return replaceInput(query);
      if (!isMultiple) return finish([current]);
      // Enter selects a searched item without a second key.
      setSelected(inOrder([...selected, current]));
      setCursor(current);
      replaceInput('');
    } else if (isUpKey(key) || isDownKey(key)) {
      replaceInput(query);
      const step = isUpKey(key) ? -1 : 1;
      const next = (current === undefined ? 0 : shown.indexOf(current)) + step;
      setCursor(shown[(next + shown.length) % Math.max(1, shown.length)] ?? cursor);
    } else if (isMultiple && key.name === 'space') {
      replaceInput(query);
      if (current !== undefined) toggle(current);
    } else if (isTabKey(key)) {
      replaceInput(query);
      if (!isMultiple) return;
      const [isMarked, isShown] = [new Set(selected), new Set(shown)];
      const all = shown.every((index) => isMarked.has(index));
      setSelected(all ? selected.filter((index) => !isShown.has(index)) : inOrder([...selected, ...shown]));
    } else if (key.name === 'escape') {
      replaceInput('');
    } else if (isBackspaceKey(key) || line.line !== query) {
      setQuery(line.line);
      // The first match is the most likely.
      if (line.line !== query) setCursor(NO_CURSOR);
    }
  });

  const joinNames = (indexes: readonly number[], room: number) => {
    const most = Math.max(MIN_ROOM, room);
    // Of thousands of names, only those that may fit are joined.
    const first = indexes.slice(0, most).map((index) => items[index]?.name ?? '');
    return wide.cut(first.join(', '), most);
  };
  const rows = rowsOf(items, shown);
  const widest = Math.min(
    Math.floor(columns / 2),
    items.reduce((most, item) => Math.max(most, indexItem(item).width), 0),
  );
  const lineOf = (row: Row): string => {
    if ('heading' in row) return `  ${styles.bold(row.heading)}`;
    const { name, description } = items[row.index] as SelectItem;
    const isCurrent = row.index === current;
    const box = isMultiple ? `${selected.includes(row.index) ? styles.green('[x]') : '[ ]'} ` : '';
    const start = isMultiple ? 6 : 2;
    const shownName = wide.cut(name, columns - start);
    const gap = ' '.repeat(Math.max(0, widest - wide.width(name)) + 2);
    const room = columns - start - Math.max(widest, wide.width(name)) - 2;
    const beside = description === '' || room < 4 ? '' : gap + styles.dim(wide.cut(description, room));
    return `${isCurrent ? styles.cyan('>') : ' '} ${box}${isCurrent ? styles.cyan(shownName) : shownName}${beside}`;
  };
  const active = rows.findIndex((row) => 'index' in row && row.index === current);
  const page = visibleRows(
    rows,
    active,
    Math.max(3, Math.min(MAX_ROWS, height - RESERVED_ROWS - Number(loadState !== 'none'))),
  );

  const head = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done') {
    const answer = joinNames(selected, columns - wide.width(message) - 3);
    return `${head} ${theme.style.answer(answer || 'none')}`;
  }
  // Keys that do not fit are omitted from the end.
  const keys: [string, string][] = !isMultiple
    ? [
        ['type', 'to search'],
        ['Enter', 'choose'],
      ]
    : query === ''
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
  const count = `  ${selected.length} selected: `;
  const chosenLine = count + styles.cyan(joinNames(selected, columns - count.length));
  const below = [
    ...(shown.length === 0 ? [styles.dim(`  no match for "${query}"`)] : page.map(lineOf)),
    ...(loadState === 'loading' ? [styles.dim(`  loading more (${items.length} loaded)`)] : []),
    ...(loadState === 'lost' ? [styles.dim('  could not load the rest')] : []),
    ...(isMultiple && selected.length > 0 ? [chosenLine] : []),
    ...(errorText === undefined ? [] : [theme.style.error(errorText)]),
    formatKeys(keys, columns, styles),
  ];
  return [`${head} ${query}`, below.join('\n')];
});
