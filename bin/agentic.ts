/** Drives the browser of an agentic check; a script in a cell loads it. See src/runners/agentic. */
export { drive } from '../src/runners/agentic/child/main.ts';
