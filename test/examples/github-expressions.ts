/** Judges a workflow by GitHub's own parser, and evaluates its expressions by GitHub's own evaluator. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { build } from 'esbuild';

type WorkflowParser = typeof import('@actions/workflow-parser');

let loading: Promise<WorkflowParser> | undefined;

/** It imports JSON in a way that bundlers understand and Node does not. */
async function bundledParser(): Promise<WorkflowParser> {
  const folder = await mkdtemp(join(tmpdir(), 'sonde-parser-'));
  const outfile = join(folder, 'parser.mjs');
  const stdin = { contents: "export * from '@actions/workflow-parser'", resolveDir: import.meta.dirname };
  try {
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' });
    return await import(outfile);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The conditions of a workflow's jobs, each with those of its steps; the default ones are written out. */
export type Conditions = Readonly<
  Record<string, { readonly job: string; readonly steps: readonly string[] }>
>;

/** Throws with all that GitHub finds wrong in the workflow. */
export async function judgeWorkflow(text: string): Promise<Conditions> {
  loading ??= bundledParser();
  const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await loading;
  const { context, value } = parseWorkflow(
    { name: 'release.yml', content: text },
    new NoOperationTraceWriter(),
  );
  const template = value && (await convertWorkflowTemplate(context, value));
  const errors = [...context.errors.getErrors(), ...(template?.errors ?? []).map(({ Message }) => Message)];
  if (!template || errors.length > 0) throw new Error(errors.map(String).join('\n'));
  return Object.fromEntries(
    template.jobs.map((job) => {
      if (job.type !== 'job')
        throw new Error(`${job.id.value}: this runner does not know reusable workflows`);
      const steps = job.steps.map((step) => step.if?.expression ?? 'success()');
      return [job.id.value, { job: job.if.expression, steps }];
    }),
  );
}

/** How what came before has gone, as the functions in conditions tell it. */
export interface Status {
  readonly hasFailed: boolean;
  /** The values by the names of the contexts: secrets, vars, steps, needs, github. */
  readonly contexts: Readonly<Record<string, unknown>>;
}

function evaluate(expression: string, { hasFailed, contexts }: Status): data.ExpressionData {
  const truths = { always: true, success: !hasFailed, failure: hasFailed, cancelled: false };
  const functions = Object.entries(truths).map(([name, truth]) => ({
    ...{ name, minArgs: 0, maxArgs: 0 },
    call: () => new data.BooleanData(truth),
  }));
  const tree = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), functions).parse();
  const values = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
  return new Evaluator(tree, values, new Map(functions.map((one) => [one.name, one]))).evaluate();
}

/** Whether a condition holds. */
export function holds(condition: string, status: Status): boolean {
  const value = evaluate(condition, status);
  if (value.kind !== data.Kind.Boolean) throw new Error(`${condition}: this runner wants a boolean`);
  return value.value;
}

/** A text with its `${{ }}` put in; what is not set is empty, as on GitHub. */
export const resolved = (text: string, status: Status): string =>
  text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) =>
    evaluate(expression.trim(), status).coerceString(),
  );
