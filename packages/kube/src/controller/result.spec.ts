import { expect, it } from 'vitest';
import { TerminalError } from './result.ts';

it('is recognised across two copies of the package, as another copy of it shows', async () => {
  const url = new URL('./result.ts?copy', import.meta.url).href;
  const copy: typeof import('./result.ts') = await import(url);
  expect(copy.TerminalError).not.toBe(TerminalError);
  expect(new copy.TerminalError('no')).toBeInstanceOf(TerminalError);
  expect(new Error('no')).not.toBeInstanceOf(TerminalError);
});
