import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from './create-logger.ts';

async function logTo(options: LoggerOptions & { terminal?: boolean } = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line), isTTY: options.terminal ?? false };
  const log = await createLogger({ clock: new FakeClock('2026-03-01T10:00:00.5Z'), destination, ...options });
  return { log, lines, parsed: () => lines.map((line): unknown => JSON.parse(line)) };
}

describe('a JSON log', () => {
  it('writes time, level, message and fields, one object a line', async () => {
    const { log, parsed } = await logTo({ fields: { podName: 'hub-0' } });
    log.info('cluster accepted', { cluster: 'edge-1' });
    expect(parsed()).toEqual([
      { level: 'info', ts: '2026-03-01T10:00:00.500Z', podName: 'hub-0', cluster: 'edge-1', msg: 'cluster accepted' },
    ]);
  });

  it('puts the fields of a child on each of its lines', async () => {
    const { log, parsed } = await logTo();
    const child = log.child({ controller: 'lease' }).child({ key: 'edge-1' });
    child.warn('late', { seconds: 3 });
    expect(parsed()).toEqual([
      expect.objectContaining({ controller: 'lease', key: 'edge-1', seconds: 3, msg: 'late' }),
    ]);
  });

  it('writes nothing below its level, and a new level holds for children made before', async () => {
    const { log, lines } = await logTo({ level: 'warn' });
    const child = log.child({ controller: 'lease' });
    child.info('not seen');
    expect(lines).toHaveLength(0);
    log.level = 'debug';
    child.debug('seen');
    log.level = 'error';
    child.warn('not seen');
    log.error('seen');
    expect(lines).toHaveLength(2);
  });

  it('redacts secrets in messages, fields and the fields of children', async () => {
    const { log, lines } = await logTo();
    log
      .child({ token: 'hunter2' })
      .error('sent Bearer hunter2', { password: 'hunter2', err: new Error('token=hunter2') });
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain('hunter2');
  });
});

describe('a text log', () => {
  const failure = Object.assign(new Error('Config: no such file', { cause: new Error('ENOENT') }), {
    hint: 'create it',
  });

  it('is one plain line without a terminal', async () => {
    const { log, lines } = await logTo({ format: 'text' });
    log.info('cluster accepted', { cluster: 'edge-1' });
    expect(lines).toEqual(['[2026-03-01T10:00:00.500Z] INFO: cluster accepted {"cluster":"edge-1"}\n']);
  });

  it('is coloured on a terminal', async () => {
    const { log, lines } = await logTo({ format: 'text', terminal: true });
    log.info('cluster accepted');
    expect(lines.join()).toContain('\u001b[32mINFO\u001b[39m');
  });

  it('shows an error with stack, cause and hint below the line', async () => {
    const { log, lines } = await logTo({ format: 'text' });
    log.error('cannot start', { err: failure });
    const [first, ...rest] = lines.join('').split('\n');
    expect(first).toBe('[2026-03-01T10:00:00.500Z] ERROR: cannot start');
    expect(rest.join('\n')).toMatch(/^ {4}Error: Config: no such file\n {8}at /);
    expect(rest).toContain('    caused by: ENOENT');
    expect(rest).toContain('    hint: create it');
  });
});
