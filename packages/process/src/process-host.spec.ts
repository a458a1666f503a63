import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

const runProcessUrl = new URL('./run-process.ts', import.meta.url).href;

/** Runs a real Node process whose main is the given code. */
function run(main: string) {
  const script = `
    import { runProcess } from ${JSON.stringify(runProcessUrl)};
    await runProcess({ name: 'flotilla-test', prefix: 'flotilla', version: '1.2.3', options: {}, main: async ({ signal, log, clock }) => { ${main} } });
  `;
  // With --eval Node has no script's name in its argv, so a word stands in its place.
  const flags = ['--input-type=module', '--eval', script, '--', 'script', '--listen=0'];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const said = (words: string) =>
    new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk) => {
        if (String(chunk).includes(words)) resolve();
      });
    });
  return { child, exited, said, stdout: text(child.stdout), stderr: text(child.stderr) };
}

describe.concurrent('a real process', () => {
  it('lives while its main only waits, and ends in order at SIGTERM', async () => {
    const { child, exited, said, stderr } = run(`
      log.info('waiting');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.info('drained');
    `);
    await said('waiting');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    const messages = (await stderr)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(messages).toEqual(['starting', 'waiting', 'ending', 'drained', 'ended']);
  });

  it('ends at once with the second signal', async () => {
    const { child, exited, said } = run(`
      signal.addEventListener('abort', () => log.info('stuck'));
      log.info('waiting');
      await new Promise(() => {});
    `);
    const stuck = said('stuck');
    await said('waiting');
    child.kill('SIGINT');
    await stuck;
    child.kill('SIGTERM');
    expect(await exited).toBe(143);
  });

  it('survives a forgotten promise and not an uncaught exception, and loses no log line', async () => {
    const { exited, stderr } = run(`
      Promise.reject(new Error('forgotten'));
      await clock.sleep(1);
      log.info('still here');
      clock.schedule(1, () => { throw new Error('from a callback'); });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    `);
    expect(await exited).toBe(70);
    const lines = (await stderr)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.err?.message ?? line.msg)).toEqual([
      'starting',
      'forgotten',
      'still here',
      'from a callback',
      'ended',
    ]);
  });
});
