import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs what builds the site, unless what its lock file says is there (docs/adr/0041-documentation-site.md). */
export function installSiteTools(root: string): void {
  const docs = join(root, 'docs');
  const lock = readFileSync(join(docs, 'package-lock.json'), 'utf8');
  const installed = join(docs, 'node_modules/.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.log('docs: installs the tools of the site');
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: docs, stdio: 'inherit' });
  writeFileSync(installed, lock);
}
