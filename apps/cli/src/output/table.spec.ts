import { expect, it } from 'vitest';
import { formatTable } from './table.ts';

it('shows control characters instead of sending them to the terminal: a cluster may have written them', () => {
  const cell = 'a\u001b[2J\u001b]0;title\u0007b\r\nc\u009b1m';
  expect(formatTable(['NAME', 'STATUS'], [[cell, 'ok']])).toBe(
    'NAME                             STATUS\n' + 'a^[[2J^[]0;title^Gb^M^Jc\\x9b1m   ok\n',
  );
});
