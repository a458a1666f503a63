import { describe, expect, it } from 'vitest';
import { formatCases } from '../../fixtures/format-cases.ts';
import { formatError } from './formats.ts';

describe.each(Object.entries(formatCases))('format %s', (format, { good, bad }) => {
  it.each(good)('accepts %j', (text) => {
    expect(formatError(format, text)).toBeUndefined();
  });
  if (bad.length > 0) {
    it.each(bad)('refuses %j', (text) => {
      expect(formatError(format, text)).toBeTypeOf('string');
    });
  }
});
