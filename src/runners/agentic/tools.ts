/** Defines the tools of the model for chat completions, and validates its calls. */

export type Call =
  | { readonly tool: 'open'; readonly url: string }
  | { readonly tool: 'click'; readonly target: string }
  | { readonly tool: 'type'; readonly target: string; readonly text: string }
  | { readonly tool: 'read' }
  | { readonly tool: 'assert'; readonly statement: string; readonly holds: boolean }
  | { readonly tool: 'finish'; readonly verdict: 'pass' | 'fail'; readonly summary: string };

interface Tool {
  readonly description: string;
  readonly parameters: Readonly<Record<string, object>>;
}

const target = {
  type: 'string',
  description: 'Reference of the element in the page as last read, such as e12',
};
const TOOLS: Readonly<Record<Call['tool'], Tool>> = {
  open: {
    description: 'Open an address in the browser',
    parameters: { url: { type: 'string', description: 'Absolute http or https address' } },
  },
  click: { description: 'Click an element of the page', parameters: { target } },
  type: {
    description:
      'Replace the text of a field, or choose an option of a list. A line break at the end presses Enter. {{NAME}} stands for the value of a variable',
    parameters: { target, text: { type: 'string', description: 'Text to type' } },
  },
  read: {
    description: 'Read the page: its address, its title, and its elements with their references',
    parameters: {},
  },
  assert: {
    description:
      'Record whether a statement that the task asks about holds, based on the pages that you have read',
    parameters: {
      statement: { type: 'string', description: 'One statement about the page' },
      holds: { type: 'boolean', description: 'Whether the statement holds' },
    },
  },
  finish: {
    description: 'End the check. It must be the only or the last call',
    parameters: {
      verdict: {
        type: 'string',
        enum: ['pass', 'fail'],
        description: 'pass only if all that was asked for holds',
      },
      summary: {
        type: 'string',
        description: 'Summary of your actions and findings, in one to three sentences',
      },
    },
  },
};

export const TOOL_DEFINITIONS = Object.entries(TOOLS).map(([name, { description, parameters }]) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: parameters,
      required: Object.keys(parameters),
      additionalProperties: false,
    },
  },
}));

const MAX_TEXT_LENGTH = 4000;
const REFERENCE = /^(?:f\d+)?e\d+$/;

export function parseCall(name: string, args: unknown): Call | string {
  if (!Object.hasOwn(TOOLS, name))
    return `there is no tool "${name.slice(0, 50)}": the tools are ${Object.keys(TOOLS).join(', ')}`;
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    return `the arguments of ${name} must be a JSON object`;
  const values = args as Readonly<Record<string, unknown>>;
  const tool = name as Call['tool'];
  const invalid = Object.keys(TOOLS[tool].parameters).find((field) => !isValidArgument(field, values[field]));
  if (invalid !== undefined) return `the argument "${invalid}" of ${name} is missing or wrong`;
  const parsed = Object.fromEntries(
    Object.keys(TOOLS[tool].parameters).map((field) => [field, values[field]]),
  );
  return { tool, ...parsed } as Call;
}

function isValidArgument(field: string, value: unknown): boolean {
  if (field === 'holds') return typeof value === 'boolean';
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) return false;
  if (field === 'verdict') return value === 'pass' || value === 'fail';
  if (field === 'target') return REFERENCE.test(value);
  return field === 'text' || value.trim() !== '';
}
