/** What runs beside agents in their networks: a target that answers sooner or later, and a line that is slow. */
const { createServer: createHttp } = require('node:http');
const { connect, createServer } = require('node:net');

const [kind, port, host, servicePort] = process.argv.slice(2);
if (kind === 'target') {
  createHttp((_, response) => setTimeout(() => response.end('ok'), Math.random() * 400)).listen(
    Number(port),
    '127.0.0.1',
  );
} else {
  // Each piece is 50 to 250 ms late, in its order.
  const slowly = (from, to) => {
    let before = Promise.resolve();
    from.on('data', (piece) => {
      const ready = new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 200));
      before = Promise.all([before, ready]).then(() => void to.write(piece));
    });
    from.on('close', () => void before.then(() => to.destroy()));
    from.on('error', () => {});
  };
  createServer((near) => {
    const far = connect(Number(servicePort), host);
    slowly(near, far);
    slowly(far, near);
  }).listen(Number(port), '0.0.0.0');
}
