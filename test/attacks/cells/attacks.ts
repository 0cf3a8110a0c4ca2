/** What hostile scripts try in a cell, as shell scripts: `$1` is the folder of the test. Each holds what it took for a while, bounded in size and time. */
import type { CellLimits } from '../../../src/sandbox/index.ts';

interface Attack {
  readonly script: string;
  readonly limits?: Partial<CellLimits>;
}

const MB = 1024 ** 2;
/** So much more than its limit an attack takes, and so long it holds it: the watch looks four times a second. */
const LIMITS = { memoryBytes: 200 * MB, diskBytes: 64 * MB };
const HOLD = 'sleep 20';
const isArm = process.arch === 'arm64';
/** Numbers of system calls. */
const [MMAP, MEMFD, INOTIFY, WRITE, KEYCTL] = isArm ? [222, 279, 26, 64, 219] : [9, 319, 294, 1, 250];

const perl = (program: string): string => `perl -e '$| = 1; ${program}'`;

export const ATTACKS: Readonly<Record<string, Attack>> = {
  sees: {
    script: `for path in /root /home /srv /opt/* /usr/local/sonde-attacked-* /tmp/* /var/tmp/* /mnt /media /boot /sys /run /var/run/docker.sock /var/lib /var/log /etc/shadow /etc/gshadow \\
        /etc/sudoers /etc/ssh /etc/ssl/private /etc/pki/tls/private /etc/gitconfig /etc/machine-id /etc/hostname /etc/crontab \\
        "$1"/data/* "$1"/home/* "$1"/cells/* /dev/shm/* /dev/mem /dev/kmsg /dev/sda /dev/vda /dev/fuse /dev/kvm; do
      [ ! -e "$path" ] || [ "\${path##*/}" = "\${1##*/}" ] || [ "$path" = "$1/readable" ] || echo "$path"; done; grep -v -E "^(root|cell|nobody):" /etc/passwd`,
  },
  writes: {
    script: `cut -d" " -f5,6 /proc/self/mountinfo | grep -v -E " ro,| ro$" | cut -d" " -f1 |
      grep -v -x -E "/cell|/tmp|/var/tmp|/dev/shm|/proc|/dev/(null|zero|full|random|urandom)"
      for path in "$1/readable" "$1/readable/mounted" /usr /etc / /dev /var; do (: >"$path/written") 2>/dev/null && echo "wrote into $path"; done
      for path in kernel/core_pattern kernel/hostname kernel/yama/ptrace_scope net/ipv4/ip_forward vm/overcommit_memory; do
        (echo 1 >"/proc/sys/$path") 2>/dev/null && echo "wrote $path"; done; true`,
  },
  descriptors: { script: 'ls /proc/$$/fd >/tmp/found; grep -v -x -E "0|1|2|10" /tmp/found; true' },
  ptrace: {
    script: `for pid in 1 $PPID; do [ "$pid" = $$ ] || for name in environ maps root cwd fd/0 fd/3; do
        { readlink "/proc/$pid/$name" || cat "/proc/$pid/$name"; } >/tmp/found 2>/dev/null && [ -s /tmp/found ] && echo "read $pid $name"; done; done; true`,
  },
  mounts: {
    limits: LIMITS,
    script: `unshare --user --map-root-user --mount sh -c "mount -t tmpfs -o size=1g own /mnt 2>/dev/null || mount -t tmpfs -o size=1g own /tmp;
      for count in 1 2 3 4 5; do head -c 60M /dev/zero >"/tmp/$count" || exit; done; echo held && ${HOLD}" 2>&1 | grep held; true`,
  },
  memfd: {
    limits: LIMITS,
    script: perl(`my ($name, $block) = ("x", "x" x (1 << 20)); my @held;
      for (1 .. 10) { open(my $file, "+<&=", syscall(${MEMFD}, $name, 0)) or exit; push @held, $file; syswrite($file, $block) for 1 .. 50 }
      print "held"; sleep 20`),
  },
  sharedByMany: {
    limits: LIMITS,
    script: perl(`my ($name, $block) = ("x", "x" x (1 << 20));
      for (1 .. 10) { next if fork; open(my $file, "+<&=", syscall(${MEMFD}, $name, 0)) or exit; syswrite($file, $block) for 1 .. 50; sleep 20; exit }
      sleep 3; print "held"; sleep 20`),
  },
  systemV: {
    limits: LIMITS,
    script:
      perl(`my $block = "x" x (20 << 20); for (1 .. 25) { my $id = shmget(0, 20 << 20, 0600) // exit; shmwrite($id, $block, 0, 20 << 20) }
      undef $block; print "held"; sleep 20`),
  },
  pageTables: {
    limits: { ...LIMITS, memoryBytes: 150 * MB },
    script:
      perl(`my $size = 200 << 30; my $at = syscall(${MMAP}, 0, $size, 1, 0x4022, -1, 0); open(my $out, ">", "/tmp/out");
      for (my $i = 0; $i < $size; $i += 2 << 20) { syscall(${WRITE}, fileno($out), $at + $i, 1) } print "held"; sleep 20`),
  },
  /** Of which only a cgroup knows. */
  sockets: {
    limits: LIMITS,
    script: perl(`use Socket; use IO::Handle; my ($block, @held) = ("x" x 100_000);
      for (1 .. 15) { next if fork; for (1 .. 300) { socketpair(my $one, my $other, AF_UNIX, SOCK_DGRAM, 0) or last;
        $one->blocking(0); push @held, $one, $other; 1 while syswrite($one, $block) } sleep 20; exit } sleep 20`),
  },
  watchers: {
    script: perl(
      `my $count = 0; for (1 .. 3000) { last if syscall(${INOTIFY}, 0) < 0; $count++ } print "held $count"; sleep 2`,
    ),
  },
  keyring: {
    script:
      perl(`my $id = syscall(${KEYCTL}, 10, -3, my $type = "user", my $name = "sonde-attack", 0); my $value = " " x 100;
      syscall(${KEYCTL}, 11, $id, $value, 100) > 0 and print $value`),
  },
};
