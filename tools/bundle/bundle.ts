// Makes the one file that an app is shipped as: src/main.ts and all it imports. Run in the app: node ../../tools/bundle/bundle.ts
import { readFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';
import type { Manifest } from '../workspace.ts';

const { bin }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const [outfile, ...others] = typeof bin === 'string' ? [bin] : Object.values(bin ?? {});
if (outfile === undefined || others.length > 0) throw new Error('package.json must name exactly one file in "bin"');

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'eof',
  // Some dependencies are CommonJS and ask for Node's modules by `require`, which a module does not have.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
});
await chmod(outfile, 0o755);
