/** Prompts for one or several items of a list with headings, which typing searches. */
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
import { formatKeys, type createTheme } from './prompt-theme.ts';
import { wide } from './width.ts';

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
  const { isMultiple: many, message, styles, rows: height } = config;
  // The last column stays free: a terminal wraps the line after a character there.
  const columns = config.columns() - 1;
  const theme = makeTheme(config.theme);
  const [status, setStatus] = useState<'idle' | 'loading' | 'done'>('idle');
  const [items, setItems] = useState(config.items);
  const [rest, setRest] = useState<'none' | 'loading' | 'lost'>(config.more ? 'loading' : 'none');
  const [typed, setQuery] = useState('');
  const [marked, setMarked] = useState<readonly number[]>(config.selected);
  const [at, setAt] = useState(many ? 0 : (config.selected[0] ?? 0));
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
    // Items that have loaded can be selected after a failure too.
    load().then(end('none'), end('lost'));
    return () => {
      isOver = true;
    };
  }, []);

  const shown = searchItems(items, typed);
  const current = shown.includes(at) ? at : shown[0];
  const inOrder = (indexes: readonly number[]) => [...new Set(indexes)].sort((a, b) => a - b);
  const toggle = (index: number) =>
    setMarked(marked.includes(index) ? marked.filter((one) => one !== index) : inOrder([...marked, index]));

  const finish = async (answer: readonly number[]) => {
    setStatus('loading');
    const problem = await config.validate(answer);
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
    const replaceInput = (text: string) => {
      line.clearLine(0);
      line.write(text);
      setQuery(text);
    };
    setWrong(undefined);
    if (isEnterKey(key)) {
      if (many && typed === '') return finish(marked);
      if (current === undefined) return replaceInput(typed);
      if (!many) return finish([current]);
      // Enter selects a searched item without a second key.
      setMarked(inOrder([...marked, current]));
      setAt(current);
      replaceInput('');
    } else if (isUpKey(key) || isDownKey(key)) {
      replaceInput(typed);
      const step = isUpKey(key) ? -1 : 1;
      const next = (current === undefined ? 0 : shown.indexOf(current)) + step;
      setAt(shown[(next + shown.length) % Math.max(1, shown.length)] ?? at);
    } else if (many && key.name === 'space') {
      replaceInput(typed);
      if (current !== undefined) toggle(current);
    } else if (isTabKey(key)) {
      replaceInput(typed);
      if (!many) return;
      const [isMarked, isShown] = [new Set(marked), new Set(shown)];
      const all = shown.every((index) => isMarked.has(index));
      setMarked(all ? marked.filter((index) => !isShown.has(index)) : inOrder([...marked, ...shown]));
    } else if (key.name === 'escape') {
      replaceInput('');
    } else if (isBackspaceKey(key) || line.line !== typed) {
      setQuery(line.line);
      // The first match is the most likely.
      if (line.line !== typed) setAt(NO_CURSOR);
    }
  });

  const names = (indexes: readonly number[], room: number) => {
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
    const box = many ? `${marked.includes(row.index) ? styles.green('[x]') : '[ ]'} ` : '';
    const start = many ? 6 : 2;
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
    Math.max(3, Math.min(MAX_ROWS, height - RESERVED_ROWS - Number(rest !== 'none'))),
  );

  const head = `${prefix} ${theme.style.message(message, status)}`;
  if (status === 'done') {
    const answer = names(marked, columns - wide.width(message) - 3);
    return `${head} ${theme.style.answer(answer || 'none')}`;
  }
  // Keys that do not fit are omitted from the end.
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
    formatKeys(keys, columns, styles),
  ];
  return [`${head} ${typed}`, below.join('\n')];
});
