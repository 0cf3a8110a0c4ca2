/** Pages that a browser can hardly show: they fail the check in time, and are never an error of the monitor. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assert, finish, open, read } from '../../support/model.ts';
import { openPage } from '../../support/page.ts';
import { type AgenticTest, openAgentic, transcriptOf } from './support.ts';

let agentic: AgenticTest;
beforeAll(async () => {
  agentic = await openAgentic();
});
afterAll(() => agentic?.close());

async function look(html: string) {
  const page = await openPage(html);
  const beganAt = performance.now();
  agentic.model.play([open(page), read], [assert('The shop is open'), finish('pass')]);
  const attempt = await agentic.run({ prompt: `Look at ${page}` });
  return { attempt, seconds: (performance.now() - beganAt) / 1000 };
}

it.each([
  ['loops', '<h1>Shop</h1><script>setTimeout(() => { while (true); }, 100)</script>'],
  ['loops as it loads', '<h1>Shop</h1><script>while (true);</script>'],
])('a page that %s fails the check', async (_, html) => {
  const { attempt, seconds } = await look(html);
  expect(attempt).toMatchObject({
    ...{ hasFailures: true, hasErrors: false },
    errors: ['the page did not respond within 30 s'],
  });
  expect(seconds).toBeLessThan(120);
});

const nested = (depth: number) => `<h1>Shop</h1><div id=a></div><script>let d = a;
  for (let i = 0; i < ${depth}; i++) { const e = document.createElement('div'); d.appendChild(e); d = e; }
  d.textContent = 'deepest';</script>`;
const buttons = (count: number) =>
  `<h1>Shop</h1><script>document.body.innerHTML += '<button>x</button>'.repeat(${count})</script>`;

it.each([
  ['12,000 buttons', buttons(12_000)],
  ['1,000 nested elements', nested(1000)],
  ['a text of 1 MB', '<h1>Shop</h1><p id=a></p><script>a.textContent = "word ".repeat(2e5)</script>'],
])('a page with %s is cut, and the model is told', async (_, html) => {
  const { attempt } = await look(html);
  expect(attempt).toMatchObject({ hasFailures: false, hasErrors: false, errors: [] });
  const transcript = await transcriptOf(attempt);
  expect(transcript).toContain('heading \\"Shop\\"');
  expect(transcript).toContain('the rest of the page is omitted');
  expect(transcript).not.toContain('deepest');
});

it.each([
  ['60,000 buttons', buttons(60_000)],
  ['10,000 nested elements', nested(10_000)],
])('a page with %s is no error of the monitor', async (_, html) => {
  const { attempt, seconds } = await look(html);
  expect(attempt.hasErrors).toBe(false);
  if (attempt.hasFailures)
    expect(attempt.errors[0]).toMatch(/^the page (?:could not be read|did not respond)/);
  expect(seconds).toBeLessThan(200);
});

it('a page that asks, and opens 50 others, is read', async () => {
  const { attempt, seconds } = await look(
    '<h1>Shop</h1><script>alert(1); onbeforeunload = () => 1; for (let i = 0; i < 50; i++) open("about:blank");</script>',
  );
  expect(attempt).toMatchObject({ hasFailures: false, hasErrors: false, errors: [] });
  expect(seconds).toBeLessThan(200);
});

it('a page is as it was once a part of it was cut', async () => {
  const page = await openPage(
    `<h1>Shop</h1><main></main><footer>Imprint</footer><script>
    document.querySelector('main').innerHTML = '<p>x</p>'.repeat(12000);
    const before = document.body.innerHTML;
    const button = document.body.insertBefore(document.createElement('button'), document.querySelector('h1'));
    button.textContent = 'Compare';
    button.onclick = () => { button.remove(); document.querySelector('h1').textContent = document.body.innerHTML === before ? 'alike' : 'changed'; };
    </script>`,
  );
  agentic.model.play(
    [open(page), read],
    (heard) => [['click', { target: heard.ref('button "Compare"') }], read],
    [assert('It is alike'), finish('pass')],
  );
  const attempt = await agentic.run({ prompt: `Look at ${page}` });
  expect(attempt).toMatchObject({ hasFailures: false, hasErrors: false });
  expect(await transcriptOf(attempt)).toContain('heading \\"alike\\"');
});
