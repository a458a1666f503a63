import { expect, it } from 'vitest';
import { rewritePaths } from './rewrite-paths.ts';

const mount = (mountPath: string, path: string) => ({ mountPath, path, readOnly: true });
const mounts = [mount('/spoke', '/n/spoke'), mount('/spoke/bootstrap', '/n/bootstrap'), mount('/etc/tls/', '/n/tls')];

it.each([
  ['a whole path', '/spoke/bootstrap', '/n/bootstrap'],
  ['a file below it', '--kubeconfig=/spoke/bootstrap/kubeconfig', '--kubeconfig=/n/bootstrap/kubeconfig'],
  ['the outer mount beside the inner one', '/spoke/other', '/n/spoke/other'],
  ['each of a list', '/spoke/bootstrap/a:/spoke/bootstrap/b,/etc/tls/c', '/n/bootstrap/a:/n/bootstrap/b,/n/tls/c'],
  ['one in a script', 'cat "/etc/tls/tls.crt"', 'cat "/n/tls/tls.crt"'],
])('rewrites %s', (_what, text, expected) => {
  expect(rewritePaths(text, mounts)).toBe(expected);
});

it.each([
  ['a longer name', '/spokes/x'],
  ['a path that only ends like it', '/data/etc/tls'],
  ['other text', 'https://example.com/x'],
])('leaves %s', (_what, text) => {
  expect(rewritePaths(text, mounts)).toBe(text);
});

it('leaves everything where nothing is mounted', () => {
  expect(rewritePaths('/spoke', [])).toBe('/spoke');
});
