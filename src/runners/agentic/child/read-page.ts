/** Reads a page as text for the model, within limits, so that no page is too large to read. */
import type { Frame, JSHandle, Page } from '@playwright/test';
import { MAX_PAGE_LENGTH } from '../protocol.ts';

/** Limits for the document of a frame. A snapshot's time grows with the square of its elements: 20,000 buttons take 12 s. */
const LIMITS = { elements: 10_000, depth: 300, characters: 200_000 };
const MAX_FRAMES = 20;
const READ_MS = 20_000;
const CUT_NOTE = '\n… (the rest of the page is omitted)';

export async function readPage(page: Page): Promise<string> {
  const cuts: JSHandle<Cuts>[] = [];
  let isCut = false;
  try {
    for (const frame of page.frames().slice(0, MAX_FRAMES)) {
      const handle = await shortenFrame(frame);
      // A frame may disappear while the others are read.
      if (handle === undefined) continue;
      cuts.push(handle);
      isCut ||= await handle.evaluate(({ length }) => length > 0);
    }
    const text = await page.ariaSnapshot({ mode: 'ai', timeout: READ_MS });
    if (!isCut && text.length <= MAX_PAGE_LENGTH) return text;
    return text.slice(0, MAX_PAGE_LENGTH - CUT_NOTE.length) + CUT_NOTE;
  } finally {
    for (const handle of cuts) await handle.evaluate(restore).catch(() => {});
  }
}

interface PageNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly parentNode: PageNode | null;
  readonly childNodes: { readonly length: number };
  replaceWith(node: PageNode): void;
}
interface PageRange {
  selectNodeContents(node: PageNode): void;
  setStartBefore(node: PageNode): void;
  setStartAfter(node: PageNode): void;
  setEnd(node: PageNode, offset: number): void;
  insertNode(node: PageNode): void;
  extractContents(): PageNode;
}
declare const document: {
  readonly body: PageNode | null;
  createRange(): PageRange;
  createComment(text: string): PageNode;
};

type Cuts = [mark: PageNode, held: PageNode][];

const shortenFrame = (frame: Frame): Promise<JSHandle<Cuts> | undefined> =>
  frame.evaluateHandle(removeExcess, LIMITS).catch((error: unknown) => {
    if (frame.parentFrame() === null) throw error;
    return undefined;
  });

/** Runs in the page. Removes what exceeds the limits: Playwright reads hidden elements and recurses. */
function removeExcess(limits: { elements: number; depth: number; characters: number }): Cuts {
  const cuts: Cuts = [];
  const cut = (range: PageRange) => {
    const mark = document.createComment('');
    const held = range.extractContents();
    range.insertNode(mark);
    cuts.push([mark, held]);
  };
  const root = document.body;
  if (root === null) return cuts;
  let elements = 0;
  let characters = 0;
  let depth = 0;
  let node: PageNode = root;
  for (;;) {
    if (node.nodeType === 1) elements += 1;
    else characters += node.nodeValue?.length ?? 0;
    if (node !== root && (elements > limits.elements || characters > limits.characters)) break;
    if (depth >= limits.depth && node.firstChild) {
      const range = document.createRange();
      range.selectNodeContents(node);
      cut(range);
    } else if (node.firstChild) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node !== root && node.nextSibling === null && node.parentNode) {
      node = node.parentNode;
      depth -= 1;
    }
    if (node === root || node.nextSibling === null) return cuts;
    node = node.nextSibling;
  }
  // Remove everything that follows in document order, from here up to the root.
  for (let isFirst = true; node !== root && node.parentNode; isFirst = false) {
    const parent: PageNode = node.parentNode;
    if (isFirst || node.nextSibling) {
      const range = document.createRange();
      if (isFirst) range.setStartBefore(node);
      else range.setStartAfter(node);
      range.setEnd(parent, parent.childNodes.length);
      cut(range);
    }
    node = parent;
  }
  return cuts;
}

/** Runs in the page. Restores the removed content. */
function restore(cuts: Cuts): void {
  for (const [mark, held] of cuts.reverse()) mark.replaceWith(held);
}
