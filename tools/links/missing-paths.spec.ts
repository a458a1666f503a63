import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { missingPaths } from './missing-paths.ts';

const root = mkdtempSync(join(tmpdir(), 'flotilla-paths-'));
afterEach(() => rmSync(root, { recursive: true }));

it('finds the paths of a page that do not exist', () => {
  mkdirSync(join(root, 'apps/hub'), { recursive: true });
  writeFileSync(
    join(root, 'page.md'),
    'First `apps/hub`, a folder.\nThen `apps/hub/main.ts`, and `kubectl apps/none`, `<concern>.ts`.\n',
  );
  expect(missingPaths(root, 'page.md')).toEqual([{ file: 'page.md', line: 2, target: 'apps/hub/main.ts' }]);
});
