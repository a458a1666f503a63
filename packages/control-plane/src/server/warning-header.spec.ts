import { expect, it } from 'vitest';
import { withWarnings } from './warning-header.ts';

const answer = { status: 200, headers: {}, body: '' };
const headerOf = (...warnings: string[]) => withWarnings(answer, warnings).headers.warning;

it('shows each warning once, as it is', () => {
  const long = 'x'.repeat(4000);
  expect(headerOf('a "b"', 'a "b"', long)).toEqual(['299 - "a \\"b\\""', `299 - "${long}"`]);
});

it('shortens warnings and leaves out the last ones where a header would be too long, as kube-apiserver does', () => {
  const warnings = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
  const header = headerOf(...warnings);
  expect(header).toHaveLength(17);
  expect(header?.[16]).toBe(`299 - "${warnings[16]?.slice(0, 256)}"`);
});
