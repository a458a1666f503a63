import { expect, it } from 'vitest';
import { managerName } from './manager-name.ts';

it.each([
  ['the parameter before the user agent', 'mine', 'kubectl/v1', 'mine'],
  ['the user agent up to its slash', '', 'kubectl/v1.36.3 (linux/amd64)', 'kubectl'],
  ['the whole user agent without a slash', undefined, 'curl', 'curl'],
  ['nothing when there is neither', undefined, undefined, ''],
  ['printable characters only', undefined, 'a\u0007b\u200bc', 'abc'],
  ['at most 128 bytes', undefined, 'é'.repeat(100), 'é'.repeat(64)],
])('takes %s', (_, fieldManager, userAgent, expected) => {
  expect(managerName(fieldManager, userAgent)).toBe(expected);
});
