/** The end of the gate, end to end: what went wrong at a glance, how to go on, and a stop at every stage. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  BINARY,
  plain,
  type RunOptions,
  shell,
  sonde,
  sondeInTerminal,
  watchSonde,
  widest,
} from '../support/binary.ts';
import { answer, serveWith } from '../support/http.ts';
import { dnsCheck, fresh, makeCheck, makeSession, NOBODY, startEndlessSession, useWorld } from './world.ts';

const world = useWorld();

const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  sonde(args, { env: world.service.env, ...options });

/** What the name server's answer to `missing.test` comes to. */
const MISSING = 'RESPONSE_CODE EQUALS "NOERROR": was "NXDOMAIN"';
const THREE = { locations: ['eu-west-1', 'us-east-1', 'ap-southeast-1'], runParallel: true };
const DURATION = String.raw`\d+(?:\.\d+)?m?s`;

describe('what went wrong', () => {
  it('is said once for all locations, and stands in the last column for programs', async () => {
    const { id, name } = await makeCheck(world, 'missing.test', THREE);
    const { code, stdout, stderr } = await run(['checks', 'run', id]);
    expect(code, stderr).toBe(1);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows.map((cells) => cells[2])).toEqual(THREE.locations);
    expect(new Set(rows.map((cells) => cells.at(-1)))).toEqual(new Set([MISSING]));
    const where = THREE.locations.join(', ');
    expect(stderr).toMatch(
      new RegExp(
        `✗ ${name} at ${where}: ${MISSING} \\(took ${DURATION}(?: to ${DURATION})?\\)\n  ${world.service.url}/check-sessions/\\S+\n  More: sonde error-groups list ${id}\n`,
      ),
    );
    expect(stderr.match(/RESPONSE_CODE/g)).toHaveLength(1);
    expect(stderr).toContain(`Error: ${name} failed at 3 locations\n`);
  });

  it('stands below the table in a terminal, and what is good below what is bad', async () => {
    const tag = fresh('tag');
    const good = await makeCheck(world, 'good.test', { ...THREE, tags: [tag] });
    const bad = await makeCheck(world, 'missing.test', { tags: [tag] });
    for (const columns of [80, 140]) {
      const { code, screen } = await sondeInTerminal(['checks', 'run', '--tag', tag], {
        env: world.service.env,
        columns,
      });
      const shown = plain(screen);
      expect(code).toBe(1);
      expect(shown).toMatch(
        new RegExp(
          `FAILED +${bad.name} +eu-west-1[^]*(?:PASSED +${good.name}[^]*){3}✗ ${bad.name} at eu-west-1`,
        ),
      );
      expect(shown).toContain('Error: Of 2 check sessions: 1 failed, 1 passed\n');
      // The live view draws its rows over each other.
      const stays = shown.replaceAll(/[\u2800-\u28ff][^\r\n]*/g, '');
      expect(widest(stays)).toBeLessThanOrEqual(columns);
    }
  });

  it('is told of test sessions, too, though their results are listed nowhere else', async () => {
    const { id, name } = await makeCheck(world, 'missing.test');
    const started = await run([
      'test-sessions',
      'run',
      id,
      '--name',
      'all',
      '--run-location',
      'eu-west-1',
      '-o',
      'plain',
    ]);
    const { code, stdout, stderr } = await run(['test-sessions', 'wait', started.stdout.trim()]);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^FAILED\t${name}\teu-west-1\t.*\t${MISSING}\n$`));
    expect(stderr).toContain(`✗ ${name} at eu-west-1: ${MISSING}`);
    expect(stderr).toContain('Error: all failed at eu-west-1\n');
  });

  it('is left to the bodies with --json', async () => {
    const { id } = await makeSession(world, 'missing.test');
    const { code, stdout, stderr } = await run(['sessions', 'wait', id, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual(await world.service.make(`GET /v2/check-sessions/${id}`));
    expect(stderr).not.toContain('✗');
  });

  it('never reaches a terminal as it came', async () => {
    const name = `${fresh('check')}\u001b]0;owned\u0007\u001b[2J\u202e`;
    const { id } = await world.service.make<{ id: string }>(
      'POST /v1/checks/dns',
      dnsCheck(world, name, 'missing.test'),
    );
    const { screen } = await sondeInTerminal(['checks', 'run', id], { env: world.service.env });
    expect(screen).not.toContain('owned');
    expect(screen).not.toContain('\u001b[2J');
    expect(screen).not.toContain('\u202e');
  });
});

describe('all is well', () => {
  it('is a line', async () => {
    const { id, name } = await makeCheck(world, 'good.test', THREE);
    const one = await run(['checks', 'run', id]);
    expect(one.stderr).toMatch(new RegExp(`^✓ ${name} passed at 3 locations in ${DURATION}\n`, 'm'));
    const slow = await makeCheck(world, 'good.test', { degradedResponseTime: 0 });
    const two = await run(['checks', 'run', id, slow.id]);
    expect(two.stderr).toMatch(
      new RegExp(
        `^✓ 1 of 2 check sessions passed at 3 locations in ${DURATION}, 1 degraded: ${slow.name}\n`,
        'm',
      ),
    );
    expect((await run(['checks', 'run', id, '--quiet'])).stderr).toBe('');
  });
});

describe('a stop', () => {
  it('while sessions are being started says that they may have started', async () => {
    const server = await serveWith(() => gate.child.kill('SIGTERM'));
    const env = { ...world.service.env, SONDE_BASE_URL: server.url, SONDE_API_KEY: 'key-of-the-test' };
    const gate = watchSonde(['checks', 'run', '--all'], { env });
    const { code, stdout, stderr } = await gate.ended;
    expect(code).toBe(143);
    expect(stdout).toBe('');
    expect(stderr).toContain('Warning: sessions may have started; to list them, run: sonde sessions list\n');
  });

  it('while it waits says what was seen, and a line that goes on in the same way', async () => {
    const bad = await makeSession(world, 'missing.test');
    const open = await startEndlessSession(world);
    const more = [
      '--timeout',
      '90s',
      '--fail-on',
      'degraded',
      '--profile',
      'local',
      '--report',
      "junit:it's.xml",
    ];
    const gate = watchSonde(['sessions', 'wait', bad.id, open, ...more], { env: world.service.env });
    await gate.saw('FAILED');
    gate.child.kill('SIGINT');
    const { code, stdout, stderr } = await gate.ended;
    expect(code).toBe(130);
    expect(stdout).toBe('');
    expect(stderr).toContain(`Results so far: 1 failed: ${bad.name}\nStill running: ${open}\n`);
    const [, line = ''] = stderr.match(/^To continue waiting, run:\n {2}(.*)$/m) ?? [];
    expect(line).toBe(
      `sonde sessions wait ${open} --timeout 90s --fail-on degraded --report 'junit:it'\\''s.xml' --profile local`,
    );
    // It can be pasted: a deadline of its own ends the gate.
    const again = await shell(`${line} --timeout 0`, { env: world.service.env });
    expect(again.code, again.stderr).toBe(7);
  });

  it('of a wait for many keeps their ids in a file, and names a line that reads it', async () => {
    const server = await serveWith(({ url }, response) =>
      answer(response, { status: url.startsWith('/v2/check-sessions?') ? 404 : 408, body: {} }),
    );
    const env = { ...world.service.env, SONDE_BASE_URL: server.url, SONDE_API_KEY: 'key-of-the-test' };
    const ids = Array.from({ length: 1000 }, (_, index) =>
      NOBODY.replace(/.{4}$/, String(index).padStart(4, '0')),
    );
    const gate = watchSonde(['sessions', 'wait', '-'], { env, stdin: ids.join('\n') });
    await gate.saw('sessions one by one');
    gate.child.kill('SIGINT');
    const { code, stderr } = await gate.ended;
    expect(code).toBe(130);
    expect(stderr.length).toBeLessThan(1000);
    const [, file = ''] =
      stderr.match(/^To continue waiting, run:\n {2}sonde sessions wait - < (\S+)$/m) ?? [];
    expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toEqual(ids);
  });

  it('while it prints ends at once, though nobody reads on', async () => {
    const { id } = await makeSession(world);
    const ids = Array.from({ length: 2000 }, () => id).join(' ');
    const { code, stdout, stderr } = await shell(
      [
        'mkfifo pipe',
        `"${process.execPath}" "${BINARY}" sessions wait ${ids} --json > pipe & pid=$!`,
        'exec 3< pipe',
        'head -c 1 <&3 > first',
        'kill -TERM $pid',
        'wait $pid; echo $?',
      ].join('\n'),
      { env: world.service.env },
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toBe('143\n');
    expect(stderr).toContain('Results so far: 1 passed\n');
  });

  it('while it asks why ends at once', async () => {
    const { id, name } = await makeSession(world, 'missing.test');
    const session = await world.service.make(`GET /v2/check-sessions/${id}`);
    const server = await serveWith(({ url }, response) => {
      if (url.startsWith('/v2/check-sessions')) answer(response, { body: session });
      else gate.child.kill('SIGINT');
    });
    const env = { ...world.service.env, SONDE_BASE_URL: server.url, SONDE_API_KEY: 'key-of-the-test' };
    const gate = watchSonde(['sessions', 'wait', id], { env });
    const { code, stdout, stderr } = await gate.ended;
    expect(code).toBe(130);
    expect(stdout).toBe('');
    expect(stderr).toContain(`Results so far: 1 failed: ${name}\n`);
  });
});

it('says that failed sessions count anyway where --fail-on asks for them', async () => {
  const { code, stderr } = await run(['sessions', 'wait', NOBODY, '--fail-on', 'failed']);
  expect(code).toBe(2);
  expect(stderr).toContain('must be degraded, not "failed"');
  expect(stderr).toContain('sessions that failed, timed out or were cancelled always fail the gate');
});
