/** A service whose cells have no network: prints as JSON what a program in one reaches, and how often the machine was called. */
import { createServer } from 'node:net';
import { openSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';

const [level = 'auto', folder = ''] = process.argv.slice(2);
let calls = 0;
const machine = createServer((client) => {
  calls += 1;
  client.end();
});
await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve));
const address = machine.address();
const port = typeof address === 'object' ? address?.port : 0;
const sandbox = await openSandbox({
  ...{ level: level as SandboxOptions['level'], folder, network: 'none' },
  self: {
    pid: process.pid,
    execPath: process.execPath,
    kill: (pid, signal) => void process.kill(pid, signal),
  },
});
const cell = await sandbox.open();
const handed = createServer((client) => client.end('handed in'));
await cell.serve('out', handed);
const script = `
const net = require('node:net');
const said = (to) => new Promise((resolve) => {
  let text = '';
  net.connect(to).on('data', (piece) => { text += piece; }).on('error', ({ code }) => resolve(code)).on('close', () => resolve(text));
});
(async () => {
  const own = net.createServer((client) => client.end('own'));
  await new Promise((go) => own.listen(0, '127.0.0.1', go));
  console.log(JSON.stringify({
    machine: await said({ host: '127.0.0.1', port: ${port} }),
    beyond: await said({ host: '192.0.2.1', port: 53 }),
    own: await said(own.address()),
    handed: await said({ path: 'out' }),
  }));
  process.exit();
})();`;
const program = cell.spawn([process.execPath, '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
let out = '';
program.stdout?.on('data', (piece: Buffer) => {
  out += piece.toString();
});
await new Promise((resolve) => program.once('close', resolve));
const { network } = sandbox.describe();
await sandbox.close();
machine.close();
console.log(JSON.stringify({ ...JSON.parse(out), calls, network, isServing: handed.listening }));
