/**
 * The least that the work of a DNS check costs in Node: queries a name server, decodes the answer, compares the address, and
 * inserts one row a result into SQLite in the mode of the service. `node bare-loop.mjs PORT NAME COUNT DATABASE` prints the
 * processor time in s.
 */
import { createSocket } from 'node:dgram';
import packet from 'dns-packet';
import Database from 'libsql';

const AT_ONCE = 100;
const [port, name, count, file] = process.argv.slice(2);

const database = new Database(file);
database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec(
  'create table results (id integer primary key, at integer, ms real, passed integer, answer text)',
);
const insert = database.prepare('insert into results (at, ms, passed, answer) values (?, ?, ?, ?)');

function query(id) {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const fail = (error) => {
      socket.close();
      reject(error);
    };
    const timer = setTimeout(() => fail(new Error('no answer within 5 s')), 5000);
    socket.once('error', fail);
    socket.once('message', (bytes) => {
      clearTimeout(timer);
      socket.close();
      resolve(packet.decode(bytes));
    });
    const questions = [{ type: 'A', class: 'IN', name }];
    socket.send(
      packet.encode({ type: 'query', id, flags: packet.RECURSION_DESIRED, questions }),
      Number(port),
      '127.0.0.1',
    );
  });
}

async function check(id) {
  const began = performance.now();
  const { rcode, answers } = await query(id % 65_536);
  const passed = rcode === 'NOERROR' && answers.some(({ data }) => data === '192.0.2.7');
  if (!passed) throw new Error(`unexpected answer: ${rcode}`);
  insert.run(Date.now(), performance.now() - began, 1, JSON.stringify(answers));
}

let left = Number(count);
const before = process.cpuUsage();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (left > 0) {
      left -= 1;
      await check(left);
    }
  }),
);
const { user, system } = process.cpuUsage(before);
database.close();
console.log((user + system) / 1e6);
