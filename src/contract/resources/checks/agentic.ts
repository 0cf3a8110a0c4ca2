/** Schemas of agentic checks: a task in words that a model carries out. */
import { closed, noted, optional, set, string } from '../../schema.ts';
import { environmentVariables } from '../shared.ts';
import { commonFields, schemasOf } from './common.ts';
import { scriptedFrequency } from './scripted.ts';

const prompt = string('Task for the model, in natural language', {
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
        set(string('Skill', { minLength: 1, 'x-gaps': ['minLength'] }), 'Skills available to the model'),
      ),
    },
    { title: 'AgentRuntime', description: 'Settings of the model runtime' },
  ),
};

export const agenticCheck = schemasOf(
  { type: 'AGENTIC', title: 'AgenticCheck' },
  { prompt },
  { ...commonFields, ...agenticFields },
);
