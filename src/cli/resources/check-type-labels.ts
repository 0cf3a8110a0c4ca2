/** What people call the types of checks. */

const WORDS: Readonly<Record<string, string>> = {
  BROWSER: 'browser',
  MULTI_STEP: 'multi-step',
  PLAYWRIGHT: 'Playwright',
  HEARTBEAT: 'heartbeat',
  AGENTIC: 'agentic',
};

/** `multi-step check`; a type that this version does not know, as the API names it. */
export const checkWords = (type: string): string =>
  `${Object.hasOwn(WORDS, type) ? WORDS[type] : type} check`;
