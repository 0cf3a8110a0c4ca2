/** Exports the driver of an agentic check's browser, which a script in a cell loads. See src/runners/agentic. */
export { drive } from '../src/runners/agentic/child/main.ts';
