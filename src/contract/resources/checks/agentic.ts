/** Agentic check: a task in words, for a model to carry out. */
import { array, closed, noted, optional, string } from '../../schema.ts';
import { environmentVariables } from '../shared.ts';
import { commonFields, schemasOf } from './common.ts';
import { scriptedFrequency } from './scripted.ts';

const prompt = string('What is to be done and checked, in words', {
  minLength: 1,
  maxLength: 10_000,
  'x-gaps': ['minLength', 'maxLength'],
});
const agenticFields = {
  frequency: noted(scriptedFrequency, { default: 30, 'x-gaps': ['default'] }),
  environmentVariables,
  agentRuntime: closed(
    {
      skills: optional(
        array(string('A skill', { minLength: 1, 'x-gaps': ['minLength'] }), 'Skills that the model may use'),
      ),
    },
    { title: 'AgentRuntime', description: 'What the model has at hand' },
  ),
};

export const agenticCheck = schemasOf(
  { type: 'AGENTIC', title: 'AgenticCheck' },
  { prompt },
  { ...commonFields, ...agenticFields },
);
