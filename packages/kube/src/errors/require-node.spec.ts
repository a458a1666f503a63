import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { minNodeMajor, requireNode } from './require-node.ts';

it.each(['20.20.2', '22.23.0'])(
  'refuses Node %s in one sentence, with the version that is needed and how to get it',
  (version) => {
    expect(() => requireNode('startControlPlane()', version)).toThrow(
      `startControlPlane() needs Node 24 or newer, and this is Node ${version}: install it from https://nodejs.org, or run your program with \`npx node@24\``,
    );
  },
);

it.each(['24.0.0', '26.1.0'])('accepts Node %s', (version) => {
  expect(() => requireNode('x', version)).not.toThrow();
});

it.each(['control-plane', 'fleet'])('%s says the same in its package.json', (name) => {
  const { engines } = JSON.parse(readFileSync(new URL(`../../../${name}/package.json`, import.meta.url), 'utf8'));
  expect(engines).toEqual({ node: `>=${minNodeMajor}` });
});
